import { supportsWorkgroup } from "../../plan/grid.js";
import { type DeviceTraits, PROCESSORS, plannedSubgroups } from "../../plan/traits.js";

/** How all moves of a fallback but the first are made in one dispatch: see `fallbackPass`. */
export interface FallbackTuning {
  /** Invocations per workgroup; a multiple of the number of digit values. */
  readonly workgroupSize: number;
  /** Keys that an invocation holds in registers. */
  readonly keysPerInvocation: number;
  /** The most workgroups: as many as a device is expected to run at a time. */
  readonly workgroups: number;
  /** Spins of the first workgroup without a new one, after which those that have not begun are left out. */
  readonly spinLimit: number;
}

/** What a sort moves. */
export interface Moved {
  /** Words per key. */
  readonly words: 1 | 2;
  /** Whether a word moves with each key: its value, or its index. */
  readonly values: boolean;
}

/** How keys are sorted by the most significant digit first: see `msdPasses`. */
export interface MsdTuning {
  /** Bits of the topmost digit. */
  readonly digitBits: number;
  /** Invocations per workgroup of the scatter; a multiple of the number of digit values. */
  readonly workgroupSize: number;
  /** Keys that an invocation of the scatter holds in registers; at least 2. */
  readonly keysPerInvocation: number;
  /** The maximum number of chunks of the scatter by the topmost digit. */
  readonly columns: number;
  /**
   * How the fallback makes all moves but the first in one dispatch, whose workgroups wait for each other, if
   * one level sorts the keys. Only for devices with parallel forward progress. Undefined for a dispatch or two
   * for each move.
   */
  readonly fallback?: FallbackTuning | undefined;
  /** The second level; undefined for one level. */
  readonly second?: LevelTuning | undefined;
  /**
   * Keys that are sampled before all others are read, the second half of them only if the first half shows that
   * segments will not fit their tiles: a power of two, 2 or more. The fallback then begins immediately, or few
   * values are counted. Undefined for no sample.
   */
  readonly samples?: number | undefined;
  /**
   * Keys that each workgroup of the first count samples, if one level sorts the keys and that pass counts for
   * the fallback too, so that no pass may take a sample before it: a power of two, 2 or more. Undefined for
   * none. There is no sample for more than 255 chunks, whose outliers could not all be marked.
   */
  readonly rangeSamples?: number | undefined;
  /**
   * The most distinct values of samples for which keys alone are counted and written, and not moved: a power of
   * two, and at most the workgroup size of the local sort. Undefined for none.
   */
  readonly maxDistinct?: number | undefined;
  /** The tile of the local sort, in which one workgroup sorts a segment of the last level. */
  readonly local: SegmentTuning;
  /** The most workgroups of the local sort, each of which may sort several segments; 4,096 by default. */
  readonly localWorkgroups?: number | undefined;
}

/** The second level of a sort by the most significant digit first. Its scatter has the tiles of the first. */
export interface LevelTuning {
  /**
   * Bits of the digit that follows the topmost one; at most one digit value per invocation of the scatter.
   */
  readonly digitBits: number;
  /** Tiles of a chunk, which lies in one segment. */
  readonly tilesPerChunk: number;
  /**
   * The tile of a second local sort, for segments that do not fit the tile of the first. Undefined if there
   * is no second one.
   */
  readonly long?: SegmentTuning | undefined;
  /** How floats are remapped over the segments; only with `long`. Undefined for never. */
  readonly remap?: RemapTuning | undefined;
}

/** The regions of the table of the remap: REGIONS of wgsl/msd/remap/remap_word.wgsl. */
export const REMAP_REGIONS = 2 ** 12;

/** How floats are remapped by a table: see `remapPasses`. */
export interface RemapTuning {
  /** Keys that are counted to make the table: a power of two, and a multiple of `rows`. */
  readonly samples: number;
  /** Workgroups that count them. */
  readonly rows: number;
}

/** The tile of the workgroup that sorts a segment. */
export interface SegmentTuning {
  /** A power of two. */
  readonly workgroupSize: number;
  /** Keys that an invocation sorts by a network. There are networks for these numbers. */
  readonly keysPerInvocation: 3 | 5 | 9;
  /**
   * The maximum number of bits that choose a key's bin. There are at least twice as many bins as invocations.
   */
  readonly binBits: number;
}

