import type { Supplied, SuppliedRange } from "../device/execute.js";
import { BufferUsage } from "../device/usage.js";
import { type ElementType, elementType, type TypeName } from "../elements.js";
import { InputError } from "../errors.js";
import { requireKnown, requireSwitches, shown } from "../names.js";
import { BINDING_ALIGNMENT, gridPlace, planBytes, renamed } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { Algorithm } from "../sort/algorithms.js";
import { type KeyBits, MAX_KEYS, type Payload, type SortOptions, type SortPlan } from "../sort/key.js";
import { fits } from "../sort/limits.js";
import { radixCapacity } from "../sort/radix/radix_plan.js";
import type { SegmentsOptions } from "../sort/segments/segments.js";
import { trafficBytes } from "../sort/traffic.js";

/** Describes a sort of keys in GPU buffers, without the buffers themselves. */
export interface SortDescription {
  /** The type of the keys. */
  readonly type: TypeName;
  /** The maximum number of keys: 0 to 2^31, and not more than fit the device's buffers. */
  readonly capacity: number;
  /**
   * The number of keys to sort, at most `capacity`; the default is `capacity`. "gpu", or a buffer, means that
   * the device reads it from a u32 word when the sort runs; a word larger than `capacity` counts as
   * `capacity`. The word may be at any offset that is a multiple of 4, such as 4, that of `instanceCount` in
   * the arguments of an indirect draw. `Sorter.prepare` takes the buffer; "gpu" is for `Sorter.requirements`.
   */
  readonly count?: number | "gpu" | Supplied | undefined;
  /** Whether to sort in the exact reverse of the ascending order. Equal keys keep their order either way. */
  readonly descending?: boolean | undefined;
  /**
   * The bits of a key that decide the order: `begin` up to, but not including, `end`, where 0 is the least
   * significant bit. They are those of the ordered form: see `KeyBits`. The default is all bits. Fewer bits
   * take fewer passes.
   */
  readonly bits?: KeyBits | undefined;
  /**
   * What moves with each key: a value of this many bytes, a multiple of 4; or "index", the key's index in the
   * input, 4 bytes, which the sort writes. The default is nothing.
   */
  readonly payload?: Payload | undefined;
  /**
   * "keep" leaves the input buffers unchanged. "destroy", the default, uses them as scratch, so that the sort
   * needs less scratch. With `top`, they are always unchanged.
   */
  readonly input?: "keep" | "destroy" | undefined;
  /**
   * "values" gives only what moves with the keys, the values or the indices; then no sorted keys are written,
   * which moves fewer bytes. "all", the default, gives the keys too.
   */
  readonly output?: "all" | "values" | undefined;
  /**
   * Sorts segments of the keys, each by itself, instead of all of them. `capacity` is the number of segments,
   * S. `offsets` holds S + 1 u32 numbers that ascend: segment s has the keys from offsets[s] up to, but not
   * including, offsets[s + 1]. The device reads them when the sort runs. Keys before the first segment and
   * after the last one stay where they are, so the number of keys may vary; `count` cannot be passed too. For
   * fewer segments, let the last offset be there more than once: empty segments cost next to nothing. Indices
   * count from the first key of the buffer, not of the segment. Offsets that do not ascend, or are past the
   * capacity, give keys in no particular order, but nothing is written outside of the buffers. `prepare` needs
   * `offsets`; `requirements` does not.
   */
  readonly segments?: SegmentsDescription | undefined;
  /**
   * The number of sorted keys that the result holds: the first ones, or the greatest if `descending`; all if
   * there are fewer; and their values or indices. Of equal keys, the first ones in the input are taken, unless
   * the sort is of keys alone, where these are the same. The default is all keys.
   *
   * With `segments`, it is the number for each segment: of a segment that has fewer, all. The result has those
   * of each segment, one segment after the other. So if no segment has fewer than `top` keys, those of segment
   * s begin at s * top. `starts` of the prepared sort tells where they begin in any case.
   */
  readonly top?: number | undefined;
  /** False if the `top` keys may be in any order. The default is true. */
  readonly sorted?: boolean | undefined;
  /**
   * Whether only the first of equal keys is kept: `true`, or "counts" to also count how often each key occurs.
   * All NaNs are equal, -0 and +0 are not. Only for a sort of keys by all of their bits, without `payload` and
   * `top`. The default is false.
   */
  readonly unique?: boolean | "counts" | undefined;
}

