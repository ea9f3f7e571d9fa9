import type { ElementType } from "../elements.js";
import { floorPowerOfTwo, type Limits } from "../plan/grid.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { SortOptions } from "./key.js";

/** How the keys are shared out. The families differ in who owns a chunk of keys and its column of counts, and how it works. */
export type RadixTuning = SerialTuning | WorkgroupTuning | SubgroupTuning;

/** A chunk is an invocation's. */
export interface SerialTuning {
  readonly family: "serial";
  readonly digitBits: number;
  /** Invocations; each has a counter of every digit in workgroup memory. */
  readonly workgroupSize: number;
  /** Chunks, at most: enough to keep all cores busy to the end. */
  readonly columns: number;
  /** Keys a chunk, at least: fewer are not worth their counters. */
  readonly leastKeys: number;
}

/** A chunk is a workgroup's, which needs nothing but workgroup memory and barriers. */
export interface WorkgroupTuning {
  readonly family: "workgroup";
  /** An even number. */
  readonly digitBits: number;
  /** Invocations; a power of two, at most the number of digits. */
  readonly workgroupSize: number;
  /** Keys that an invocation holds in registers; an odd number keeps its accesses off each other's memory banks. */
  readonly tileKeys: number;
  /** Chunks, at most: as many workgroups as the device runs at a time. */
  readonly columns: number;
}

/** A chunk is a workgroup's, which ranks its keys by subgroup ballots. */
export interface SubgroupTuning {
  readonly family: "subgroup";
  readonly digitBits: number;
  /** Invocations; at least the number of digits, and a multiple of the subgroup size. */
  readonly workgroupSize: number;
  readonly subgroupSize: number;
  /** Keys that an invocation holds in registers. */
  readonly tileKeys: number;
  /** Chunks, at most: as many workgroups as the device runs at a time. */
  readonly columns: number;
  /** Whether subgroups may be taken to run in lockstep: 17% faster, and not promised by WGSL. */
  readonly lockstep: boolean;
  /** Whether each workgroup adds up the others' counts itself: sooner done than a dispatch for it, while they are few. */
  readonly fusedScan: boolean;
  /** A tile in which a workgroup sorts by all digits: all keys if they fit, or else those of each topmost digit. */
  readonly local?: LocalTuning | undefined;
}

export interface LocalTuning {
  readonly workgroupSize: number;
  readonly tileKeys: number;
}

/** One row: what is best from so many keys on. Measured on an H200; see BENCHMARKS.md. */
interface SubgroupRow {
  /** Of a key in workgroup memory, through which its value follows it. */
  readonly words: 1 | 2;
  readonly values: boolean;
  readonly fromKeys: number;
  readonly workgroupSize: number;
  readonly tileKeys: number;
  readonly columns: number;
}

const subgroupRows: readonly SubgroupRow[] = [
  { words: 1, values: false, fromKeys: 2 ** 25, workgroupSize: 256, tileKeys: 36, columns: 528 },
  { words: 1, values: false, fromKeys: 2 ** 23, workgroupSize: 256, tileKeys: 32, columns: 528 },
  { words: 1, values: false, fromKeys: 2 ** 21, workgroupSize: 256, tileKeys: 14, columns: 528 },
  { words: 1, values: false, fromKeys: 0, workgroupSize: 256, tileKeys: 8, columns: 396 },
  { words: 1, values: true, fromKeys: 2 ** 25, workgroupSize: 256, tileKeys: 36, columns: 528 },
  { words: 1, values: true, fromKeys: 2 ** 23, workgroupSize: 256, tileKeys: 32, columns: 528 },
  { words: 1, values: true, fromKeys: 0, workgroupSize: 256, tileKeys: 8, columns: 396 },
  { words: 2, values: false, fromKeys: 2 ** 26, workgroupSize: 256, tileKeys: 18, columns: 528 },
  { words: 2, values: false, fromKeys: 2 ** 22, workgroupSize: 256, tileKeys: 18, columns: 396 },
  { words: 2, values: false, fromKeys: 0, workgroupSize: 512, tileKeys: 4, columns: 396 },
  { words: 2, values: true, fromKeys: 2 ** 22, workgroupSize: 256, tileKeys: 16, columns: 528 },
  { words: 2, values: true, fromKeys: 0, workgroupSize: 512, tileKeys: 4, columns: 396 },
];

/** The least tile in which a workgroup alone sorts up to so many keys, or a 256th of them, if they are spread evenly. */
interface LocalRow {
  readonly alone: number;
  readonly shared: number;
  readonly workgroupSize: number;
  readonly tileKeys: number;
}

const localRows: readonly LocalRow[] = [
  { alone: 0, shared: 2 ** 16, workgroupSize: 256, tileKeys: 2 },
  { alone: 2 ** 10, shared: 2 ** 17, workgroupSize: 256, tileKeys: 4 },
  { alone: 0, shared: 2 ** 18, workgroupSize: 256, tileKeys: 6 },
  { alone: 2 ** 11, shared: 0, workgroupSize: 256, tileKeys: 8 },
  { alone: 2 ** 12, shared: 2 ** 19, workgroupSize: 512, tileKeys: 8 },
  { alone: 2 ** 12, shared: 2 ** 19, workgroupSize: 256, tileKeys: 16 },
  { alone: 0, shared: 2 ** 20, workgroupSize: 512, tileKeys: 10 },
  { alone: 0, shared: 2 ** 20, workgroupSize: 256, tileKeys: 18 },
];

/** Columns up to which each workgroup adds up the counts itself, and how many there are where a local sort follows. */
const MOST_FUSED = 132;

/** Invocations whose counters fit the workgroup memory that every device has, 16 KiB. */
const MOST_SERIAL = 16;

