import type { ElementType } from "../../elements.js";
import { linearGrid } from "../../plan/grid.js";
import { arrayBytes, type BufferSpec, bufferBytes, type Pass } from "../../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits, plannedSubgroups } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import {
  allBits,
  comparedParts,
  keyParts,
  maskOf,
  requireKeyCount,
  type SegmentCounts,
  type SortOptions,
  type SortPlan,
  showsTies,
  type ValuesVariant,
} from "../key.js";
import { GATHERED, gatherPasses, packPasses } from "../radix/convert_and_gather.js";
import { GROUP_COUNTS, placeBindings } from "../radix/radix_parts.js";
import {
  HEAD_WORDS,
  LISTS,
  type Lists,
  type ListsTuning,
  listBytes,
  listedPasses,
  listerConstants,
  listsOf,
  listsTuning,
  SEGMENTS,
} from "./segments_lists.js";

/** The buffer of what segments_plan finds for each window: see wgsl/segments/segments_ends.wgsl. */
const ENDS = "segment_ends";
/** Offsets that the plan loads at once: a binary search would wait for three times as many. */
const PROBES = 7;

/** The sizes of a segmented sort. */
export interface SegmentsTuning {
  /** Invocations per workgroup of the plan. */
  readonly workgroupSize: number;
  /** Invocations per workgroup of the sort of windows. */
  readonly sortWorkgroupSize: number;
  /**
   * Keys that an invocation of that sort has in registers. There are networks for these numbers. Serial kernels
   * have no such keys.
   */
  readonly keysPerInvocation?: 8 | 16 | undefined;
  /** Keys that an invocation of that sort loads at once; by default one. */
  readonly loadsAtOnce?: number | undefined;
  /**
   * Invocations per subgroup of that sort, if neighbouring lanes of these sort a segment in their registers. 0
   * or undefined to sort by passes over workgroup memory, as is always done if a window may hold longer
   * segments.
   */
  readonly subgroupSize?: number | undefined;
  /** Keys per window. */
  readonly windowKeys: number;
  /** A segment of at most this many keys is sorted with the window that it begins in. */
  readonly shortKeys: number;
  /** How longer segments are sorted. If by serial kernels, an invocation sorts a window, without the others. */
  readonly lists: ListsTuning;
}

/** Comparators of the sorting networks: see wgsl/shared/network.wgsl. */
const comparators = { 8: 19, 16: 60 } as const;

/**
 * A tile takes no more than the workgroup memory that every device has. A quarter of it is for the segment that
 * a window ends in.
 */
export function segmentsTuning(
  keyCount: number,
  type: ElementType,
  options: SegmentsOptions,
  traits: DeviceTraits,
): SegmentsTuning {
  const lists = listsTuning(keyCount, type, options, traits);
  const shared = { workgroupSize: cooperativeWorkgroupSize(256, traits), lists };
  if (lists.radix.family === "serial")
    return { ...shared, ...SERIAL, sortWorkgroupSize: lists.radix.workgroupSize };
  const { size, varies } = plannedSubgroups(traits);
  if (lists.radix.family === "subgroup" && !varies) {
    const itemWords = (type.words + (showsTies(options) ? 1 : 0)) as keyof typeof laneTiles;
    const window = laneWindow(itemWords, size, options.longest);
    const sortWorkgroupSize = cooperativeWorkgroupSize(256, traits);
    return {
      ...shared,
      ...window,
      sortWorkgroupSize,
      keysPerInvocation: LANE_KEYS,
      // What a window has: few keys lie in the segment that it ends in.
      loadsAtOnce: Math.ceil(window.windowKeys / sortWorkgroupSize),
      subgroupSize: size,
    };
  }
  const tile = type.words === 2 ? 1024 : 1792;
  const shortKeys = tile / 4;
  const sortWorkgroupSize = cooperativeWorkgroupSize(128, traits);
  return {
    ...shared,
    sortWorkgroupSize,
    keysPerInvocation: 16,
    loadsAtOnce: 4,
    windowKeys: tile - shortKeys,
    shortKeys,
  };
}

