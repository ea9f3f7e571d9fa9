import type { ElementType } from "../../elements.js";
import { floorPowerOfTwo, supportsWorkgroup } from "../../plan/grid.js";
import { type DeviceTraits, PROCESSORS, plannedSubgroups } from "../../plan/traits.js";
import type { SortOptions } from "../key.js";
import type { MsdTuning } from "../msd/msd_tuning.js";
import type { OneWorkgroupTuning } from "./one_workgroup_tuning.js";

/**
 * How a radix sort cuts its keys into chunks, and the family of kernels that processes them: see `radixPlan`.
 */
export type RadixTuning = SerialTuning | WorkgroupTuning | SubgroupTuning;

/** An invocation owns a chunk and processes it key by key. */
export interface SerialTuning {
  /** The kernels in which each invocation works alone. */
  readonly family: "serial";
  /** Bits per digit. */
  readonly digitBits: number;
  /** Invocations per workgroup. Each has one counter per digit value in workgroup memory. */
  readonly workgroupSize: number;
  /** Maximum number of chunks: enough to keep all cores busy until the end. */
  readonly columns: number;
  /** Minimum number of keys per chunk. The counters of a smaller chunk would take longer than its keys. */
  readonly minKeysPerChunk: number;
}

/** A workgroup owns a chunk. It ranks keys by counters and needs only workgroup memory and barriers. */
export interface WorkgroupTuning {
  /** The kernels that need no subgroups. */
  readonly family: "workgroup";
  /** Bits per digit; an even number. */
  readonly digitBits: number;
  /** Invocations per workgroup; a power of two, at most the number of digit values. */
  readonly workgroupSize: number;
  /** Keys that an invocation holds in registers. An odd number avoids bank conflicts between invocations. */
  readonly keysPerInvocation: number;
  /** Maximum number of chunks: as many workgroups as the device runs at a time. */
  readonly columns: number;
}

/** A workgroup owns a chunk and ranks its keys by subgroup ballots. */
export interface SubgroupTuning {
  /** The kernels that use subgroups of at least 8 invocations. */
  readonly family: "subgroup";
  /** Bits per digit. */
  readonly digitBits: number;
  /** Invocations per workgroup; at least the number of digit values, and a multiple of the subgroup size. */
  readonly workgroupSize: number;
  /** Invocations per subgroup, at most 64. */
  readonly subgroupSize: number;
  /**
   * Whether the device may run the kernels with subgroups of other sizes. They then find the size when they
   * run, and treat `subgroupSize` neighbouring invocations as one subgroup: see wgsl/shared/subgroup.wgsl.
   * The default is false.
   */
  readonly sizeVaries?: boolean | undefined;
  /** Keys that an invocation holds in registers. */
  readonly keysPerInvocation: number;
  /** Maximum number of chunks: as many workgroups as the device runs at a time. */
  readonly columns: number;
  /**
   * Whether the kernels rely on subgroups that run in lockstep. That is 17% faster, but WGSL does not
   * guarantee it.
   */
  readonly lockstep: boolean;
  /**
   * Whether each workgroup adds up the counts itself, without a scan pass. That is faster if there are few
   * columns.
   */
  readonly fusedScan: boolean;
  /** The tile of the local sort, if one workgroup sorts all keys; it then holds them. Else undefined. */
  readonly local?: LocalTuning | undefined;
  /**
   * The tile of one workgroup that sorts all keys, if they need not stay in order where they are equal.
   * Undefined for no such sort.
   */
  readonly oneWorkgroup?: OneWorkgroupTuning | undefined;
  /** How keys are sorted by the most significant digit first. Undefined for a sort without. */
  readonly msd?: MsdTuning | undefined;
}

/** The tile of a workgroup: as many keys as its two numbers multiplied. */
export interface LocalTuning {
  /** Invocations per workgroup. */
  readonly workgroupSize: number;
  /** Keys that an invocation holds in registers. */
  readonly keysPerInvocation: number;
}

/**
 * A row of the tuning table: the best settings for at least `fromKeys` keys. The first row that matches
 * applies.
 */
interface SubgroupRow {
  readonly fromKeys: number;
  readonly workgroupSize: number;
  readonly keysPerInvocation: number;
  readonly columns: number;
}

/**
 * The tables for keys alone and for keys with values or indices, by the words per key. Values are exchanged
 * through the same workgroup memory as keys, so they take no more of it. Measured on an H200 by
 * `npm run tune -- --family subgroup` or its timer: see docs/notes/kernels.md.
 */