/** The tiles of the local sort, the shortest first. */
export const msdLocals = {
  768: { workgroupSize: 256, keysPerInvocation: 3, binBits: 10 },
  1280: { workgroupSize: 256, keysPerInvocation: 5, binBits: 11 },
  2304: { workgroupSize: 256, keysPerInvocation: 9, binBits: 11 },
  3072: { workgroupSize: 1024, keysPerInvocation: 3, binBits: 11 },
  4608: { workgroupSize: 512, keysPerInvocation: 9, binBits: 11 },
  9216: { workgroupSize: 1024, keysPerInvocation: 9, binBits: 12 },
} as const;

/**
 * Whether to sort this number of integers by the most significant digit first: where no distribution that was
 * measured on an H100 or H200 lost more than 20% by it. Where most keys share their topmost digit, the stable
 * passes sort them after all, and up to 20 dispatches have been in vain. Others gain 1.1 to 3 times:
 * docs/notes/kernels.md has more. More than 2^27 keys with values were not measured.
 *
 * @param msd the settings that would be used.
 */
export function paysByMsd(keyCount: number, { words, values }: Moved, msd: MsdTuning): boolean {
  if (values) return keyCount <= 2 ** 27 && (words === 1 || keyCount >= TWO_WORDS_FROM);
  return words === 2 || keyCount <= 2 ** 20 || keyCount > MOST_IN_SHARED_CHUNKS || sharesChunks(msd);
}

/**
 * From this number of integers of two words with values on, an H200 takes a fifth less time by two levels where
 * keys are timestamps, and a fifth more for zipf keys.
 */
const TWO_WORDS_FROM = 2 ** 20;

/**
 * The most keys of one word that take a row whose fallback has the chunks of the scatter. With more, a fallback
 * in one dispatch gives each workgroup a third tile, so that few and zipf keys take a third longer than by the
 * stable passes. With fewer, other rows lose a quarter.
 */
const MOST_IN_SHARED_CHUNKS = 2 ** 21;

/** Keys that are sampled, where a late fallback costs more than a sample. */
const SAMPLES = 4096;

/**
 * Keys that each workgroup of a count samples: as many as most of them have invocations, which load one each.
 */
const RANGE_SAMPLES = 512;

/** Keys that a workgroup counts for the remap. */
const REMAP_ROW_SAMPLES = 2 ** 12;

/**
 * Keys that are counted for the remap: more where a segment's average is half of the longest.
 * With a quarter of them, segments of 2^27 normal and log-normal floats were too long at times.
 */
function remapSamples(keyCount: number): number {
  return keyCount > 2 ** 25 ? 2 ** 18 : 2 ** 16;
}

/**
 * The most distinct values that are counted: those of a byte. Each of them is among the samples, if all are
 * common.
 */
const MAX_DISTINCT = 256;

/**
 * The tuning table for one level. The first row applies that the device can run, and whose segments can be
 * expected to fit their tiles. Measured on an H200 by `npm run tune -- --family msd` or its timer (see
 * docs/notes/kernels.md); the rows for workgroups of 256, which it does not take, were not. Digits of the
 * fallback's length let the scatter make its first move: see `makesFirstFallbackMove`.
 */
const oneLevel: readonly MsdTuning[] = [
  { digitBits: 8, workgroupSize: 512, keysPerInvocation: 2, local: msdLocals[768], columns: 64 },
  { digitBits: 8, workgroupSize: 1024, keysPerInvocation: 4, local: msdLocals[1280], columns: 64 },
  { digitBits: 8, workgroupSize: 1024, keysPerInvocation: 4, local: msdLocals[2304], columns: 128 },
  { digitBits: 8, workgroupSize: 1024, keysPerInvocation: 4, local: msdLocals[4608], columns: 128 },
  { digitBits: 8, workgroupSize: 1024, keysPerInvocation: 4, local: msdLocals[9216], columns: 128 },
  { digitBits: 9, workgroupSize: 1024, keysPerInvocation: 8, local: msdLocals[9216], columns: 128 },
  { digitBits: 10, workgroupSize: 1024, keysPerInvocation: 8, local: msdLocals[9216], columns: 128 },
  { digitBits: 9, workgroupSize: 1024, keysPerInvocation: 4, local: msdLocals[4608], columns: 128 },
  { digitBits: 10, workgroupSize: 1024, keysPerInvocation: 4, local: msdLocals[4608], columns: 128 },
  { digitBits: 8, workgroupSize: 256, keysPerInvocation: 4, local: msdLocals[1280], columns: 64 },
  { digitBits: 8, workgroupSize: 256, keysPerInvocation: 8, local: msdLocals[2304], columns: 128 },
];