/**
 * The sizes for software adapters. A longer segment has enough keys for 256 counters per digit. A window has as
 * many keys as the longest of the short ones, so that neighbouring invocations have some to sort, too.
 */
const SERIAL = { windowKeys: 1024, shortKeys: 1024 } as const;
/** Keys that an invocation sorts by insertion, or twice as many, before it merges such runs. */
const INSERTED = 4;

/** Keys that a lane has in registers. */
const LANE_KEYS = 8;

/**
 * By words of an item: the keys of a tile if one run of lanes has room for each short segment, and of one if
 * two have. The second shares the memory with a list of its segments.
 */
const laneTiles = { 1: [1792, 2112], 2: [1280, 1584], 3: [896, 1104] } as const;

/**
 * The window of a workgroup whose lanes sort segments in their registers. Up to a quarter of the tile is for
 * the segment that it ends in.
 */
function laneWindow(itemWords: keyof typeof laneTiles, subgroupSize: number, longest = Infinity) {
  const most = Math.max(1, Math.ceil(longest / 64)) * 64;
  const room = (tile: number, runs: number) =>
    64 * Math.floor(Math.min(tile / 4, runs * LANE_KEYS * subgroupSize) / 64);
  const [tile, longTile] = laneTiles[itemWords];
  // A window is as much longer as its last segment can be shorter.
  if (most <= room(tile, 1)) return { windowKeys: tile - most, shortKeys: most };
  const shortKeys = Math.min(most, room(longTile, 2));
  return { windowKeys: longTile - shortKeys, shortKeys };
}

/**
 * Segmented sort: sorts many arrays, which lie one after the other in one buffer, each by itself. Stable, for
 * segments of any number and any lengths. The device reads where the segments begin when the sort runs:
 * 1. plan (segments_plan): finds the segments at both ends of each window of some thousand keys;
 * 2. sort (segments_sort): a workgroup sorts its window, each segment by itself, with the comparators of a
 *    bitonic network (K. E. Batcher, 1968), as many as the segment needs. If all subgroups of the device have
 *    one size, as many neighbouring lanes as have room for a segment sort it in their registers, and all that
 *    are longer than a short one are listed by their lengths. On other devices, passes over workgroup memory
 *    sort all segments that a window holds. A segment of up to a third of a window that lies on both sides of
 *    the end of one is sorted with the window that it begins in. So all segments that are short are in order
 *    now, however many are in a window;
 * 3. sort each listed segment that fits a tile by one workgroup in workgroup memory (segments_local), if the
 *    device has subgroups. There are two tiles, of a thousand and of some thousand keys;
 * 4. sort all longer segments together by a radix sort by the least significant digit first. They are cut into
 *    chunks. For each digit: count it in each chunk (radix_count), and move the keys (radix_scatter or
 *    radix_workgroup_scatter). The workgroup that moves a chunk adds up the counts of all chunks of its segment
 *    itself. So that these are few, the count also adds up those of groups of neighbouring chunks.
 *
 * On software adapters, an invocation does alone what a workgroup does on hardware. It sorts the short
 * segments that begin in its window one after another, by merges (segments_serial_sort), and counts and moves
 * chunks key by key (radix_serial_count, radix_serial_scatter). In between, a pass adds up the counts of the
 * chunks of each segment (segments_serial_scan).
 *
 * The passes after the second one have workgroups for the longest lists that there may be, up to some hundred,
 * and those that find nothing in a list return immediately: this takes less time than a dispatch whose grid the
 * device writes. So no distribution of lengths is bad: the work of a segment depends on its own length. The
 * kinds of kernels for kinds of lengths are after K. Hou, W. Liu, H. Wang and W. Feng, "Fast segmented sort on
 * GPUs" (2017).
 *
 * Keys before the first segment and after the last one stay where they are. If the offsets do not ascend, the
 * keys are in no particular order, but no kernel leaves its buffers: an offset past the last key counts as the
 * end of the keys, the ranges that a kernel derives from offsets are cut to its own window, and what does not
 * fit a list is left out.
 *
 * **Keys** of 8 or 16 bits take a word each between passes, and are packed at the end. **Values** of one word
 * move with their keys. If values are longer, or the input must be kept, their indices move instead, and one
 * pass at the end gathers the values.
 *
 * **Cost.** Four dispatches, and two per digit of 8 bits; those that no segment needs return immediately. 8
 * bytes are moved for a u32 key of a segment that a window or a tile holds. A longer one takes 12 bytes per key
 * and digit, 48 for a u32 key; a digit more if keys or values are sorted in place and the digits are odd in
 * number. Scratch: keys of whole words, and values of one word, once more (twice if the input is kept); 16
 * bytes per window; 4 bytes per segment that a list may have; a kilobyte per chunk, of which there is one per
 * 1,365 to 4,097 keys; and two per group of 32 chunks. On hardware without subgroups all listed segments are
 * cut into chunks, so that their counts may take more than half of the room of the keys. Narrow keys take two
 * words each, indices two words each, and longer values once more. On software adapters there are three
 * dispatches per digit, a short segment takes log2(length / 4) merges, each of which moves 8 bytes per key,
 * and the scratch of keys is needed in any case; there is a chunk per 2,048 keys or more, or segment of more
 * than 1,024. If the length of the longest segment is known, there are only the passes, lists and buffers that
 * it needs: two dispatches if it is short.
 *
 * @throws RangeError if keyCount or segmentCount is negative, fractional or over MAX_KEYS; or if the device
 *   reads the number of keys, as the last offset says it.
 */