/** The segments of a sort on the device. */
export interface SegmentsDescription {
  /** The number of segments: 0 to 2^31, and not more than the offsets of which fit a binding. */
  readonly capacity: number;
  /** The buffer of the offsets, or a range of one. It needs the length of `requirements().segments`. */
  readonly offsets?: Supplied | undefined;
  /**
   * The most keys of a segment, if you know that: 0 to 2^31. The sort then has only the dispatches and the
   * scratch that such segments need: two dispatches for keys of 32 bits in segments of up to 320. If a
   * segment has more keys, the result is undefined, but nothing is written outside of the buffers. By default a
   * segment may have all keys.
   */
  readonly longest?: number | undefined;
}

/**
 * A buffer that a sort needs, as `device.createBuffer({ size: bytes, usage })` creates it. A longer buffer,
 * or one with further usages, works too.
 */
export interface BufferRequirement {
  /** The minimum length in bytes. */
  readonly bytes: number;
  /** The GPUBufferUsage flags that the buffer must have. */
  readonly usage: number;
}

/** The buffers that a sort needs, and its cost. */
export interface SortRequirements {
  /**
   * The buffer of the keys: the bytes of all keys, or of one if there are none, rounded up to a multiple of 4.
   * With `unique`, at least 16.
   */
  readonly keys: BufferRequirement;
  /**
   * The buffer of the values; absent without `payload`. With payload "index" it takes the indices, and the sort
   * makes it if it is not passed. It is as long as the indices, or longer with `top`, which uses it before.
   */
  readonly values?: BufferRequirement;
  /** The word of the number of keys, in any buffer; absent unless the device reads that number. */
  readonly count?: BufferRequirement;
  /** The buffer of the offsets of segments; absent unless the sort is one of segments. */
  readonly segments?: BufferRequirement;
  /**
   * The scratch buffers by name; their contents do not matter. There are several because a WebGPU dispatch
   * cannot both read and write the same buffer.
   */
  readonly scratch: Readonly<Record<string, BufferRequirement>>;
  /**
   * The buffers that hold the result: each is "keys", "values" or the name of a scratch buffer. With output
   * "values" there is none for the keys.
   */
  readonly result: {
    /** The sorted keys; absent with output "values". */
    readonly keys?: string;
    /** The values or the indices, in the order of their keys; absent without `payload`. */
    readonly values?: string;
    /** With `unique`: the number of distinct keys. */
    readonly distinct?: string;
    /** With `unique: "counts"`: how often each key occurs. */
    readonly counts?: string;
    /** With `top` and `segments`: where the result of each segment begins. */
    readonly starts?: string;
  };
  /** The bytes of all scratch buffers together. */
  readonly scratchBytes: number;
  /** The number of dispatches. */
  readonly dispatches: number;
  /** The bytes that the sort reads and writes in device memory, as `trafficBytes` estimates them. */
  readonly bytesMoved: number;
}

/** What plans the sorts of a device, as far as it is loaded. */
export interface Plans {
  /** Plans a sort of all keys. */
  readonly sort: Algorithm["plan"];
  readonly segments?: typeof import("../sort/segments/segments.js");
  readonly select?: typeof import("../sort/select/select.js");
  readonly topSegments?: typeof import("../sort/select/top_segments.js");
  readonly unique?: typeof import("../sort/select/unique.js");
}