/**
 * The tuning table for two levels in short tiles, which hold keys of two words too. Measured on an H200 by
 * `npm run tune -- --family msd-2 --type u64` or its timer.
 */
const shortTiles: readonly MsdTuning[] = [
  level(6, [512, 4], 1280, { digitBits: 6, tilesPerChunk: 8 }),
  level(6, [1024, 4], 1280, { digitBits: 7, tilesPerChunk: 4 }),
  level(6, [1024, 4], 2304, { digitBits: 7, tilesPerChunk: 8 }),
  level(7, [1024, 4], 2304, { digitBits: 7, tilesPerChunk: 16 }),
  level(8, [1024, 4], 2304, { digitBits: 7, tilesPerChunk: 24 }),
  level(8, [1024, 4], 2304, { digitBits: 8, tilesPerChunk: 32 }),
  level(8, [1024, 4], 4608, { digitBits: 8, tilesPerChunk: 64 }),
];

/**
 * The tuning table for two levels of keys of one word. Measured on an H200 by `npm run tune -- --family msd-2`
 * or its timer.
 */
const longTiles: readonly MsdTuning[] = [
  level(6, [512, 9], 2304, { digitBits: 7, tilesPerChunk: 4 }),
  level(7, [512, 9], 2304, { digitBits: 7, tilesPerChunk: 16 }),
  level(8, [1024, 9], 2304, { digitBits: 7, tilesPerChunk: 10 }),
  level(8, [1024, 9], 2304, { digitBits: 8, tilesPerChunk: 19 }),
  level(8, [1024, 9], 4608, { digitBits: 8, tilesPerChunk: 29 }),
  ...shortTiles,
];

/**
 * The tuning table for two levels, if values or indices move with keys of one word. The scatters are stable.
 * Measured on an H200 by `npm run tune -- --family msd-2 --payload 4` or its timer.
 */
const stableLevels: readonly MsdTuning[] = [
  level(6, [512, 8], 1280, { digitBits: 6, tilesPerChunk: 2 }),
  level(6, [512, 8], 1280, { digitBits: 7, tilesPerChunk: 3 }),
  level(6, [512, 16], 2304, { digitBits: 7, tilesPerChunk: 2 }),
  level(7, [256, 36], 2304, { digitBits: 7, tilesPerChunk: 8 }),
  level(7, [256, 36], 4608, { digitBits: 7, tilesPerChunk: 8 }),
  level(7, [256, 36], 4608, { digitBits: 8, tilesPerChunk: 15 }),
  level(8, [256, 36], 4608, { digitBits: 8, tilesPerChunk: 15 }),
  level(7, [256, 16], 2304, { digitBits: 7, tilesPerChunk: 18 }),
  level(8, [256, 16], 2304, { digitBits: 8, tilesPerChunk: 34 }),
];

/**
 * The same for keys of two words. Their local sorts have short tiles, as more workgroups fit a processor then.
 * Measured on an H200 by its timer.
 */
const stableLevelsOfTwoWords: readonly MsdTuning[] = [
  level(6, [512, 4], 768, { digitBits: 6, tilesPerChunk: 1 }),
  level(6, [512, 8], 1280, { digitBits: 6, tilesPerChunk: 2 }),
  level(6, [512, 8], 1280, { digitBits: 7, tilesPerChunk: 3 }),
  level(7, [256, 16], 1280, { digitBits: 7, tilesPerChunk: 12 }),
  level(7, [256, 16], 1280, { digitBits: 8, tilesPerChunk: 24 }),
  level(8, [256, 16], 1280, { digitBits: 8, tilesPerChunk: 34 }),
  level(8, [256, 16], 2304, { digitBits: 8, tilesPerChunk: 34 }),
];