export function segmentsPlan(
  { keyCount, segmentCount }: SegmentCounts,
  type: ElementType,
  options: SegmentsOptions,
  traits: DeviceTraits,
  tuning: SegmentsTuning = segmentsTuning(keyCount, type, options, traits),
): SortPlan {
  requireKeyCount(keyCount);
  requireKeyCount(segmentCount);
  if (options.counted) throw new RangeError("the last offset of the segments says how many keys there are");
  const windows = Math.ceil(keyCount / tuning.windowKeys);
  const { shortKeys } = tuning;
  const { longest = keyCount } = options;
  const isSerial = tuning.lists.radix.family === "serial";
  const areAllShort = Math.min(keyCount, longest) <= shortKeys || (windows <= 1 && !isSerial);
  const lists = areAllShort ? undefined : listsOf(keyCount, shortKeys, longest, tuning.lists);
  const { payload = 0, keepInput = false } = options;
  const narrow = type.bytes < 4;
  const movesValues = payload === 4 && !keepInput;
  const indices = payload !== 0 && !movesValues;
  const buffers = {
    even: narrow ? "wide" : keepInput ? "result" : "keys",
    odd: "scratch",
    evenValues: movesValues ? "values" : "indices",
    oddValues: "scratch_values",
  };
  const job: SegmentsJob = {
    keyCount,
    segmentCount,
    type,
    options,
    traits,
    tuning,
    windows,
    lists,
    isSerial,
    buffers,
    moved: payload === 0 ? undefined : indices ? "index" : "word",
  };
  const listed = lists ? listedPasses(job, lists, paramsOf(job)) : [];
  const passes = keyCount === 0 ? [] : [planPass(job), sortPass(job), ...listed];
  let keys = buffers.even;
  let values = payload === 0 ? undefined : buffers.evenValues;
  if (narrow && !options.dropKeys) {
    keys = keepInput ? "result" : "keys";
    if (keyCount > 0) passes.push(...packPasses(job, buffers.even, keys));
  }
  if (indices && typeof payload === "number") {
    values = GATHERED;
    const gather = { indices: buffers.evenValues, count: keyCount, valueBytes: payload };
    if (keyCount > 0) passes.push(...gatherPasses(gather, traits));
  }
  return {
    buffers: buffersOf(job, keys, values === GATHERED),
    passes,
    result: keys,
    ...(values ? { values } : {}),
  };
}

