import type { ElementType } from "../../elements.js";
import { arrayBytes, type BufferSpec, bufferBytes, type Pass, renamed } from "../../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import type { Algorithm } from "../algorithms.js";
import { cutIntoWindowedChunks } from "../chunks.js";
import { type Digit, digitsOf } from "../digits.js";
import {
  allBits,
  type Bound,
  comparedParts,
  keyParts,
  type SortOptions,
  type SortPlan,
  showsTies,
} from "../key.js";
import { radixTuning } from "../radix/best_tuning.js";
import { gatherPasses } from "../radix/convert_and_gather.js";
import { radixPlan } from "../radix/radix.js";
import { placeBindings } from "../radix/radix_parts.js";
import { lsdTuning } from "../radix/radix_tuning.js";
import { trafficBytes } from "../traffic.js";
import { bindWindow, type Window } from "../windows.js";
import { type FirstJob, firstBuffers, firstPasses, sortingRoom } from "./first_keys.js";
import {
  FIRST_KEYS,
  LEAST_KEYS,
  LEAST_RATIO,
  LEAST_REFINED_KEYS,
  MOST_REFINED_BY_ONE,
  REFINED_TILES,
  SAMPLES,
  SPARE_KEYS,
} from "./select_tuning.js";

/** Counters of 2048 digit values take half of the workgroup memory that every device has. */
const DIGIT_BITS = 11;

/**
 * The maximum number of workgroups that count: enough to keep every device busy, and few enough to add up
 * their counts.
 */
const MAX_WORKGROUPS = { hardware: 512, software: 64 };

/** The keys that an invocation of wgsl/select_append.wgsl loads at once. */
const APPENDED_AT_ONCE = 8;

/** The buffers of a selection. They differ from those of a sort, as its plan may run on the same buffers. */
const SELECTION = "selection";
const SELECT_TOTALS = "select_totals";
const CHUNK_COUNTS = "chunk_counts";
const CANDIDATES = "candidates";
const CANDIDATE_VALUES = "candidate_values";
const REFINED = "refined";
const REFINED_VALUES = "refined_values";

/** The words of the struct `Selection` in wgsl/shared/selection.wgsl. */
const SELECTION_WORDS = 12;

/** The options of a sort of which only the first keys are wanted. */
export interface TopOptions extends SortOptions {
  readonly top: number;
}

/**
 * Whether a device should select the first keys before it sorts them. If not, it sorts all. Keys of 8 and 16
 * bits are sorted in little more time than they are counted.
 */
export function selects(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): options is TopOptions {
  const { limits, software } = traits;
  const { top, payload = 0 } = options;
  if (top === undefined || top === 0 || type.bytes < 4) return false;
  const bytes = Math.max(type.bytes, payload === "index" ? 4 : payload);
  const isEnough = software
    ? keyCount >= LEAST_KEYS.software
    : keyCount >= LEAST_KEYS[options.unsorted ? "hardware" : "hardwareSorting"] ||
      selectsInParts(keyCount, type, { ...options, top }, traits) ||
      (keyCount >= LEAST_REFINED_KEYS && refinedTile(type, { ...options, top }, traits) !== undefined);
  return (
    isEnough &&
    keyCount >= LEAST_RATIO * top &&
    (top + SPARE_KEYS) * bytes <= limits.maxStorageBufferBindingSize
  );
}

/** Whether workgroups select from parts of the keys, and one of them from what these have selected. */
function selectsInParts(
  keyCount: number,
  type: ElementType,
  options: TopOptions,
  traits: DeviceTraits,
): boolean {
  const isInRange = keyCount >= FIRST_KEYS.least && keyCount <= FIRST_KEYS.most;
  const bytes = Math.max(type.bytes, options.payload === 4 ? 4 : 0);
  const fits = keyCount * bytes <= traits.limits.maxStorageBufferBindingSize;
  return !traits.software && isInRange && fits && sortingRoom(type, options, traits) !== undefined;
}

