import type { ElementType } from "../../elements.js";
import { arrayBytes, type BufferSpec, bufferBytes, type Pass, renamed } from "../../plan/plan.js";
import type { DeviceTraits } from "../../plan/traits.js";
import type { Algorithm } from "../algorithms.js";
import { cutIntoWindowedChunks } from "../chunks.js";
import {
  allBits,
  type Bound,
  digitsOf,
  type SortOptions,
  type SortPlan,
  showsTies,
  type TopOptions,
} from "../key.js";
import { GATHERED, gatherPasses } from "../radix/convert_and_gather.js";
import { radixPlan, radixTuning } from "../radix/radix.js";
import { lsdTuning } from "../radix/radix_tuning.js";
import { trafficBytes } from "../traffic.js";
import { type FirstJob, firstBuffers, firstPasses, sortingRoom } from "./first_keys.js";
import {
  appendPasses,
  boundPass,
  CANDIDATE_VALUES,
  CANDIDATES,
  CHUNK_COUNTS,
  chunkPasses,
  countPasses,
  moveSelectedPasses,
  nextPass,
  REFINED,
  REFINED_VALUES,
  refinePass,
  SELECT_DIGIT_BITS,
  SELECT_TOTALS,
  SELECTION,
  type SelectBase,
  type SelectInput,
  type SelectJob,
  sampleWorkgroupSize,
  totalWords,
} from "./select_passes.js";
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

/** The words of the struct `Selection` in wgsl/select/selection.wgsl. */
const SELECTION_WORDS = 12;

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
  const job: FirstJob = {
    keyCount,
    segmentCount: 1,
    usual: keyCount,
    type,
    options,
    traits,
    keys: CANDIDATES,
    values: CANDIDATE_VALUES,
    source: options.counted ? "counted" : "planned",
  };
  return selectionPlan(job, {
    buffers: {
      ...firstBuffers(job),
      [SELECTION]: { bytes: bufferBytes(4 * SELECTION_WORDS) },
      ...selectedBuffers(job, CANDIDATES, CANDIDATE_VALUES, options.top),
    },
    passes: firstPasses(job),
    keys: CANDIDATES,
    values: options.payload ? CANDIDATE_VALUES : undefined,
  });
}

/** What passes leave, and where. */
interface SelectedKeys {
  readonly buffers: Readonly<Record<string, BufferSpec>>;
  readonly passes: readonly Pass[];
  /** The buffer of the first keys. */
  readonly keys: string;
  /** The buffer of their values, or of their indices if values have several words; undefined without values. */
  readonly values: string | undefined;
}

/** The plan of these passes: it gathers values of several words, and names the buffers of the caller. */
function selectionPlan(
  { keyCount, type, options, traits }: SelectInput,
  { buffers, passes, keys, values }: SelectedKeys,
): SortPlan {
  const { top, payload = 0, counted, countAt = 0 } = options;
  const valueBytes = typeof payload === "number" ? payload : 0;
  const isGathered = valueBytes > 4;
  return {
    buffers: {
      keys: { bytes: arrayBytes(keyCount, type.bytes) },
      ...(valueBytes > 0 ? { values: { bytes: arrayBytes(keyCount, valueBytes) } } : {}),
      ...(counted ? { count: { bytes: 4 * (countAt + 1) } } : {}),
      ...buffers,
      ...(isGathered ? { [GATHERED]: { bytes: arrayBytes(top, valueBytes) } } : {}),
    },
    passes: isGathered
      ? [
          ...passes,
          ...gatherPasses({ indices: values!, count: top, valueCount: keyCount, valueBytes }, traits),
        ]
      : passes,
    result: keys,
    ...(values === undefined ? {} : { values: isGathered ? GATHERED : values }),
    selection: SELECTION,
  };
}