/** What a segmented sort is to do. */
export interface SegmentsOptions extends SortOptions {
  /**
   * The most keys of a segment, if that is known. If one has more, the result is undefined, but no kernel
   * leaves its buffers.
   */
  readonly longest?: number | undefined;
}

/** The most keys and the most segments that a device can sort: each buffer must fit one binding. */
export function segmentsCapacity(
  type: ElementType,
  { payload = 0 }: SortOptions,
  { limits }: DeviceTraits,
): { readonly keys: number; readonly segments: number } {
  const bytes = Math.max(4 * type.words, payload === "index" ? 4 : payload);
  const most = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  return { keys: Math.floor(most / bytes), segments: Math.floor(most / 4) - 1 };
}

interface SegmentsJob extends SegmentCounts {
  readonly type: ElementType;
  readonly options: SegmentsOptions;
  readonly traits: DeviceTraits;
  readonly tuning: SegmentsTuning;
  readonly windows: number;
  /** The lists of the segments that are not sorted with a window, if there may be any. */
  readonly lists: Lists | undefined;
  /** Whether an invocation sorts a window, without the others. */
  readonly isSerial: boolean;
  readonly buffers: Readonly<Record<"even" | "odd" | "evenValues" | "oddValues", string>>;
  readonly moved: ValuesVariant;
}

function paramsOf({ keyCount, segmentCount, type, options, windows, lists }: SegmentsJob) {
  const bits = options.bits ?? allBits(type);
  const { chunk, chunks, small, medium } = lists ?? { chunk: 0, chunks: 0, small: 0, medium: 0 };
  return params("segments_plan", {
    keyCount,
    segments: segmentCount,
    windows,
    maskLow: maskOf(bits, 0),
    maskHigh: maskOf(bits, 32),
    bitBegin: bits.begin,
    bitEnd: bits.end,
    chunk,
    chunks,
    small,
    medium,
  });
}

function planPass(job: SegmentsJob): Pass {
  const { tuning, windows, lists, traits } = job;
  const { workgroupSize, windowKeys, shortKeys } = tuning;
  const groups = lists?.tuning.groupChunks ? [GROUP_COUNTS[0]] : [];
  const { bindings, numbers } = placeBindings([SEGMENTS, ENDS], [["START", lists ? [LISTS, ...groups] : []]]);
  return {
    program: program("segments_plan", {
      variants: { segments_start: !lists ? undefined : groups.length > 0 ? "lists_and_groups" : "lists" },
      constants: {
        ...numbers,
        WORKGROUP_SIZE: workgroupSize,
        WINDOW_KEYS: windowKeys,
        SHORT_KEYS: shortKeys,
        PROBES,
      },
    }),
    bindings,
    params: paramsOf(job),
    grid: linearGrid(Math.ceil(Math.max(windows, HEAD_WORDS) / workgroupSize), traits.limits),
  };
}

/** The pass that sorts the segments of windows, and lists the others. */
function sortPass(job: SegmentsJob): Pass {
  const { type, options, tuning, windows, traits, lists, isSerial, buffers, moved } = job;
  const { sortWorkgroupSize, windowKeys, shortKeys } = tuning;
  const sorter = sorterParts(job);
  const isInPlace = buffers.even === "keys";
  const key = keyParts(type, options);
  const compared = comparedParts(type, options);
  const { bindings, numbers } = placeBindings(
    [SEGMENTS, ENDS, buffers.even, buffers.odd],
    [
      ["LISTS", lists ? [LISTS] : []],
      ["INPUT", isInPlace ? [] : ["keys"]],
      ["VALUES", options.payload ? [buffers.evenValues, buffers.oddValues] : []],
    ],
  );
  const variants = {
    ...key.variants,
    ...compared.variants,
    segments_input: isInPlace ? "in_place" : "apart",
    segments_values: moved,
    segments_lister: lists ? "lists" : undefined,
  } as const;
  const constants = {
    ...key.constants,
    ...compared.constants,
    ...numbers,
    WORKGROUP_SIZE: sortWorkgroupSize,
    WINDOW_KEYS: windowKeys,
    SHORT_KEYS: shortKeys,
    RAW_KEYS: type.bytes < 4 ? 0 : 1,
    ...(lists ? listerConstants(lists) : {}),
  };
  return {
    program: isSerial
      ? program("segments_serial_sort", { variants, constants: { ...constants, RUN: INSERTED } })
      : program("segments_sort", {
          variants: { ...variants, ...sorter.variants },
          constants: { ...constants, ...sorter.constants },
        }),
    bindings,
    params: paramsOf(job),
    grid: linearGrid(isSerial ? Math.ceil(windows / sortWorkgroupSize) : windows, traits.limits),
  };
}