function level(
  digitBits: number,
  [workgroupSize, keysPerInvocation]: readonly [number, number],
  tile: keyof typeof msdLocals,
  second: LevelTuning,
): MsdTuning {
  const local = msdLocals[tile];
  return { digitBits, workgroupSize, keysPerInvocation, columns: 2 * PROCESSORS, second, local };
}

/**
 * By how many standard deviations a tile is longer than the average segment of uniformly random keys. The
 * length of a segment then has about a Poisson distribution.
 */
const MARGIN = 5.6;

/**
 * From this number of keys of two words on, two levels are at most 2% slower than one where keys are random,
 * and remapped floats in [0,1) in three quarters of the time. With half a million keys less, random floats
 * would lose a fifth.
 */
const TWO_LEVELS_FROM = 5 * 2 ** 19;

/** The rows that may apply to a number of keys, in order. */
function rowsFor(keyCount: number, { words, values }: Moved): readonly MsdTuning[] {
  if (values && words === 2) return stableLevelsOfTwoWords;
  if (values) return [...oneLevel.filter(sharesChunks), ...stableLevels];
  if (words === 1) {
    const first = keyCount <= MOST_IN_SHARED_CHUNKS ? oneLevel : oneLevel.filter((row) => !sharesChunks(row));
    return [...first, ...longTiles];
  }
  return keyCount < TWO_LEVELS_FROM ? [...oneLevel, ...shortTiles] : shortTiles;
}

/** The settings for a number of keys on a device; undefined if no row applies. */
export function msdTuning(keyCount: number, moved: Moved, device: DeviceTraits): MsdTuning | undefined {
  const rows = rowsFor(keyCount, moved).map((row) => withLong(row, moved, device));
  const row = rows.find((row) => {
    const { digitBits, second, local } = row;
    const average = keyCount / 2 ** (digitBits + (second?.digitBits ?? 0));
    return (
      fitsSegments(average, local) &&
      isRunnable(local, itemWords(row, moved), device) &&
      supportsWorkgroup(row.workgroupSize, device.limits) &&
      scatterBytes(row, moved, device) <= device.limits.maxComputeWorkgroupStorageSize
    );
  });
  return row && asTuned(row, keyCount, moved, device);
}

/** Whether all segments of uniformly random keys can be expected to fit a tile. */
function fitsSegments(average: number, { workgroupSize, keysPerInvocation }: SegmentTuning): boolean {
  return average + MARGIN * Math.sqrt(average) <= workgroupSize * keysPerInvocation;
}

/** Tiles of a local sort, and those of a second one, about twice as long, for segments that do not fit them. */
const longerTiles: readonly (readonly [short: SegmentTuning, long: SegmentTuning])[] = [
  [msdLocals[768], msdLocals[1280]],
  [msdLocals[1280], msdLocals[2304]],
  [msdLocals[2304], msdLocals[4608]],
  [msdLocals[4608], msdLocals[9216]],
];

/**
 * The row, and at two levels also tiles for long segments, if the device can run them: for keys that are denser
 * in a part of their range, such as times by day.
 */
function withLong(row: MsdTuning, moved: Moved, device: DeviceTraits): MsdTuning {
  if (!row.second) return row;
  const long = longerTiles.find(([short]) => short === row.local)?.[1];
  return long && isRunnable(long, itemWords(row, moved), device)
    ? { ...row, second: { ...row.second, long } }
    : row;
}

/** Whether a device can run a local sort. */
function isRunnable(local: SegmentTuning, words: number, device: DeviceTraits): boolean {
  const { limits } = device;
  return (
    supportsWorkgroup(local.workgroupSize, limits) &&
    localBytes(local, words, device) <= limits.maxComputeWorkgroupStorageSize
  );
}

/** The settings of a row of the tables: what it is sampled by, and how its fallback moves. */
export function asTuned(row: MsdTuning, keyCount: number, moved: Moved, device: DeviceTraits): MsdTuning {
  if (sharesChunks(row)) {
    return { ...row, rangeSamples: RANGE_SAMPLES, fallback: fallbackTuning(keyCount, moved, device) };
  }
  const isRoomForDistinct =
    lowCardinalityBytes(row, moved, device) <= device.limits.maxComputeWorkgroupStorageSize;
  return {
    ...row,
    samples: SAMPLES,
    maxDistinct: !moved.values && isRoomForDistinct ? MAX_DISTINCT : undefined,
  };
}