/** Selects from the keys as from one segment: see `firstPasses`. */
function partsPlan(keyCount: number, type: ElementType, options: TopOptions, traits: DeviceTraits): SortPlan {
  const { top, payload = 0 } = options;
  const isLong = typeof payload === "number" && payload > 4;
  const job: FirstJob = {
    ...{ keyCount, segmentCount: 1, usual: keyCount, type, options, traits },
    keys: CANDIDATES,
    values: CANDIDATE_VALUES,
    source: options.counted ? "counted" : "planned",
  };
  const gathering = isLong ? gatherPasses(top, keyCount, traits, payload, CANDIDATE_VALUES, "gathered") : [];
  return {
    buffers: {
      keys: { bytes: arrayBytes(keyCount, type.bytes) },
      ...(typeof payload === "number" && payload > 0
        ? { values: { bytes: arrayBytes(keyCount, payload) } }
        : {}),
      ...(options.counted ? { count: { bytes: 4 * ((options.countAt ?? 0) + 1) } } : {}),
      ...firstBuffers(job),
      [SELECTION]: { bytes: bufferBytes(4 * SELECTION_WORDS) },
      [CANDIDATES]: { bytes: arrayBytes(top, type.bytes) },
      ...(payload === 0 ? {} : { [CANDIDATE_VALUES]: { bytes: arrayBytes(top, 4) } }),
      ...(isLong ? { gathered: { bytes: arrayBytes(top, payload) } } : {}),
    },
    passes: [...firstPasses(job), ...gathering],
    result: CANDIDATES,
    ...(payload === 0 ? {} : { values: isLong ? "gathered" : CANDIDATE_VALUES }),
    selection: SELECTION,
  };
}

/** Plans a sort of the first keys: by `selectPlan` where a device should select them, else by a sort of all. */
export function firstKeysPlan(
  sort: Algorithm["plan"],
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): SortPlan {
  return selects(keyCount, type, options, traits)
    ? selectPlan(keyCount, type, options, traits)
    : sort(keyCount, type, options, traits);
}

/**
 * Finds the first `top` keys of the sorted order without sorting all: a sample gives a bound that few more keys
 * than the wanted ones do not exceed, and these candidates are sorted.
 *
 * 1. sample: one workgroup selects among the keys at some thousand positions the one that is probably a little
 *    after the last wanted key: the bound;
 * 2. copy: of keys alone, by all of their bits, append those that are less than the bound, in any order, and
 *    count those that equal it; decide whether the bound is of use, and append copies of it. Otherwise, count
 *    both in each chunk; scan these counts and decide; copy the candidates, in the order of the input. Chunks
 *    without candidates are not read again. If too many keys equal the bound, only the first of these are
 *    copied;
 * 3. refine: if few keys are wanted, one workgroup selects among the candidates by digits until one dispatch
 *    can sort them;
 * 4. sort the candidates, stably if ties show. The first `top` keys are the result.
 *
 * If the bound is less than the last wanted key, or more candidates go before it than there is room for, it is
 * of no use. This takes an input that was made for it, or more bad luck than anyone has. Up to
 * `MOST_REFINED_BY_ONE` keys, step 3 then selects among all keys. More keys go through a radix select from the
 * most significant digit down (the method of A. Alabi, J. D. Blanchard, B. Gordon and R. Steinbach, "Fast
 * k-selection algorithms for graphics processing units", 2012):
 *
 * - count: count the keys of each value of a digit of 11 bits, among the keys that have the known bits;
 * - next: one workgroup finds the digit value of the last wanted key. Its bits are known now. These two steps
 *   go on until the keys up to the known bits fit the room for candidates, or until all bits are known. Later
 *   counts return immediately. Then step 2 runs again, in the order of the input.
 *
 * The radix select runs alone, without a sample, if the keys are bound in windows. So it does on software
 * adapters if any order will do (`unsorted`) and counting all digits moves fewer bytes than the sort of the
 * candidates; and on hardware if, besides, many keys are wanted.
 *
 * On hardware, up to 2^20 keys take none of these steps if the wanted ones fit the memory of a workgroup: see
 * `firstPasses`. That is two dispatches, or three with values of several words, and needs no subgroups.
 *
 * The device decides everything, and nothing is read back. The input buffers are never changed.
 *
 * **Cost.** It reads keys alone once; if ties show, it reads the chunks with candidates again. Dispatches for
 * a few thousand wanted keys on hardware: 5, or 6 if ties show; of more than `MOST_REFINED_BY_ONE` keys, two
 * per digit and eight besides, so 14 for u32. Without step 3: one less, and those of the sort. After a
 * useless bound, it reads the keys up to five times more (8 times for 64 bits). Scratch: twice the
 * candidates, and 26 KiB or less of counts.
 *
 * @throws RangeError as `radixPlan` does.
 */