/** How a workgroup sorts the segments of a tile: see wgsl/segments/segments_sorter.wgsl. */
function sorterParts({ type, options, tuning, lists }: SegmentsJob) {
  const { keysPerInvocation = 8, loadsAtOnce = 1, shortKeys, subgroupSize = 0 } = tuning;
  const variants = {
    segments_item: !showsTies(options) ? "key" : type.words === 2 ? "slot_64" : "slot_32",
    network: `${keysPerInvocation}`,
  } as const;
  const constants = {
    KEYS_PER_INVOCATION: keysPerInvocation,
    INDEX_BITS: Math.log2(keysPerInvocation),
    HALF: keysPerInvocation / 2,
    COMPARATORS: comparators[keysPerInvocation],
    LOADS: loadsAtOnce,
  };
  // Lanes leave all segments that are not short to the lists.
  const areShort = lists !== undefined || (options.longest ?? Infinity) <= shortKeys;
  if (areShort && subgroupSize > 0) {
    return {
      variants: { ...variants, segments_sorter: "lanes" },
      constants: { ...constants, SUBGROUP_SIZE: subgroupSize },
    } as const;
  }
  return {
    variants: { ...variants, segments_sorter: "memory" },
    constants: {
      ...constants,
      LOWER_BITS: Math.log2(keysPerInvocation) - 1,
      QUARTER: keysPerInvocation / 4,
    },
  } as const;
}

/** The buffers that the passes bind, the caller fills, or the result is in. */
function buffersOf(
  { keyCount, segmentCount, type, options, windows, lists, isSerial, buffers }: SegmentsJob,
  keys: string,
  isGathered: boolean,
): Record<string, BufferSpec> {
  const { payload = 0 } = options;
  const spec = (bytes: number): BufferSpec => ({ bytes: bufferBytes(bytes) });
  const array = (count: number, elementBytes: number): BufferSpec => ({
    bytes: arrayBytes(count, elementBytes),
  });
  const packed = array(keyCount, type.bytes);
  // Nothing is moved to the odd buffers if all segments fit a window or a tile of a workgroup.
  const oddKeys = isSerial || (lists && lists.chunks > 0) ? keyCount : 0;
  const values = typeof payload === "number" && payload > 0 ? array(keyCount, payload) : undefined;
  return {
    [buffers.even]: array(keyCount, 4 * type.words),
    [buffers.odd]: array(oddKeys, 4 * type.words),
    keys: packed,
    [SEGMENTS]: array(segmentCount + 1, 4),
    [ENDS]: spec(16 * windows),
    ...(lists
      ? Object.fromEntries(Object.entries(listBytes(lists)).map(([name, bytes]) => [name, spec(bytes)]))
      : {}),
    ...(keys === "result" && type.bytes < 4 ? { result: packed } : {}),
    ...(payload === 0
      ? {}
      : { [buffers.evenValues]: array(keyCount, 4), [buffers.oddValues]: array(oddKeys, 4) }),
    ...(values ? { values } : {}),
    ...(values && isGathered ? { [GATHERED]: values } : {}),
  };
}
