import type { ElementType } from "../elements.js";
import type { DeviceTraits } from "../plan/traits.js";

export const DIGIT_BITS = 8;
export const DIGITS = 2 ** DIGIT_BITS;

/** How the keys are shared out. The two families differ in who owns a chunk of keys and its column of counts. */
export type RadixTuning = SerialTuning | GroupTuning;

/** A chunk is an invocation's. */
export interface SerialTuning {
  readonly family: "serial";
  /** Invocations; each has a counter of every digit in workgroup memory, 1 KiB in all. */
  readonly workgroupSize: number;
  /** Chunks, at most: enough to keep all cores busy to the end. */
  readonly columns: number;
  /** Keys a chunk, at least: fewer are not worth their counters. */
  readonly leastKeys: number;
}

/** A chunk is a workgroup's. */
export interface GroupTuning {
  readonly family: "group";
  /** Invocations; at least DIGITS, and a multiple of the subgroup size. */
  readonly workgroupSize: number;
  /** At most 32, so that a ballot is one word. */
  readonly subgroupSize: number;
  /** Keys that an invocation holds in registers. */
  readonly tileKeys: number;
  /** Chunks, at most: as many workgroups as the device runs at a time. */
  readonly columns: number;
  /** Whether subgroups may be taken to run in lockstep: 17% faster, and not promised by WGSL. */
  readonly lockstep: boolean;
}

/** One row: what is best from so many keys on. Measured on an H200; see BENCHMARKS.md. */
interface GroupRow {
  readonly bytes: number;
  readonly fromKeys: number;
  readonly workgroupSize: number;
  readonly tileKeys: number;
  readonly columns: number;
}

const groupRows: readonly GroupRow[] = [
  { bytes: 4, fromKeys: 2 ** 25, workgroupSize: 256, tileKeys: 36, columns: 528 },
  { bytes: 4, fromKeys: 2 ** 23, workgroupSize: 512, tileKeys: 14, columns: 396 },
  { bytes: 4, fromKeys: 2 ** 21, workgroupSize: 256, tileKeys: 14, columns: 528 },
  { bytes: 4, fromKeys: 0, workgroupSize: 256, tileKeys: 8, columns: 396 },
  { bytes: 8, fromKeys: 2 ** 26, workgroupSize: 256, tileKeys: 18, columns: 528 },
  { bytes: 8, fromKeys: 2 ** 22, workgroupSize: 256, tileKeys: 16, columns: 528 },
  { bytes: 8, fromKeys: 0, workgroupSize: 512, tileKeys: 4, columns: 396 },
];

/** Invocations whose counters fit the workgroup memory that every device has, 16 KiB. */
const MOST_SERIAL = 16;

/** Keys an invocation, at least, for tiles to be worth their counters. */
const LEAST_TILE_KEYS = 3;

/** Keys of so many bytes that an invocation may hold, by what workgroup memory the counters leave for the tile. */
function roomForKeys(workgroupSize: number, bytes: number, { limits, subgroupSize }: DeviceTraits): number {
  const subgroups = workgroupSize / subgroupSize.min;
  const counters = subgroups * DIGITS * 4;
  const offsetsAndSums = DIGITS * 4 + (DIGITS / subgroupSize.min) * 4;
  const left = limits.maxComputeWorkgroupStorageSize - counters - offsetsAndSums;
  return Math.floor(left / (workgroupSize * bytes));
}

/** Whether the device has what the group family needs: subgroups of one known size, and room for a tile of any type. */
export function groupsFit(traits: DeviceTraits): boolean {
  const { limits, subgroupSize, software, subgroups } = traits;
  return (
    subgroups &&
    !software &&
    subgroupSize.min === subgroupSize.max &&
    subgroupSize.min >= 16 &&
    subgroupSize.min <= 32 &&
    limits.maxComputeInvocationsPerWorkgroup >= DIGITS &&
    limits.maxComputeWorkgroupSizeX >= DIGITS &&
    roomForKeys(DIGITS, 8, traits) >= LEAST_TILE_KEYS
  );
}

/** The best that is known for a device, a type and a number of keys. */
export function radixTuning(keyCount: number, type: ElementType, traits: DeviceTraits): RadixTuning {
  if (!groupsFit(traits)) {
    // One subgroup a workgroup: it never waits. Few keys are shared out among few, or the counters outweigh them.
    const workgroupSize = Math.min(traits.subgroupSize.min, MOST_SERIAL);
    // Hardware takes this only where it is told to, and then needs many short walks, or its driver loses patience.
    const most = traits.software ? 128 : 65_536;
    const columns = Math.min(most, Math.max(32, Math.floor(keyCount / 8192)));
    return { family: "serial", workgroupSize, columns, leastKeys: 128 };
  }
  const row = groupRows.find(({ bytes, fromKeys }) => bytes === type.bytes && keyCount >= fromKeys)!;
  const runs = (workgroupSize: number) =>
    workgroupSize <= traits.limits.maxComputeInvocationsPerWorkgroup &&
    workgroupSize <= traits.limits.maxComputeWorkgroupSizeX &&
    roomForKeys(workgroupSize, type.bytes, traits) >= LEAST_TILE_KEYS;
  const workgroupSize = runs(row.workgroupSize) ? row.workgroupSize : DIGITS;
  return {
    family: "group",
    workgroupSize,
    subgroupSize: traits.subgroupSize.min,
    tileKeys: Math.min(row.tileKeys, roomForKeys(workgroupSize, type.bytes, traits)),
    columns: row.columns,
    lockstep: traits.lockstep,
  };
}
