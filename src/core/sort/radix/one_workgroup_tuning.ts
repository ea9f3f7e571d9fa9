import { supportsWorkgroup } from "../../plan/grid.js";
import { type DeviceTraits, plannedSubgroups } from "../../plan/traits.js";
import { binWords, type SegmentTuning } from "../msd/msd_tuning.js";

/**
 * How one workgroup sorts all keys, if they need not stay in order where they are equal: see
 * `oneWorkgroupPass`.
 */
export interface OneWorkgroupTuning extends SegmentTuning {
  /** The maximum number of bits of the digits by which keys are ranked, if networks do not order them. */
  readonly rankBits: number;
  /** If a bin has more keys than this, only one round of networks is tried. */
  readonly maxBinKeys: number;
}

/** More random keys than this hardly ever share a bin. */
const MAX_BIN_KEYS = 16;

/** The tiles, the shortest first. `npm run tune -- --family table` times them; see docs/notes/kernels.md. */
const tiles: readonly SegmentTuning[] = [
  { workgroupSize: 256, keysPerInvocation: 3, binBits: 10 },
  { workgroupSize: 256, keysPerInvocation: 5, binBits: 11 },
  { workgroupSize: 256, keysPerInvocation: 9, binBits: 11 },
  { workgroupSize: 512, keysPerInvocation: 9, binBits: 12 },
  { workgroupSize: 1024, keysPerInvocation: 9, binBits: 12 },
];

/** The tile for a sort by one workgroup; undefined if the keys are too many for one. */
export function oneWorkgroupTuning(
  keyCount: number,
  words: 1 | 2,
  device: DeviceTraits,
): OneWorkgroupTuning | undefined {
  const { limits } = device;
  const settings = tiles.flatMap((tile) =>
    [8, 7, 6, 5, 4].map((rankBits) => ({ ...tile, rankBits, maxBinKeys: MAX_BIN_KEYS })),
  );
  return settings.find(
    (tile) =>
      keyCount <= tile.workgroupSize * tile.keysPerInvocation &&
      supportsWorkgroup(tile.workgroupSize, limits) &&
      2 ** tile.rankBits >= plannedSubgroups(device).size &&
      oneWorkgroupBytes(tile, words, device) <= limits.maxComputeWorkgroupStorageSize,
  );
}

/** Counters of the bins; later, those of subgroups. */
export function oneWorkgroupCounters(tuning: OneWorkgroupTuning, subgroupSize: number): number {
  return Math.max(binWords(tuning), (tuning.workgroupSize / subgroupSize) * 2 ** tuning.rankBits);
}

/** A few words, and what is lost as each variable takes a multiple of 16 bytes. */
const OTHER_WORDS = 48;

/** Bytes of workgroup memory of wgsl/msd/radix_one_workgroup.wgsl. */
function oneWorkgroupBytes(tuning: OneWorkgroupTuning, words: 1 | 2, device: DeviceTraits): number {
  const { workgroupSize, keysPerInvocation, rankBits } = tuning;
  const { size, varies } = plannedSubgroups(device);
  const slots = (workgroupSize + 1) * keysPerInvocation * words;
  const sums = varies ? workgroupSize : (workgroupSize + 2 ** rankBits) / size;
  return 4 * (slots + oneWorkgroupCounters(tuning, size) + sums + OTHER_WORDS);
}