/** Keys an invocation, at least, for tiles to be worth their counters. */
const LEAST_TILE_KEYS = 3;

/** Bytes of a key and its value, where they lie side by side in workgroup memory. */
export function slotBytes(type: ElementType, options: Pick<SortOptions, "payload"> = {}): number {
  return 4 * type.words + (options.payload ? 4 : 0);
}

/** Keys of so many bytes that an invocation may hold, by what workgroup memory the counters leave for the tile. */
function roomForKeys(
  workgroupSize: number,
  digitBits: number,
  bytes: number,
  { limits, subgroupSize }: DeviceTraits,
): number {
  const digits = 2 ** digitBits;
  const counters = (workgroupSize / subgroupSize.min) * digits * 4;
  const offsetsAndSums = digits * 4 + (digits / subgroupSize.min) * 4 + 16;
  const left = limits.maxComputeWorkgroupStorageSize - counters - offsetsAndSums;
  return Math.floor(left / (workgroupSize * bytes));
}

/** Narrow subgroups have too many counters for 256 digits. */
function subgroupDigitBits({ subgroupSize }: DeviceTraits): number {
  return subgroupSize.min >= 16 ? 8 : 6;
}

/** The invocations of a workgroup that any device of the subgroup family runs. */
const LEAST_WORKGROUP = 256;

function runs(workgroupSize: number, limits: Limits): boolean {
  return (
    workgroupSize <= limits.maxComputeInvocationsPerWorkgroup &&
    workgroupSize <= limits.maxComputeWorkgroupSizeX
  );
}

/** Whether the device has what the subgroup family needs: subgroups of one known size, and room for a tile of any type. */
export function subgroupsFit(traits: DeviceTraits): boolean {
  const { limits, subgroupSize, software, subgroups } = traits;
  return (
    subgroups &&
    !software &&
    subgroupSize.min === subgroupSize.max &&
    subgroupSize.min >= 8 &&
    subgroupSize.min <= 64 &&
    runs(LEAST_WORKGROUP, limits) &&
    roomForKeys(LEAST_WORKGROUP, subgroupDigitBits(traits), 8, traits) >= LEAST_TILE_KEYS
  );
}

/** The best that is known for a device, a type and a number of keys. */
export function radixTuning(
  keyCount: number,
  type: ElementType,
  traits: DeviceTraits,
  options: Pick<SortOptions, "payload" | "once"> = {},
): RadixTuning {
  if (traits.software) return serialTuning(keyCount, traits);
  if (subgroupsFit(traits)) return subgroupTuning(keyCount, type, traits, options);
  return workgroupTuning(slotBytes(type, options), traits);
}

/** Each invocation works alone: for a software adapter, which runs a workgroup's subgroups in turn. */
export function serialTuning(keyCount: number, traits: DeviceTraits): SerialTuning {
  // One subgroup a workgroup: it never waits. Few keys are shared out among few, or the counters outweigh them.
  const workgroupSize = Math.min(traits.subgroupSize.min, MOST_SERIAL);
  // Hardware takes this only where it is told to, and then needs many short walks, or its driver loses patience.
  const most = traits.software ? 128 : 65_536;
  const columns = Math.min(most, Math.max(32, Math.floor(keyCount / 8192)));
  return { family: "serial", digitBits: 8, workgroupSize, columns, leastKeys: 128 };
}

/** For hardware of which no more is known than WebGPU's own guarantees: everything within 16 KiB of workgroup memory. */
export function workgroupTuning(bytes: number, { limits }: DeviceTraits): WorkgroupTuning {
  const workgroupSize = Math.min(128, floorPowerOfTwo(limits.maxComputeInvocationsPerWorkgroup));
  const tileKeys = bytes <= 4 ? 11 : bytes <= 8 ? 7 : 5;
  return { family: "workgroup", digitBits: 8, workgroupSize, tileKeys, columns: 1024 };
}

/** For hardware whose subgroups have one known size. */
export function subgroupTuning(
  keyCount: number,
  type: ElementType,
  traits: DeviceTraits,
  options: Pick<SortOptions, "payload" | "once"> = {},
): SubgroupTuning {
  const { limits, subgroupSize, lockstep } = traits;
  const bytes = 4 * type.words;
  const digitBits = subgroupDigitBits(traits);
  const row = subgroupRows.find(
    (one) => one.words === type.words && one.values === Boolean(options.payload) && keyCount >= one.fromKeys,
  )!;
  const room = (size: number) => roomForKeys(size, digitBits, bytes, traits);
  const roomy = (size: number) => runs(size, limits) && room(size) >= LEAST_TILE_KEYS;
  const workgroupSize = roomy(row.workgroupSize) ? row.workgroupSize : LEAST_WORKGROUP;
  const tileKeys = Math.min(row.tileKeys, room(workgroupSize));
  const tiles = Math.ceil(keyCount / (workgroupSize * tileKeys));
  const local = localRows.find(
    (one) =>
      (keyCount <= one.alone || (keyCount > 2 ** 12 && keyCount <= one.shared)) &&
      runs(one.workgroupSize, limits) &&
      room(one.workgroupSize) >= one.tileKeys,
  );
  const alone = local !== undefined && keyCount <= local.workgroupSize * local.tileKeys;
  const isLocal = local !== undefined && (alone || !options.once);
  const columns = isLocal ? MOST_FUSED : row.columns;
  return {
    family: "subgroup",
    digitBits,
    workgroupSize,
    subgroupSize: subgroupSize.min,
    tileKeys,
    columns,
    lockstep,
    fusedScan: Math.min(tiles, columns) <= MOST_FUSED,
    local: isLocal ? pick(local) : undefined,
  };
}

function pick({ workgroupSize, tileKeys }: LocalRow): LocalTuning {
  return { workgroupSize, tileKeys };
}