const subgroupRows: Record<"keys" | "values", Record<1 | 2, readonly SubgroupRow[]>> = {
  keys: {
    1: [
      { fromKeys: 13 * 2 ** 20, workgroupSize: 256, keysPerInvocation: 32, columns: 4 * PROCESSORS },
      { fromKeys: 5 * 2 ** 19, workgroupSize: 256, keysPerInvocation: 14, columns: 4 * PROCESSORS },
      { fromKeys: 0, workgroupSize: 256, keysPerInvocation: 8, columns: 2 * PROCESSORS },
    ],
    2: [
      { fromKeys: 2 ** 26, workgroupSize: 256, keysPerInvocation: 18, columns: 4 * PROCESSORS },
      { fromKeys: 5 * 2 ** 19, workgroupSize: 256, keysPerInvocation: 18, columns: 3 * PROCESSORS },
      { fromKeys: 0, workgroupSize: 256, keysPerInvocation: 4, columns: 2 * PROCESSORS },
    ],
  },
  values: {
    1: [
      { fromKeys: 2 ** 25, workgroupSize: 256, keysPerInvocation: 36, columns: 4 * PROCESSORS },
      { fromKeys: 2 ** 23, workgroupSize: 256, keysPerInvocation: 32, columns: 4 * PROCESSORS },
      { fromKeys: 2 ** 22, workgroupSize: 256, keysPerInvocation: 32, columns: 3 * PROCESSORS },
      { fromKeys: 5 * 2 ** 19, workgroupSize: 256, keysPerInvocation: 14, columns: 4 * PROCESSORS },
      { fromKeys: 0, workgroupSize: 256, keysPerInvocation: 8, columns: 2 * PROCESSORS },
    ],
    2: [
      { fromKeys: 2 ** 22, workgroupSize: 256, keysPerInvocation: 16, columns: 4 * PROCESSORS },
      { fromKeys: 3 * 2 ** 19, workgroupSize: 256, keysPerInvocation: 16, columns: 2 * PROCESSORS },
      { fromKeys: 0, workgroupSize: 256, keysPerInvocation: 4, columns: 2 * PROCESSORS },
    ],
  },
};

/**
 * The tiles in which one workgroup sorts all keys. The first that holds them and that the device can run
 * applies. `npm run tune -- --family local` times them.
 */
const localTiles: readonly LocalTuning[] = [
  { workgroupSize: 256, keysPerInvocation: 4 },
  { workgroupSize: 256, keysPerInvocation: 8 },
  { workgroupSize: 512, keysPerInvocation: 8 },
  { workgroupSize: 256, keysPerInvocation: 16 },
];

/** With at most this many columns, each workgroup adds up the counts itself. */
const MAX_FUSED_COLUMNS = PROCESSORS / 2;

/**
 * Maximum number of invocations per serial workgroup. Their counters fit 16 KiB of workgroup memory, which
 * every device has.
 */
const MAX_SERIAL_INVOCATIONS = 16;

/** Minimum number of keys per invocation. The counters of a smaller tile would take longer than its keys. */
const MIN_KEYS_PER_INVOCATION = 3;

/**
 * The most words of keys that an invocation of a sort that runs once handles at a time. With 36 words, an
 * H200 sorted 2^28 keys in 6.2 ms instead of 11.6, but its driver compiled 0.5 s longer, and Dawn 40 ms longer
 * each time.
 */
const ONCE_WORDS = 8;

/** Bytes of workgroup memory per key and its value, for a kernel that holds both there at the same time. */
export function slotBytes(type: ElementType, options: Pick<SortOptions, "payload"> = {}): number {
  return 4 * type.words + (options.payload ? 4 : 0);
}

/**
 * The maximum number of keys per invocation: the tile must fit the workgroup memory that the counters leave
 * free.
 */
export function roomForKeys(
  workgroupSize: number,
  digitBits: number,
  bytes: number,
  traits: DeviceTraits,
): number {
  const digits = 2 ** digitBits;
  const { size, varies } = plannedSubgroups(traits);
  const counters = (workgroupSize / size) * digits * 4;
  const offsetsAndSums = digits * 4 + (varies ? workgroupSize : digits / size) * 4 + 16;
  const tileBytes = traits.limits.maxComputeWorkgroupStorageSize - counters - offsetsAndSums;
  return Math.floor(tileBytes / (workgroupSize * bytes));
}

/**
 * Bits per digit. Every subgroup has its own counters. A workgroup of narrow subgroups has too many of them
 * for 256 counters each.
 */
function subgroupDigitBits(traits: DeviceTraits): number {
  return plannedSubgroups(traits).size >= 16 ? 8 : 6;
}

/** Smaller subgroups would need too many counters. */
const MIN_SUBGROUP = 8;

/** The workgroup size that every device of the subgroup family supports. */
const MIN_WORKGROUP = 256;