/** The most workgroups: one of 1,024 invocations for each processor, so that all run at a time. */
const FALLBACK_WORKGROUPS = PROCESSORS;

/**
 * Spins of the first workgroup of a fallback, one load from memory each. Where not all workgroups run at a
 * time, all wait for this number of them.
 */
const ENTRY_SPIN_LIMIT = 32;

/**
 * Values of the fallback's digits. Only devices in lockstep take it, whose subgroups have 32 invocations: so
 * digits have 8 bits.
 */
const FALLBACK_DIGITS = 256;

/**
 * The tiles of fallbacks in one dispatch for keys of one word, and those for two words, the shortest first.
 * `npm run tune -- --rows` times them.
 */
const fallbackTiles = {
  1: [
    { workgroupSize: 512, keysPerInvocation: 4 },
    { workgroupSize: 1024, keysPerInvocation: 8 },
  ],
  2: [
    { workgroupSize: 512, keysPerInvocation: 2 },
    { workgroupSize: 1024, keysPerInvocation: 4 },
  ],
} as const;

/**
 * How a number of keys is moved in one dispatch: in the shortest tile of which each workgroup has at most one,
 * or else in the longest that the device can run. Undefined on a device that cannot.
 */
function fallbackTuning(
  keyCount: number,
  { words }: Moved,
  device: DeviceTraits,
): FallbackTuning | undefined {
  if (!device.parallelProgress || !device.lockstep) return undefined;
  const { limits } = device;
  const tiles = fallbackTiles[words].filter(
    (tile) =>
      supportsWorkgroup(tile.workgroupSize, limits) &&
      fallbackBytes(tile, words, device) <= limits.maxComputeWorkgroupStorageSize,
  );
  const tile =
    tiles.find(
      ({ workgroupSize, keysPerInvocation }) =>
        workgroupSize * keysPerInvocation * FALLBACK_WORKGROUPS >= keyCount,
    ) ?? tiles.at(-1);
  return tile && { ...tile, workgroups: FALLBACK_WORKGROUPS, spinLimit: ENTRY_SPIN_LIMIT };
}

/** Bytes of workgroup memory of wgsl/msd/fallback/radix_fallback.wgsl. */
function fallbackBytes(
  { workgroupSize, keysPerInvocation }: Pick<FallbackTuning, "workgroupSize" | "keysPerInvocation">,
  words: 1 | 2,
  device: DeviceTraits,
): number {
  const counters = (workgroupSize / plannedSubgroups(device).size) * FALLBACK_DIGITS;
  const shared = Math.max(counters, workgroupSize * keysPerInvocation * words);
  return 4 * (shared + 3 * FALLBACK_DIGITS + sumWords(workgroupSize, device));
}

/**
 * From this number of floats of one word on, those that can be remapped take less time than by the stable
 * passes. Of 12 million, those in [0,1) would gain 4%, and what cannot be remapped would lose a fifth.
 */
const REMAP_FROM = 13 * 2 ** 20;

/**
 * From this number of floats of two words with values on, those that can be remapped take four fifths of the
 * time of the stable passes, and half of it from 2^23 on. Half-equal ones take a quarter more, and 5% more of
 * 2^24.
 */
const REMAP_WITH_VALUES_FROM = 3 * 2 ** 19;

/** Of more floats with values, segments would exceed tiles of three words an item. */
const REMAP_WITH_VALUES_UP_TO = 2 ** 26;

/**
 * The same settings, but floats are remapped over the segments of two levels. Most floats share their topmost
 * digit, so without a remap they are not sorted by the most significant digit first. Those that are no random
 * bits take half to two thirds of the time of the stable passes by it if they have two words, and five sixths
 * to eleven twelfths if they have one. Those of one word with values would take 0.9, and half-equal ones 1.1:
 * they are left to the stable passes.
 *
 * @returns undefined where the stable passes are faster, or if the device cannot run it.
 */