/** A checked description and its plan. */
export interface PlannedSort {
  readonly type: ElementType;
  readonly options: SortOptions;
  readonly plan: SortPlan;
  readonly keyCount: number;
  /** The most keys that the result holds. */
  readonly resultCount: number;
}

/**
 * Checks a description and plans its sort.
 *
 * @param plans what plans sorts, as far as it is loaded.
 * @throws InputError if a field of the description is invalid, if the device cannot sort that many keys, or if
 *   what plans such a sort is not loaded.
 */
export function planSort(description: SortDescription, traits: DeviceTraits, plans: Plans): PlannedSort {
  const { capacity: most, count, descending = false, bits, payload, segments } = description;
  const { input = "destroy", output = "all" } = description;
  const { top, sorted = true, unique = false } = description;
  requireSwitches(description, ["descending", "sorted"]);
  const type = elementType(description.type);
  requireCount("capacity", most, MAX_KEYS, "the maximum number of keys");
  if (typeof count === "number") requireCount("count", count, most, "the capacity");
  requireBits(bits, type);
  requirePayload(payload);
  requireCountSource(count);
  if (input !== "keep" && input !== "destroy") {
    throw new InputError(`input is ${shown(input)}`, { hint: 'pass "keep" or "destroy"' });
  }
  if (output !== "all" && output !== "values") {
    throw new InputError(`output is ${shown(output)}`, { hint: 'pass "all" or "values"' });
  }
  if (output === "values" && !payload) {
    throw new InputError('output is "values", but no values move with the keys', {
      hint: 'set payload to "index" or to the bytes per value',
    });
  }
  requireTop(top, sorted);
  requireUnique(description);
  const keyCount = typeof count === "number" ? count : most;
  const counted = count !== undefined && typeof count !== "number";
  const options: SortOptions = {
    descending,
    bits,
    payload,
    keepInput: input === "keep" || top !== undefined,
    counted,
    countAt: wordInWindow(count),
    dropKeys: output === "values",
    top,
    unsorted: !sorted,
  };
  const resultCount = Math.min(keyCount, top ?? keyCount);
  if (segments === undefined) {
    const plan = planOf({ keyCount, type, options, traits, plans }, unique);
    return { type, options, keyCount, resultCount, plan: withIndicesInValues(plan, payload) };
  }
  if (count !== undefined) {
    throw new InputError("count and segments are both passed", {
      hint: "omit count: the keys after the last offset are not sorted",
    });
  }
  requireCount("segments.capacity", segments?.capacity, MAX_KEYS, "the maximum number of segments");
  requireKnown("segments", segments, ["capacity", "offsets", "longest"]);
  const { capacity: segmentCount, longest } = segments;
  if (longest !== undefined) {
    requireCount("segments.longest", longest, MAX_KEYS, "the maximum number of keys");
  }
  const planning = { keyCount, type, options: { ...options, longest }, traits, plans };
  const plan = planOfSegments(planning, segmentCount);
  return {
    ...{ type, options, keyCount },
    resultCount: Math.min(keyCount, segmentCount * (top ?? keyCount)),
    plan: withIndicesInValues(plan, payload),
  };
}

/**
 * Indices end in a scratch buffer of the plan. It takes the name of the values, which such a plan has not, so
 * that a caller's buffer can be bound for it.
 */
function withIndicesInValues(plan: SortPlan, payload: Payload | undefined): SortPlan {
  return payload === "index" ? renamed(plan, (name) => (name === plan.values ? "values" : name)) : plan;
}

/** What a plan depends on. */
interface Planning<Options extends SortOptions = SortOptions> {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly options: Options;
  readonly traits: DeviceTraits;
  /** What plans sorts, as far as it is loaded. */
  readonly plans: Plans;
}