export function selectPlan(
  keyCount: number,
  type: ElementType,
  options: TopOptions,
  traits: DeviceTraits,
): SortPlan {
  if (selectsInParts(keyCount, type, options, traits)) return partsPlan(keyCount, type, options, traits);
  const { top, payload = 0, bits = allBits(type), unsorted = false } = options;
  const digits = digitsOf(bits, DIGIT_BITS).reverse();
  const shape = cutIntoWindowedChunks(keyCount, type, payload === 4 ? 4 : 0, traits);
  const tile = refinedTile(type, options, traits);
  const samples = sampleCount(keyCount, traits);
  const sampled = sampledRoom(keyCount, top, samples);
  const maxBytes = traits.limits.maxStorageBufferBindingSize;
  const fits =
    shape.windows.length === 1 && sampled * Math.max(type.bytes, payload === 0 ? 0 : 4) <= maxBytes;
  const exactRoom = Math.min(keyCount, top + SPARE_KEYS);
  const exactSort = candidatesSorted(radixPlan(exactRoom, type, sortOptions(options, true), traits));
  const countedTwice = Math.max(0, digits.length - 2) * keyCount * type.bytes;
  const isCheap = unsorted && countedTwice < trafficBytes(exactSort);
  const bySample = fits && (tile !== undefined || !isCheap);
  const refined = bySample ? tile : undefined;
  const isExact = !bySample && isCheap;
  const room = bySample ? sampled : isExact ? top : exactRoom;

  const appends = bySample && !showsTies(options);
  // A sort that knows the number of keys takes fewer dispatches. Software spends no time on those.
  const fills = appends && refined === undefined && !traits.software;

  const job = { keyCount, type, options, traits, digits, room };
  const sort = isExact
    ? undefined
    : refined !== undefined
      ? unsorted
        ? undefined
        : refinedSort(refined, type, options, traits)
      : fills
        ? candidatesSorted(filledSort(room, type, options, traits))
        : room === exactRoom
          ? exactSort
          : candidatesSorted(radixPlan(room, type, sortOptions(options, true), traits));
  const refusedByOne = bySample && !traits.software && keyCount <= MOST_REFINED_BY_ONE;
  const passes = [
    ...(!bySample
      ? [nextPass(job, undefined, digits.length === 0)]
      : [
          samplePass(job, samples),
          ...(appends
            ? appendPasses(job, shape, fills)
            : chunkPasses(job, shape, { decides: true, ifRefused: false })),
        ]),
    ...(refusedByOne
      ? []
      : [...countPasses(job, shape), ...chunkPasses(job, shape, { decides: false, ifRefused: bySample })]),
    ...(appends && refusedByOne ? [] : movePasses(job, shape, appends)),
    ...(refined !== undefined
      ? [refinePass(job, refined, refusedByOne ? "candidates or all" : "candidates")]
      : refusedByOne
        ? [refinePass(job, room, "all")]
        : []),
    ...(sort?.passes ?? []),
  ];
  const selected = refined === undefined ? CANDIDATES : REFINED;
  const keys = sort?.result ?? selected;
  const selectedValues = refined === undefined ? CANDIDATE_VALUES : REFINED_VALUES;
  const words = payload === 0 ? undefined : sort ? sort.values : selectedValues;
  const isLong = typeof payload === "number" && payload > 4;
  if (isLong) passes.push(...gatherPasses(top, keyCount, traits, payload, words!, "gathered"));

  const values = isLong ? "gathered" : words;
  const valueBuffers = (name: string, count: number): Record<string, BufferSpec> =>
    payload === 0 ? {} : { [name]: { bytes: arrayBytes(count, 4) } };
  const sizes: Record<string, BufferSpec> = {
    [SELECT_TOTALS]: { bytes: 4 * totalWords(digits) },
    [SELECTION]: { bytes: bufferBytes(4 * SELECTION_WORDS) },
    ...(appends && refusedByOne
      ? {}
      : { [CHUNK_COUNTS]: { bytes: bufferBytes(2 * 4 * (shape.chunks + 1)) } }),
    [CANDIDATES]: { bytes: arrayBytes(room, type.bytes) },
    ...valueBuffers(CANDIDATE_VALUES, room),
    ...(refined === undefined
      ? {}
      : {
          [REFINED]: { bytes: arrayBytes(refined, type.bytes) },
          ...valueBuffers(REFINED_VALUES, refined),
        }),
    ...(isLong ? { gathered: { bytes: arrayBytes(top, payload) } } : {}),
  };
  return {
    buffers: {
      keys: { bytes: arrayBytes(keyCount, type.bytes) },
      ...(typeof payload === "number" && payload > 0
        ? { values: { bytes: arrayBytes(keyCount, payload) } }
        : {}),
      ...(options.counted ? { count: { bytes: 4 * ((options.countAt ?? 0) + 1) } } : {}),
      ...(sort?.buffers ?? {}),
      ...sizes,
    },
    passes,
    result: keys,
    ...(values === undefined ? {} : { values }),
    selection: SELECTION,
  };
}