/** The buffers of `count` keys that are selected, and of their values or indices. */
function selectedBuffers(
  { type, options }: SelectInput,
  keys: string,
  values: string,
  count: number,
): Record<string, BufferSpec> {
  return {
    [keys]: { bytes: arrayBytes(count, type.bytes) },
    ...(options.payload ? { [values]: { bytes: arrayBytes(count, 4) } } : {}),
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
 * than the selected ones do not exceed, and these candidates are sorted.
 *
 * 1. sample: one workgroup selects among the keys at some thousand positions the one that is probably a little
 *    after the last selected key: the bound;
 * 2. copy: of keys alone, by all of their bits, append those that are less than the bound, in any order, and
 *    count those that equal it; decide whether the bound holds, and append copies of it. Otherwise, count
 *    both in each chunk; scan these counts and decide; copy the candidates, in the order of the input. Chunks
 *    without candidates are not read again. If too many keys equal the bound, only the first of these are
 *    copied;
 * 3. refine: if few keys are selected, one workgroup selects among the candidates by digits until one dispatch
 *    can sort them;
 * 4. sort the candidates, stably if ties show. The first `top` keys are the result.
 *
 * If the bound is less than the last selected key, or more candidates go before it than there is room for, the
 * bound does not hold. This takes an input that was made for it, or more bad luck than anyone has. Up to
 * `MOST_REFINED_BY_ONE` keys, step 3 then selects among all keys. More keys go through a radix select from the
 * most significant digit down (the method of A. Alabi, J. D. Blanchard, B. Gordon and R. Steinbach, "Fast
 * k-selection algorithms for graphics processing units", 2012):
 *
 * - count: count the keys of each value of a digit of 11 bits, among the keys that have the known bits;
 * - next: one workgroup finds the digit value of the last selected key. Its bits are known now. These two steps
 *   go on until the keys up to the known bits fit the room for candidates, or until all bits are known. Later
 *   counts return immediately. Then step 2 runs again, in the order of the input.
 *
 * The radix select runs alone, without a sample, if the keys are bound in windows. So it does on software
 * adapters if any order will do (`unsorted`) and counting all digits moves fewer bytes than the sort of the
 * candidates; and on hardware if, besides, many keys are selected.
 *
 * On hardware, up to 2^20 keys take none of these steps if the selected ones fit the memory of a workgroup: see
 * `firstPasses`. That is two dispatches, or three with values of several words, and needs no subgroups.
 *
 * The device decides everything, and nothing is read back. The input buffers are never changed.
 *
 * **Cost.** It reads keys alone once; if ties show, it reads the chunks with candidates again. Dispatches for
 * a few thousand selected keys on hardware: 5, or 6 if ties show; of more than `MOST_REFINED_BY_ONE` keys, two
 * per digit and eight besides, so 14 for u32. Without step 3: one less, and those of the sort. After a
 * bound that does not hold, it reads the keys up to five times more (8 times for 64 bits). Scratch: twice the
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
  const job = selectJob(keyCount, type, options, traits);
  const isRefined = job.refined !== undefined;
  const sort = candidatesSort(job);
  const selectedValues = isRefined ? REFINED_VALUES : CANDIDATE_VALUES;
  return selectionPlan(job, {
    buffers: { ...sort?.buffers, ...selectBuffers(job) },
    passes: [...candidatePasses(job), ...refinePasses(job), ...(sort?.passes ?? [])],
    keys: sort?.result ?? (isRefined ? REFINED : CANDIDATES),
    values: options.payload ? (sort ? sort.values : selectedValues) : undefined,
  });
}

/** Decides how keys are selected: by a sample or by all digits, and what follows. */
function selectJob(
  keyCount: number,
  type: ElementType,
  options: TopOptions,
  traits: DeviceTraits,
): SelectJob {
  const { top, payload = 0, bits = allBits(type) } = options;
  const digits = digitsOf(bits, SELECT_DIGIT_BITS).reverse();
  const shape = cutIntoWindowedChunks(keyCount, Math.max(type.bytes, payload === 4 ? 4 : 0), traits);
  const base = { keyCount, type, options, traits, digits, shape };

  const spare = Math.min(keyCount, top + SPARE_KEYS);
  const isExact = digitsAreCheap(base, spare);
  const refined = refinedTile(type, options, traits);
  const samples = sampleCount(keyCount, traits);
  const room = sampledRoom(keyCount, top, samples);
  const roomBytes = room * Math.max(type.bytes, payload === 0 ? 0 : 4);
  const isBound = shape.windows.length === 1 && roomBytes <= traits.limits.maxStorageBufferBindingSize;
  if (!isBound || (refined === undefined && isExact))
    return { ...base, isExact, room: isExact ? top : spare };

  const appends = !showsTies(options);
  return {
    ...base,
    isExact: false,
    room,
    samples,
    refined,
    appends,
    // A sort that knows the number of keys takes fewer dispatches. Software spends no time on those.
    fills: appends && refined === undefined && !traits.software,
    fallsBackToOne: !traits.software && keyCount <= MOST_REFINED_BY_ONE,
  };
}

/**
 * Whether digits are counted until just the first keys are selected, as these may be in any order: where that
 * moves fewer bytes than the sort of candidates with some spare ones.
 */
function digitsAreCheap({ keyCount, type, options, traits, digits }: SelectBase, spare: number): boolean {
  if (!options.unsorted) return false;
  const countedBytes = Math.max(0, digits.length - 2) * keyCount * type.bytes;
  return countedBytes < trafficBytes(radixPlan(spare, type, sortOptions(options, true), traits));
}

/** The passes that select the candidates. */
function candidatePasses(job: SelectJob): Pass[] {
  const { samples, appends = false, fallsBackToOne = false } = job;
  const byDigits = (onlyAfterFallback: boolean) => [
    ...countPasses(job),
    ...chunkPasses(job, { decides: false, onlyAfterFallback }),
  ];
  if (samples === undefined) {
    return [nextPass(job, undefined), ...byDigits(false), ...moveSelectedPasses(job, false)];
  }
  const bySample = appends
    ? appendPasses(job)
    : chunkPasses(job, { decides: true, onlyAfterFallback: false });
  return [
    boundPass(job, samples),
    ...bySample,
    ...(fallsBackToOne ? [] : byDigits(true)),
    // What was appended is moved already. Then only a selection by digits moves keys.
    ...(appends && fallsBackToOne ? [] : moveSelectedPasses(job, appends)),
  ];
}

/** The pass of one workgroup. It selects among the candidates, or among all keys if the bound does not hold. */
function refinePasses(job: SelectJob): Pass[] {
  const { refined, fallsBackToOne = false, room } = job;
  if (refined !== undefined) {
    return [refinePass(job, refined, fallsBackToOne ? "candidates or all" : "candidates")];
  }
  return fallsBackToOne ? [refinePass(job, room, "all")] : [];
}

/** The sort of what is selected; undefined if any order will do and only the first keys are selected. */
function candidatesSort(job: SelectJob): SortPlan | undefined {
  const { isExact, refined, fills, room, type, options, traits } = job;
  if (isExact || (refined !== undefined && options.unsorted)) return undefined;
  if (refined !== undefined) {
    return onSelected(refinedSort(refined, type, options, traits)!, REFINED, REFINED_VALUES);
  }
  const sort = fills
    ? filledSort(room, type, options, traits)
    : radixPlan(room, type, sortOptions(options, true), traits);
  return onSelected(sort, CANDIDATES, CANDIDATE_VALUES);
}

/** The buffers of a selection. */
function selectBuffers(job: SelectJob): Record<string, BufferSpec> {
  const { room, refined, appends, fallsBackToOne, digits, shape } = job;
  return {
    [SELECT_TOTALS]: { bytes: 4 * totalWords(digits) },
    [SELECTION]: { bytes: bufferBytes(4 * SELECTION_WORDS) },
    ...(appends && fallsBackToOne
      ? {}
      : { [CHUNK_COUNTS]: { bytes: bufferBytes(2 * 4 * (shape.chunks + 1)) } }),
    ...selectedBuffers(job, CANDIDATES, CANDIDATE_VALUES, room),
    ...(refined === undefined ? {} : selectedBuffers(job, REFINED, REFINED_VALUES, refined)),
  };
}

/** The options of the sort of the selected keys. */
function sortOptions({ descending, bits, payload = 0, dropKeys }: TopOptions, counted: boolean): SortOptions {
  return { descending, bits, payload: payload === 0 ? 0 : 4, counted, dropKeys };
}

/**
 * A power of two. More samples give fewer candidates, but take longer. For a thousand selected keys, both take
 * about the same time if there are twice as many samples as the square root of the number of keys.
 */
function sampleCount(keyCount: number, traits: DeviceTraits): number {
  const enough = traits.software ? keyCount / 4 : 2 * Math.sqrt(keyCount);
  const most = Math.min(SAMPLES[traits.software ? "software" : "hardware"], enough);
  return Math.max(sampleWorkgroupSize(traits), 2 ** Math.floor(Math.log2(Math.max(2, most))));
}

/**
 * Room for the keys up to the bound of a sample, whose rank wgsl/select/select_sample.wgsl computes in the same
 * way. The number of keys up to a sample of that rank has a gamma distribution.
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
 * are too many for that. If they need not be sorted, just the first keys are selected.
 */
function refinedTile(type: ElementType, options: TopOptions, traits: DeviceTraits): number | undefined {
  if (traits.software) return undefined;
  const { top, unsorted = false } = options;
  if (unsorted) return top <= Math.max(...REFINED_TILES) ? top : undefined;
  return REFINED_TILES.find(
    (keys) => keys >= top + keys / 8 && refinedSort(keys, type, options, traits) !== undefined,
  );
}

/** The sort of selected keys: all of its buffers get names that no other sort of the same keys uses. */
function onSelected(sort: SortPlan, keys: string, values: string): SortPlan {
  const names: Record<string, string> = { keys, values, count: SELECTION }; // its first word
  return renamed(sort, (name) => names[name] ?? `top_${name}`);
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
    if (plan.passes.length === 1) return plan;
  }
  return undefined;
}

/**
 * For how many times as many uniform keys the segments of the sort after a selection have room: the first
 * that the device can run. Keys before the bound are up to 8 thirds as close as if all that fills the room were
 * uniform.
 */
const SEGMENT_ROOM = [3, 2, 1];

/** Up to this number of keys, one level of segments sorts by the most significant digit first. */
const MOST_IN_ONE_LEVEL = 2 ** 20;

/**
 * The sort of candidates, and of keys after the bound that fill the rest of the room. Floats take the stable
 * passes, which take as long whatever fills it.
 */
function filledSort(room: number, type: ElementType, options: TopOptions, traits: DeviceTraits): SortPlan {
  const sort = sortOptions(options, false);
  const tunings = SEGMENT_ROOM.map((times) =>
    radixTuning(Math.max(room, Math.min(times * room, MOST_IN_ONE_LEVEL)), type, traits, sort),
  );
  const byMsd = tunings.find((tuning) => tuning.family === "subgroup" && tuning.msd !== undefined);
  return radixPlan(room, type, sort, traits, byMsd ?? radixTuning(room, type, traits, sort));
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
  const last = form(low, high) - (isBefore ? 1n : 0n); // `word` sets the bits that are not known
  const word = (part: bigint, knownPart: number) => (Number(part & 0xffff_ffffn) | ~knownPart) >>> 0;
  const isCounted = equal > 0 || taken === 0;
  return {
    count,
    bound: [word(last, knownLow), word(last >> 32n, knownHigh)],
    isWhole: isCounted ? isBefore || equal === taken : undefined,
  };
}
