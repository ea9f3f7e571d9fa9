import type { ElementType } from "../../elements.js";
import { linearGrid, workgroupSize1d } from "../../plan/grid.js";
import { arrayBytes, type BufferSpec, type Pass, renamed } from "../../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import { keyParts, requireKeyCount, type SegmentCounts, type SortPlan } from "../key.js";
import { GATHERED, gatherPasses } from "../radix/convert_and_gather.js";
import { placeBindings } from "../radix/radix_parts.js";
import { type SegmentsOptions, segmentsPlan } from "../segments/segments.js";
import { type FirstJob, firstBuffers, firstPasses, sortingRoom } from "./first_keys.js";
import { FIRST_GROUPS, LEAST_COPIED_RATIO, LEAST_RATIO, LEAST_SEGMENT } from "./select_tuning.js";

/** The buffers of the result, and of the places where the keys of each segment begin in it. */
const FIRST_KEYS = "first_keys";
const FIRST_VALUES = "first_values";
const STARTS = "starts";

/** Workgroups that find these places. More take longer, as each adds up all lengths before its own. */
const STARTS_WORKGROUPS = 64;

/** The most workgroups that copy kept keys. */
const KEEPING_WORKGROUPS = { hardware: 2048, software: 64 };

/** The options of a segmented sort of which only the first keys of each segment are selected. */
export interface TopSegmentsOptions extends SegmentsOptions {
  readonly top: number;
}

/**
 * The first `top` keys of each segment, one segment after the other: of a segment that has fewer, all. The
 * device reads where the segments begin when the sort runs, as `segmentsPlan` does, and never changes its
 * input.
 * 1. starts (select_starts): finds where the keys of each segment begin in the result;
 * 2. select (select_segments): selects the first keys, and sorts those that fit the memory of a workgroup: see
 *    `firstPasses`;
 * 3. if more are selected, sort what is selected as segments, unless any order will do.
 *
 * If many segments are short, or keys have 8 or 16 bits, or many keys of few segments are selected, the
 * segments are sorted, and one dispatch (select_keep) copies the first keys of each.
 *
 * **Cost.** Two dispatches; a third one if few segments are so long that they are cut into parts; and those of
 * `segmentsPlan` if the selected keys must be sorted apart. Their number does not depend on that of the
 * segments.
 *
 * @throws RangeError as `segmentsPlan` does.
 */
export function topSegmentsPlan(
  { keyCount, segmentCount }: SegmentCounts,
  type: ElementType,
  options: TopSegmentsOptions,
  traits: DeviceTraits,
): SortPlan {
  requireKeyCount(keyCount);
  requireKeyCount(segmentCount);
  const { payload = 0, longest = keyCount } = options;
  const top = Math.min(options.top, keyCount);
  const capacity = Math.min(keyCount, segmentCount * top);
  const usual = Math.min(longest, keyCount / Math.max(1, segmentCount));
  const job: FirstJob = {
    keyCount,
    segmentCount,
    usual,
    type,
    traits,
    options: { ...options, top },
    keys: FIRST_KEYS,
    values: FIRST_VALUES,
    source: "listed",
  };
  const selecting = selects(job) ? selectedPlan(job, capacity) : keptPlan(job, capacity, options);
  const isGathered = typeof payload === "number" && payload > 0 && !selecting.movesValues;
  const gathering =
    isGathered && capacity > 0
      ? gatherPasses(
          { indices: FIRST_VALUES, count: capacity, valueCount: keyCount, valueBytes: payload },
          traits,
        )
      : [];
  const array = (count: number, bytes: number): BufferSpec => ({ bytes: arrayBytes(count, bytes) });
  return {
    buffers: {
      ...selecting.buffers,
      keys: array(keyCount, type.bytes),
      ...(typeof payload === "number" && payload > 0 ? { values: array(keyCount, payload) } : {}),
      segments: array(segmentCount + 1, 4),
      [STARTS]: array(segmentCount + 1, 4),
      [FIRST_KEYS]: array(capacity, type.bytes),
      ...(payload === 0 ? {} : { [FIRST_VALUES]: array(capacity, 4) }),
      ...(isGathered ? { [GATHERED]: array(capacity, payload) } : {}),
    },
    passes: [startsPass(job, capacity), ...selecting.passes, ...gathering],
    result: FIRST_KEYS,
    ...(payload === 0 ? {} : { values: isGathered ? GATHERED : FIRST_VALUES }),
    starts: STARTS,
  };
}