/**
 * Whether to use the subgroup family on the device: it has subgroups that are not too small, and memory for a
 * tile of any type.
 */
export function subgroupsFit(traits: DeviceTraits): boolean {
  const { limits, software, subgroups } = traits;
  return (
    subgroups &&
    !software &&
    plannedSubgroups(traits).size >= MIN_SUBGROUP &&
    supportsWorkgroup(MIN_WORKGROUP, limits) &&
    roomForKeys(MIN_WORKGROUP, subgroupDigitBits(traits), 8, traits) >= MIN_KEYS_PER_INVOCATION
  );
}

/** The options of a sort that its tuning depends on. */
export type TunedOptions = Pick<SortOptions, "payload" | "once" | "bits" | "counted">;

/** The best known tuning for sorts by the least significant digit first alone. */
export function lsdTuning(
  keyCount: number,
  type: ElementType,
  traits: DeviceTraits,
  options: TunedOptions = {},
): RadixTuning {
  if (traits.software) return serialTuning(keyCount, traits);
  if (subgroupsFit(traits)) return subgroupTuning(keyCount, type, traits, options);
  return workgroupTuning(slotBytes(type, options), traits);
}

/** The tuning for software adapters, which run the subgroups of a workgroup one after another. */
export function serialTuning(keyCount: number, traits: DeviceTraits): SerialTuning {
  // A workgroup is one subgroup, so it never waits for another.
  const workgroupSize = Math.min(traits.subgroupSize.min, MAX_SERIAL_INVOCATIONS);
  // Hardware uses this family only on request. It then needs many short chunks, because a long dispatch would
  // exceed the driver's time limit.
  const maxColumns = traits.software ? 128 : 65_536;
  // Few keys get few chunks: the counters of a small chunk would take longer than its keys.
  const columns = Math.min(maxColumns, Math.max(32, Math.floor(keyCount / 8192)));
  return { family: "serial", digitBits: 8, workgroupSize, columns, minKeysPerChunk: 128 };
}

/**
 * The tuning for hardware that offers no more than WebGPU guarantees. It needs at most 16 KiB of workgroup
 * memory.
 */
export function workgroupTuning(bytes: number, { limits }: DeviceTraits): WorkgroupTuning {
  const workgroupSize = Math.min(128, floorPowerOfTwo(limits.maxComputeInvocationsPerWorkgroup));
  const keysPerInvocation = bytes <= 4 ? 11 : bytes <= 8 ? 7 : 5;
  return { family: "workgroup", digitBits: 8, workgroupSize, keysPerInvocation, columns: 1024 };
}

/** The tuning for hardware with suitable subgroups. */
function subgroupTuning(
  keyCount: number,
  type: ElementType,
  traits: DeviceTraits,
  options: TunedOptions,
): SubgroupTuning {
  const { limits, lockstep } = traits;
  const { size, varies } = plannedSubgroups(traits);
  const bytes = 4 * type.words;
  const digitBits = subgroupDigitBits(traits);
  const rows = subgroupRows[options.payload ? "values" : "keys"][type.words];
  const row = rows.find(({ fromKeys }) => keyCount >= fromKeys)!;
  const room = (size: number) => roomForKeys(size, digitBits, bytes, traits);
  const canRun = (size: number) => supportsWorkgroup(size, limits) && room(size) >= MIN_KEYS_PER_INVOCATION;
  const workgroupSize = canRun(row.workgroupSize) ? row.workgroupSize : MIN_WORKGROUP;
  const most = options.once ? Math.floor(ONCE_WORDS / type.words) : row.keysPerInvocation;
  const keysPerInvocation = Math.min(row.keysPerInvocation, most, room(workgroupSize));
  const tiles = Math.ceil(keyCount / (workgroupSize * keysPerInvocation));
  const { columns } = row;
  return {
    family: "subgroup",
    digitBits,
    workgroupSize,
    subgroupSize: size,
    sizeVaries: varies,
    keysPerInvocation,
    columns,
    lockstep: lockstep && !varies,
    fusedScan: Math.min(tiles, columns) <= MAX_FUSED_COLUMNS,
    local: localTiles.find(
      (tile) =>
        fitsTile(keyCount, tile) &&
        supportsWorkgroup(tile.workgroupSize, limits) &&
        room(tile.workgroupSize) >= tile.keysPerInvocation,
    ),
  };
}

/** Whether all keys fit the tile of a local sort, so that one workgroup sorts them. */
export function fitsTile(keyCount: number, local: LocalTuning | undefined): local is LocalTuning {
  return local !== undefined && keyCount <= local.workgroupSize * local.keysPerInvocation;
}