export function withRemap(
  keyCount: number,
  msd: MsdTuning,
  moved: Moved,
  device: DeviceTraits,
): MsdTuning | undefined {
  const { limits } = device;
  const { words, values } = moved;
  const long = values ? msdLocals[3072] : msdLocals[4608];
  // A key and its position are sorted as three words.
  const sortedWords = values ? words + 1 : words;
  const isRoomForTable = 4 * REMAP_REGIONS <= limits.maxComputeWorkgroupStorageSize;
  if (!msd.second || (words === 1 && (values || keyCount < REMAP_FROM))) return undefined;
  if (values && (keyCount < REMAP_WITH_VALUES_FROM || keyCount > REMAP_WITH_VALUES_UP_TO)) return undefined;
  const areRunnable = [msd.local, long].every((local) => isRunnable(local, sortedWords, device));
  if (!isRoomForTable || !areRunnable) return undefined;
  const samples = remapSamples(keyCount);
  const remap = { samples, rows: samples / REMAP_ROW_SAMPLES };
  return { ...msd, second: { ...msd.second, long, remap } };
}

/** Words of what a local sort sorts: a key and its index, an item with its position as wide as a key, or a key. */
function itemWords({ second }: MsdTuning, { words, values }: Moved): number {
  return values && !second ? words + 1 : words;
}

/**
 * Whether the fallback has the chunks of the scatter, so that one pass counts for both. Its workgroups add up
 * the counts themselves, without a scan pass, which is slower for many keys.
 */
export function sharesChunks({ digitBits, second }: MsdTuning): boolean {
  return !second && digitBits <= 8;
}

/** The keys of which a scatter writes whole sectors of 32 bytes. */
export function sectorKeys(words: 1 | 2): number {
  return 8 / words;
}

/**
 * Words of workgroup memory for the sums of subgroups, of one size of at least 8 or of any size, and a few
 * more.
 */
function sumWords(workgroupSize: number, device: DeviceTraits): number {
  return (plannedSubgroups(device).varies ? workgroupSize : 1024 / 8) + 8;
}

/** Bytes of workgroup memory of wgsl/msd/msd_scatter.wgsl, msd_aligned_scatter.wgsl or radix_scatter.wgsl. */
function scatterBytes(row: MsdTuning, moved: Moved, device: DeviceTraits): number {
  const { digitBits, second, workgroupSize, keysPerInvocation } = row;
  const tile = workgroupSize * keysPerInvocation;
  const digits = 2 ** Math.max(digitBits, second?.digitBits ?? 0);
  const sums = sumWords(workgroupSize, device);
  if (!second) return 4 * (3 * digits + tile * itemWords(row, moved) + sums);
  if (moved.values) {
    return 4 * ((workgroupSize / plannedSubgroups(device).size + 1) * digits + tile * moved.words + sums);
  }
  return 4 * (4 * digits + (tile + digits * (sectorKeys(moved.words) - 1)) * moved.words + sums);
}

/** Words of the counters of bins: see wgsl/msd/bins.wgsl. */
export function binWords({ binBits }: SegmentTuning): number {
  const words = 2 ** (binBits - 1);
  return words + words / 32;
}

/** Bytes of workgroup memory of wgsl/msd/msd_local.wgsl. */
function localBytes(local: SegmentTuning, words: number, device: DeviceTraits): number {
  const { workgroupSize, keysPerInvocation } = local;
  const slots = (workgroupSize + 1) * keysPerInvocation * words;
  return 4 * (slots + binWords(local) + sumWords(workgroupSize, device));
}

/** The maximum number of bits of a digit in the tables. The programs that count digits have room for all its values. */
export const MAX_DIGIT_BITS = 10;

/** Bytes of workgroup memory of the kernels that list the distinct values, count them, and write them. */
function lowCardinalityBytes({ local }: MsdTuning, { words }: Moved, device: DeviceTraits): number {
  const listed = 4 * (2 ** MAX_DIGIT_BITS + SAMPLES / 2 + (4 + words) * MAX_DISTINCT + 16);
  const counted = 4 * (2 ** MAX_DIGIT_BITS + (8 + 4 + 4 * words) * MAX_DISTINCT + 16);
  return Math.max(listed, counted, localBytes(local, words, device) + 4 * MAX_DISTINCT);
}