function planOfSegments(
  { keyCount, type, options, traits, plans }: Planning<SegmentsOptions>,
  segmentCount: number,
): SortPlan {
  const { segmentsPlan, segmentsCapacity } = loaded(plans, "segments", "segments");
  const { top } = options;
  const counts = { keyCount, segmentCount };
  const plan =
    top === undefined
      ? segmentsPlan(counts, type, options, traits)
      : loaded(plans, "topSegments", "top and segments").topSegmentsPlan(
          counts,
          type,
          { ...options, top },
          traits,
        );
  if (fits(plan, traits)) return plan;
  const { keys, segments } = segmentsCapacity(type, options, traits);
  throw new InputError(
    `${keyCount} ${type.name} keys in ${segmentCount} segments are more than this device can sort at once`,
    {
      hint: `sort at most ${keys} keys in ${segments} segments, or request the device with the limits of its adapter`,
    },
  );
}

/** @throws InputError if `top` is not a number of keys, or if there is none to which `sorted` belongs. */
export function requireTop(top: number | undefined, sorted: boolean | undefined): void {
  if (top !== undefined && !(Number.isInteger(top) && top >= 0)) {
    throw new InputError(`top is ${shown(top)}`, { hint: "pass a whole number of keys, 0 or more" });
  }
  if (sorted === false && top === undefined) {
    throw new InputError("sorted is false, but all keys are sorted", {
      hint: "pass top, the number of keys of the result in any order, or omit sorted",
    });
  }
}

function requireUnique({ unique, payload, bits, top, segments }: SortDescription): void {
  if (unique === undefined || unique === false) return;
  if (unique !== true && unique !== "counts") {
    throw new InputError(`unique is ${shown(unique)}`, { hint: 'pass true, false or "counts"' });
  }
  const others = { payload: payload || undefined, bits, top, segments };
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  throw new InputError(`unique is not for a sort with ${other}`, { hint: `omit ${other}, or unique` });
}

/** The number of words before one in the part of its buffer that is bound: see `wordWindow`. */
export function wordInWindow(word: SortDescription["count"]): number {
  const isRange = typeof word === "object" && word !== null && "offset" in word;
  // `regionOf` refuses what is no number.
  return isRange ? Math.floor((Number(word.offset ?? 0) % BINDING_ALIGNMENT) / 4) : 0;
}

/** What is bound of the buffer of a single word: from the last byte before it on where a binding may begin. */
export function wordWindow({ buffer, offset }: SuppliedRange): SuppliedRange {
  return { buffer, offset: offset - (offset % BINDING_ALIGNMENT) };
}

export function requireCountSource(count: SortDescription["count"]): void {
  if (count === undefined || typeof count === "number" || count === "gpu") return;
  if (typeof count === "object" && count !== null) return;
  throw new InputError(`count is ${shown(count)}`, {
    hint: 'pass a number, a GPUBuffer, or { buffer, offset }; "gpu" for requirements()',
  });
}

/** @throws InputError unless `count` is a whole number up to `most`. */
export function requireCount(name: string, count: number, most: number, what: string): void {
  if (Number.isInteger(count) && count >= 0 && count <= most) return;
  throw new InputError(`${name} is ${shown(count)}`, {
    hint: `pass a whole number from 0 to ${most}, ${what}`,
  });
}

/** @throws InputError if `bits` is not a range of bits of a key of the type. */
export function requireBits(bits: KeyBits | undefined, type: ElementType): void {
  if (bits === undefined) return;
  if (typeof bits !== "object" || bits === null) {
    throw new InputError(`bits is ${shown(bits)}`, { hint: "pass { begin, end }" });
  }
  requireKnown("bits", bits, ["begin", "end"]);
  const { begin, end } = bits;
  const most = 8 * type.bytes;
  if (Number.isInteger(begin) && Number.isInteger(end) && 0 <= begin && begin <= end && end <= most) return;
  throw new InputError(`bits ${shown(begin)} to ${shown(end)} are not a bit range of a ${type.name} key`, {
    hint: `pass { begin, end } with 0 <= begin <= end <= ${most}`,
  });
}