/** The options of the sort of the selected keys. */
function sortOptions({ descending, bits, payload = 0, dropKeys }: TopOptions, counted: boolean): SortOptions {
  return { descending, bits, payload: payload === 0 ? 0 : 4, counted, dropKeys };
}

/**
 * A power of two. More samples give fewer candidates, but take longer. For a thousand wanted keys, both take
 * about the same time if there are twice as many samples as the square root of the number of keys.
 */
function sampleCount(keyCount: number, traits: DeviceTraits): number {
  const enough = traits.software ? keyCount / 4 : 2 * Math.sqrt(keyCount);
  const most = Math.min(SAMPLES[traits.software ? "software" : "hardware"], enough);
  return Math.max(sampleWorkgroupSize(traits), 2 ** Math.floor(Math.log2(Math.max(2, most))));
}

/** One workgroup does all of a dispatch, so it is as large as the device allows. */
function sampleWorkgroupSize(traits: DeviceTraits): number {
  if (traits.software) return cooperativeWorkgroupSize(256, traits);
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = traits.limits;
  return (
    2 ** Math.floor(Math.log2(Math.min(1024, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX)))
  );
}

/**
 * Room for the keys up to the bound of a sample. wgsl/select_sample.wgsl computes the bound's rank likewise.
 * The number of keys up to a sample of that rank has a gamma distribution.
 */
function sampledRoom(keyCount: number, top: number, samples: number): number {
  const part = Math.min(1, top / Math.max(1, keyCount));
  const mean = part * samples;
  const rank = Math.ceil(mean + 5 * Math.sqrt(mean * (1 - part)) + 3);
  const keysPerSample = keyCount / samples;
  const most = Math.ceil((rank + 6 * Math.sqrt(rank) + 4) * keysPerSample);
  return Math.min(keyCount, Math.max(top + SPARE_KEYS, most));
}

/**
 * The keys that one workgroup selects from the candidates, and another sorts in one dispatch; undefined if they
 * are too many for that. If they need not be sorted, just the wanted ones are selected.
 */
function refinedTile(type: ElementType, options: TopOptions, traits: DeviceTraits): number | undefined {
  if (traits.software) return undefined;
  const { top, unsorted = false } = options;
  if (unsorted) return top <= Math.max(...REFINED_TILES) ? top : undefined;
  return REFINED_TILES.find(
    (keys) => keys >= top + keys / 8 && refinedSort(keys, type, options, traits) !== undefined,
  );
}

/** The sort of the candidates: all of its buffers get names that no other sort of the same keys uses. */
function candidatesSorted(plan: SortPlan): SortPlan {
  const names: Record<string, string> = {
    keys: CANDIDATES,
    values: CANDIDATE_VALUES,
    count: SELECTION, // its first word
  };
  return renamed(plan, (name) => names[name] ?? `top_${name}`);
}

/** A sort by one dispatch; undefined if it takes more. */
function refinedSort(
  keyCount: number,
  type: ElementType,
  top: TopOptions,
  traits: DeviceTraits,
): SortPlan | undefined {
  const options = sortOptions(top, false);
  for (const tuningOf of [lsdTuning, radixTuning]) {
    const plan = radixPlan(keyCount, type, options, traits, tuningOf(keyCount, type, traits, options));
    if (plan.passes.length === 1) return refinedSorted(plan);
  }
  return undefined;
}