/** Whether the first keys of segments are selected. If not, all are sorted. */
function selects({ keyCount, segmentCount, usual, type, options, traits }: FirstJob): boolean {
  const kind = traits.software ? "software" : "hardware";
  const areManyShort = usual < LEAST_SEGMENT[kind] && segmentCount > FIRST_GROUPS[kind];
  if (type.bytes < 4 || areManyShort) return false;
  if (sortingRoom(type, options, traits) !== undefined) return true;
  const isEnough = traits.software || keyCount >= LEAST_COPIED_RATIO * options.top;
  return isEnough && usual >= LEAST_RATIO * options.top;
}

interface Selecting {
  readonly buffers: Readonly<Record<string, BufferSpec>>;
  readonly passes: readonly Pass[];
  /** Whether it moves values of one word, and not their indices. */
  readonly movesValues: boolean;
}

function selectedPlan(job: FirstJob, capacity: number): Selecting {
  const { type, options, traits, segmentCount } = job;
  const { descending, bits, payload = 0, top, unsorted = false } = options;
  const isSorted = unsorted || sortingRoom(type, options, traits) !== undefined || capacity === 0;
  const sortOptions = { descending, bits, payload: payload === 0 ? 0 : 4, longest: top };
  const names: Record<string, string> = { keys: FIRST_KEYS, values: FIRST_VALUES, segments: STARTS };
  const sort = isSorted
    ? undefined
    : renamed(
        segmentsPlan({ keyCount: capacity, segmentCount }, type, sortOptions, traits),
        (name) => names[name] ?? `top_${name}`,
      );
  return {
    buffers: { ...sort?.buffers, ...firstBuffers(job) },
    passes: [...firstPasses(job), ...(sort?.passes ?? [])],
    movesValues: payload === 4,
  };
}

function keptPlan(job: FirstJob, capacity: number, options: SegmentsOptions): Selecting {
  const { keyCount, segmentCount, type, traits } = job;
  const { descending, bits, payload = 0, longest } = options;
  const sortOptions = {
    descending,
    bits,
    payload: payload === 0 ? 0 : "index",
    keepInput: true,
    longest,
  } as const;
  const sort = renamed(segmentsPlan(job, type, sortOptions, traits), (name) =>
    name === "keys" || name === "segments" ? name : `all_${name}`,
  );
  if (capacity === 0) return { buffers: {}, passes: [], movesValues: false };
  const { bindings, numbers } = placeBindings(
    [sort.result, FIRST_KEYS, STARTS, "segments"],
    [["VALUES", sort.values === undefined ? [] : [FIRST_VALUES, sort.values]]],
  );
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const perWord = Math.max(1, 4 / type.bytes);
  const most = KEEPING_WORKGROUPS[traits.software ? "software" : "hardware"];
  const workgroups = Math.min(most, Math.ceil((capacity * type.words) / perWord / workgroupSize));
  const keep: Pass = {
    program: program("select_keep", {
      variants: {
        key: keyParts(type, options).variants.key,
        moved_values: sort.values === undefined ? undefined : "word",
      },
      constants: {
        ...numbers,
        SOURCE: 3,
        WORKGROUP_SIZE: workgroupSize,
        PER_WORD: perWord,
        KEY_WORDS: type.words,
      },
    }),
    bindings,
    params: params("select_keep", {
      keyCount,
      segments: segmentCount,
      stride: workgroups * workgroupSize,
    }),
    grid: [workgroups, 1, 1],
  };
  return { buffers: sort.buffers, passes: [...sort.passes, keep], movesValues: false };
}

/** Finds where the keys of each segment begin in the result. */
function startsPass({ keyCount, segmentCount, options, traits }: FirstJob, capacity: number): Pass {
  const workgroupSize = traits.software
    ? cooperativeWorkgroupSize(256, traits)
    : workgroupSize1d(1024, traits.limits);
  const chunk = workgroupSize * Math.max(1, Math.ceil(segmentCount / workgroupSize / STARTS_WORKGROUPS));
  return {
    program: program("select_starts", {
      constants: { SOURCE: 1, PARAMS: 2, WORKGROUP_SIZE: workgroupSize },
    }),
    bindings: [STARTS, "segments"],
    params: params("select_starts", {
      keyCount,
      segments: segmentCount,
      top: options.top,
      capacity,
      chunk,
    }),
    grid: linearGrid(Math.max(1, Math.ceil(segmentCount / chunk)), traits.limits),
  };
}