function requirePayload(payload: Payload | undefined): void {
  if (payload === undefined || payload === "index") return;
  if (Number.isInteger(payload) && payload >= 0 && payload % 4 === 0) return;
  throw new InputError(`a payload of ${shown(payload)} bytes is not a multiple of 4`, {
    hint: 'pass a multiple of 4 bytes, or "index"',
  });
}

function planOf({ keyCount, type, options, traits, plans }: Planning, unique: boolean | "counts"): SortPlan {
  const select = options.top === undefined ? undefined : loaded(plans, "select", "top");
  const withUnique = unique ? loaded(plans, "unique", "unique").withUnique : undefined;
  let plan: SortPlan;
  try {
    plan = select
      ? select.firstKeysPlan(plans.sort, keyCount, type, options, traits)
      : plans.sort(keyCount, type, options, traits);
    const counts = unique === "counts";
    if (withUnique) plan = withUnique(plan, { keyCount, type, options, traits, counts });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new InputError(`cannot sort ${keyCount} ${type.name} keys in this way: ${cause.message}`, {
      hint: options.counted
        ? "pass the number of keys as a number, or a smaller capacity"
        : "sort them in parts, or use a smaller payload",
      cause,
    });
  }
  if (fits(plan, traits)) return plan;
  const limit = radixCapacity(type, options, traits);
  throw new InputError(`${keyCount} ${type.name} keys are more than this device can sort at once`, {
    hint: `sort at most ${limit} keys at a time, or request the device with the limits of its adapter`,
  });
}

/** @throws InputError if what plans sorts with a field of the description is not loaded. */
function loaded<Name extends keyof Plans>(plans: Plans, name: Name, field: string): NonNullable<Plans[Name]> {
  const plan = plans[name];
  if (plan) return plan;
  throw new InputError(`what plans a sort with ${field} is not loaded yet`, {
    hint: `call await sorter.warm(description) before the first requirements() of a description with ${field}`,
  });
}

/** The scratch that fulfils each of several requirements. */
export function sharedScratch(all: readonly SortRequirements[]): SortRequirements["scratch"] {
  const shared: Record<string, BufferRequirement> = {};
  for (const [name, { bytes, usage }] of all.flatMap(({ scratch }) => Object.entries(scratch))) {
    const other = shared[name] ?? { bytes: 0, usage: 0 };
    shared[name] = { bytes: Math.max(bytes, other.bytes), usage: usage | other.usage };
  }
  return shared;
}

/** The buffers of a plan that hold the caller's input. */
const inputs = ["keys", "values", "count", "segments"] as const;

export function requirementsOf({ plan, options }: PlannedSort): SortRequirements {
  const grids = new Set(plan.passes.map((pass) => gridPlace(pass)?.buffer));
  const needs = Object.fromEntries(
    Object.entries(plan.buffers).map(([name, { bytes, uniform }]): [string, BufferRequirement] => [
      name,
      {
        bytes: name === "count" ? 4 : bytes,
        usage:
          BufferUsage.storage |
          (uniform ? BufferUsage.uniform : 0) |
          (grids.has(name) ? BufferUsage.indirect : 0),
      },
    ]),
  );
  const { keys, values, count, segments, ...scratch } = needs;
  const inputBytes = inputs.reduce((total, name) => total + (plan.buffers[name]?.bytes ?? 0), 0);
  return {
    keys: keys!,
    ...(values ? { values } : {}),
    ...(count ? { count } : {}),
    ...(segments ? { segments } : {}),
    scratch,
    result: {
      ...(options.dropKeys ? {} : { keys: plan.result }),
      ...(plan.values === undefined ? {} : { values: plan.values }),
      ...(plan.distinct === undefined ? {} : { distinct: plan.distinct }),
      ...(plan.runLengths === undefined ? {} : { counts: plan.runLengths }),
      ...(plan.starts === undefined ? {} : { starts: plan.starts }),
    },
    scratchBytes: planBytes(plan) - inputBytes,
    dispatches: plan.passes.length,
    bytesMoved: trafficBytes(plan),
  };
}