function refinedSorted(plan: SortPlan): SortPlan {
  const names: Record<string, string> = { keys: REFINED, values: REFINED_VALUES };
  return renamed(plan, (name) => names[name] ?? `top_${name}`);
}

/**
 * For how many times as many evenly spread keys the segments of the sort after a selection have room: the first
 * that the device can run. Keys before the bound are up to 8 thirds as close as if all that fills the room were
 * spread evenly.
 */
const SEGMENT_ROOM = [3, 2, 1];

/** Up to this number of keys, one level of segments sorts by the most significant digit first. */
const MOST_IN_ONE_LEVEL = 2 ** 20;

/**
 * The sort of candidates, and of keys after the bound that fill the rest of the room. Floats take the stable passes,
 * which take as long whatever fills it.
 */
function filledSort(room: number, type: ElementType, options: TopOptions, traits: DeviceTraits): SortPlan {
  const sort = sortOptions(options, false);
  const tunings = SEGMENT_ROOM.map((times) =>
    radixTuning(Math.max(room, Math.min(times * room, MOST_IN_ONE_LEVEL)), type, traits, sort),
  );
  const byMsd = tunings.find((tuning) => tuning.family === "subgroup" && tuning.msd !== undefined);
  return radixPlan(room, type, sort, traits, byMsd ?? radixTuning(room, type, traits, sort));
}

/** What the passes of a selection have in common. */
interface SelectJob {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly options: TopOptions;
  readonly traits: DeviceTraits;
  /** Most significant first. */
  readonly digits: readonly Digit[];
  readonly room: number;
}

type Shape = ReturnType<typeof cutIntoWindowedChunks>;

const totalWords = (digits: readonly Digit[]) => Math.max(4, ...digits.map(({ mask }) => mask + 1));

/** How the kernels of a selection read keys. */
function keysOf({ type, options }: SelectJob) {
  const [key, compared] = [keyParts(type, options), comparedParts(type, options)];
  return {
    variants: { ...key.variants, ...compared.variants },
    constants: { ...key.constants, ...compared.constants },
  };
}

/** Counts and goes on, digit by digit. */
function countPasses(job: SelectJob, { windows }: Shape): Pass[] {
  const { type, traits, digits } = job;
  const { variants, constants } = keysOf(job);
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const maxWorkgroups = MAX_WORKGROUPS[traits.software ? "software" : "hardware"];
  const count = (digit: Digit, window: Window): Pass => {
    const workgroups = Math.max(1, Math.min(maxWorkgroups, Math.ceil(window.count / workgroupSize)));
    return {
      program: program("select_count", {
        variants,
        constants: { ...constants, DIGIT_BITS, WORKGROUP_SIZE: workgroupSize },
      }),
      bindings: [bindWindow("keys", window, type.bytes, windows.length === 1), SELECT_TOTALS, SELECTION],
      params: params("select_count", {
        begin: window.begin,
        keyCount: window.count,
        stride: workgroups * workgroupSize,
        ...digit,
      }),
      grid: [workgroups, 1, 1],
    };
  };
  return digits.flatMap((digit, i) => [
    ...windows.map((window) => count(digit, window)),
    nextPass(job, digit, i === digits.length - 1),
  ]);
}

/** Finds a bound of the candidates. */
function samplePass(job: SelectJob, samples: number): Pass {
  const { keyCount, type, options, traits, digits } = job;
  const { variants, constants } = keysOf(job);
  const counted = options.counted ? ["count"] : [];
  const { bindings, numbers } = placeBindings(["keys", SELECT_TOTALS, SELECTION], [["COUNT", counted]]);
  const { begin, end } = options.bits ?? allBits(type);
  return {
    program: program("select_sample", {
      variants: { ...variants, key_total: options.counted ? "counted" : "planned" },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: sampleWorkgroupSize(traits),
        SAMPLES: samples,
        COPIES: 1,
      },
    }),
    bindings,
    params: params("select_sample", {
      keyCount,
      head: options.top,
      bitsBegin: begin,
      bitsEnd: end,
      totalWords: totalWords(digits),
      countAt: options.countAt ?? 0,
    }),
    grid: [1, 1, 1],
  };
}

