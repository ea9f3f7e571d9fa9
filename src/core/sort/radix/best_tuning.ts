import type { ElementType } from "../../elements.js";
import { supportsWorkgroup } from "../../plan/grid.js";
import type { DeviceTraits } from "../../plan/traits.js";
import {
  type MsdTuning,
  movesValuesByMsd,
  msdTuning,
  paysByMsd,
  sharesChunks,
  withRemap,
} from "../msd/msd_tuning.js";
import { oneWorkgroupTuning } from "./one_workgroup_tuning.js";
import {
  fitsTile,
  type LocalTuning,
  lsdTuning,
  type RadixTuning,
  roomForKeys,
  type SubgroupTuning,
  type TunedOptions,
} from "./radix_tuning.js";

/**
 * The best known tuning for a device, an element type and a number of keys.
 *
 * @param keyCount the number of keys, 0 to 2^31.
 * @param type the type of the keys.
 * @param traits those of the device, such as `gpu.traits`.
 * @param options of the sort, as far as the tuning depends on them.
 */
export function radixTuning(
  keyCount: number,
  type: ElementType,
  traits: DeviceTraits,
  options: TunedOptions = {},
): RadixTuning {
  const tuning = lsdTuning(keyCount, type, traits, options);
  const values = Boolean(options.payload);
  if (tuning.family !== "subgroup" || options.counted || type.bytes < 4) return tuning;
  if (values ? !movesValuesByMsd(type) : options.bits) return tuning;
  const fitsLocal = fitsTile(keyCount, tuning.local);
  const oneWorkgroup = values ? undefined : oneWorkgroupTuning(keyCount, type.words, traits);
  // Most floats share their topmost bits, so that bins overflow. A sort that runs once compiles longer for
  // them.
  if (oneWorkgroup && !(fitsLocal && (type.order === "float" || options.once)))
    return { ...tuning, oneWorkgroup };
  if (fitsLocal) return tuning;
  const moved = { words: type.words, values };
  const row = options.once ? undefined : msdTuning(keyCount, moved, traits);
  if (!row) return tuning;
  if (type.order !== "float") {
    return paysByMsd(keyCount, moved, row) ? withMsd(tuning, row, type.words, traits) : tuning;
  }
  const msd = withRemap(keyCount, row, moved, traits);
  return msd ? withMsd(tuning, msd, type.words, traits) : tuning;
}

/** A tuning with a sort by the most significant digit first, whose fallback passes have its chunks. */
export function withMsd(
  tuning: SubgroupTuning,
  msd: MsdTuning,
  words: 1 | 2,
  traits: DeviceTraits,
): SubgroupTuning {
  if (!sharesChunks(msd)) return { ...tuning, msd };
  const tile = fallbackTile(tuning, msd, words, traits);
  return { ...tuning, ...tile, columns: msd.columns, fusedScan: true, msd };
}

/** The tile of the fallback moves. The chunks are few, so the workgroups must be large. */
const FALLBACK_TILE: LocalTuning = { workgroupSize: 512, keysPerInvocation: 8 };

/**
 * The tile of the fallback passes of a sort by MSD. They have the same chunks, so their tiles are at most as
 * long as its own.
 */
function fallbackTile(
  { workgroupSize, keysPerInvocation, digitBits }: SubgroupTuning,
  msd: MsdTuning,
  words: 1 | 2,
  traits: DeviceTraits,
): LocalTuning {
  const most = msd.workgroupSize * msd.keysPerInvocation;
  const { workgroupSize: size, keysPerInvocation: room } = FALLBACK_TILE;
  if (
    size * room <= most &&
    supportsWorkgroup(size, traits.limits) &&
    room <= roomForKeys(size, digitBits, 4 * words, traits)
  ) {
    return FALLBACK_TILE;
  }
  const keys = Math.min(keysPerInvocation, Math.ceil(Math.min(2048, most) / workgroupSize));
  return { workgroupSize, keysPerInvocation: keys };
}