/**
 * One workgroup selects as many keys as there is room for.
 *
 * @param from "candidates": always among these; "all": if the sample was of no use, among all keys, and else
 *   nothing; "candidates or all": among all keys if the sample was of no use.
 */
function refinePass(job: SelectJob, room: number, from: "candidates" | "all" | "candidates or all"): Pass {
  const { type, options, traits } = job;
  const { variants, constants } = keysOf(job);
  const { payload = 0 } = options;
  const kind = payload === 0 ? undefined : payload === 4 ? "word" : "index";
  // Candidates that nothing reads take the place of those that are written.
  const [candidates, candidateValues] = from === "all" ? ["keys", "keys"] : [CANDIDATES, CANDIDATE_VALUES];
  const [output, outputValues] = from === "all" ? [CANDIDATES, CANDIDATE_VALUES] : [REFINED, REFINED_VALUES];
  const moved =
    kind === undefined ? [] : [outputValues, candidateValues, ...(kind === "word" ? ["values"] : [])];
  const { bindings, numbers } = placeBindings(["keys", candidates, SELECTION, output], [["VALUES", moved]]);
  const { begin, end } = options.bits ?? allBits(type);
  return {
    program: program("select_refine", {
      variants: { ...variants, selected_from: "candidates", refined_values: kind },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: sampleWorkgroupSize(traits),
        KEYS_PER_INVOCATION: 4,
        COPIES: 1,
        STABLE: showsTies(options) ? 1 : 0,
      },
    }),
    bindings,
    params: params("select_refine", {
      room,
      bitsBegin: begin,
      bitsEnd: end,
      countsAll: from === "candidates" ? 0 : 1,
      ifRefused: from === "all" ? 1 : 0,
    }),
    grid: [1, 1, 1],
  };
}

/** @param digit what was counted; nothing before the first count. */
function nextPass(
  { keyCount, options, traits, digits, room }: SelectJob,
  digit: Digit | undefined,
  isLast: boolean,
): Pass {
  const counted = options.counted && !digit ? ["count"] : [];
  const { bindings, numbers } = placeBindings([SELECT_TOTALS, SELECTION], [["COUNT", counted]]);
  return {
    program: program("select_next", {
      variants: { key_total: counted.length > 0 ? "counted" : "planned" },
      constants: { ...numbers, WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits) },
    }),
    bindings,
    params: params("select_next", {
      keyCount,
      head: options.top,
      room,
      digits: digit ? digit.mask + 1 : 0,
      shift: digit?.shift ?? 0,
      isLast: isLast ? 1 : 0,
      totalWords: totalWords(digits),
      countAt: options.countAt ?? 0,
    }),
    grid: [1, 1, 1],
  };
}

/** How the passes that go through chunks are cut into windows. */
function placeChunks({ type, options }: SelectJob, { windows, chunk, chunks }: Shape, ifRefused: boolean) {
  const whole = windows.length === 1;
  return windows.map((window) => ({
    window,
    keys: bindWindow("keys", window, type.bytes, whole),
    values: options.payload === 4 ? [bindWindow("values", window, 4, whole)] : [],
    words: params("select_chunks", {
      begin: window.begin,
      keyCount: window.count,
      chunk,
      firstChunk: window.begin / chunk,
      chunks,
      ifRefused: ifRefused ? 1 : 0,
    }),
    grid: [Math.max(1, Math.ceil(window.count / chunk)), 1, 1] as const,
  }));
}

/**
 * Counts the selected keys of each chunk, and scans the counts.
 *
 * @param decides whether this is the first look at all keys after a sample.
 * @param ifRefused whether to do nothing unless the bound of the sample was of no use.
 */
function chunkPasses(
  job: SelectJob,
  shape: Shape,
  { decides, ifRefused }: { decides: boolean; ifRefused: boolean },
): Pass[] {
  const { traits, room } = job;
  const { variants, constants } = keysOf(job);
  const { chunks, workgroupSize } = shape;
  return [
    ...placeChunks(job, shape, ifRefused).map(({ keys, words, grid }): Pass => {
      const { bindings, numbers } = placeBindings<never>([keys, SELECTION, CHUNK_COUNTS], []);
      const all = { ...constants, ...numbers, WORKGROUP_SIZE: workgroupSize };
      return {
        program: program("select_chunks", { variants, constants: all }),
        bindings,
        params: words,
        grid,
      };
    }),
    {
      program: program("select_scan", {
        constants: { WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits) },
      }),
      bindings: [CHUNK_COUNTS, SELECTION],
      params: params("select_scan", {
        chunks,
        room,
        decides: decides ? 1 : 0,
        ifRefused: ifRefused ? 1 : 0,
      }),
      grid: [1, 1, 1],
    },
  ];
}

/**
 * Appends the candidates in any order, and decides whether the bound of the sample is of use.
 *
 * @param fills whether keys that go after the bound fill the rest of the room.
 */
function appendPasses(job: SelectJob, { chunks, workgroupSize }: Shape, fills: boolean): Pass[] {
  const { traits, room, type, options } = job;
  const { variants, constants } = keyParts(type, options);
  const closing = { ...variants, key_after: variants.order };
  return [
    {
      program: program("select_append", {
        variants,
        constants: { ...constants, WORKGROUP_SIZE: workgroupSize },
      }),
      bindings: ["keys", SELECTION, SELECT_TOTALS, CANDIDATES],
      params: params("select_append", { stride: chunks * workgroupSize * APPENDED_AT_ONCE, room }),
      grid: [chunks, 1, 1],
    },
    {
      program: program("select_close", {
        variants: closing,
        constants: { ...constants, WORKGROUP_SIZE: sampleWorkgroupSize(traits) },
      }),
      bindings: [SELECT_TOTALS, SELECTION, CANDIDATES],
      params: params("select_close", { room, filled: fills ? room : 0 }),
      grid: [1, 1, 1],
    },
  ];
}

/**
 * Copies the selected keys, and what belongs to them, in the order of the input.
 *
 * @param ifRefused as for `chunkPasses`.
 */
function movePasses(job: SelectJob, shape: Shape, ifRefused: boolean): Pass[] {
  const { variants, constants } = keysOf(job);
  const { payload = 0 } = job.options;
  const movedValues = payload === 0 ? undefined : payload === 4 ? "word" : "index";
  return placeChunks(job, shape, ifRefused).map(({ keys, values, words, grid }): Pass => {
    const moved = payload === 0 ? [] : [CANDIDATE_VALUES, ...values];
    const { bindings, numbers } = placeBindings(
      [keys, SELECTION, CHUNK_COUNTS, CANDIDATES],
      [["VALUES", moved]],
    );
    return {
      program: program("select_move", {
        variants: { ...variants, moved_values: movedValues },
        constants: {
          ...constants,
          ...numbers,
          WORKGROUP_SIZE: shape.workgroupSize,
          KEYS_PER_INVOCATION: shape.keysPerInvocation,
        },
      }),
      bindings,
      params: words,
      grid,
    };
  });
}

/** What a device has selected. */
export interface Selected {
  /** How many candidates there are. */
  readonly count: number;
  /** The last compared form that a candidate can have. */
  readonly bound: Bound;
  /**
   * Whether all keys up to the bound are candidates. If not, keys with the bound's form were left out.
   * Undefined if nobody has counted these.
   */
  readonly isWhole: boolean | undefined;
}

/** Reads the buffer that a plan names as its selection. */
export function readSelected(words: Uint32Array): Selected {
  const [count = 0, , , , , equal = 0, taken, knownLow = 0, knownHigh = 0, low = 0, high = 0] = words;
  const form = (low: number, high: number) => (BigInt(high) << 32n) | BigInt(low);
  // If no key with the known bits was taken, the bound is before them.
  const isBefore = taken === 0 && equal > 0;
  const known = form(knownLow, knownHigh);
  const last = form(low, high) - (isBefore ? known & -known : 0n);
  const word = (part: bigint, knownPart: number) => (Number(part & 0xffff_ffffn) | ~knownPart) >>> 0;
  const isCounted = equal > 0 || taken === 0;
  return {
    count,
    bound: [word(last, knownLow), word(last >> 32n, knownHigh)],
    isWhole: isCounted ? isBefore || equal === taken : undefined,
  };
}
