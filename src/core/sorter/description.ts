import type { Supplied } from "../device/execute.js";
import { BufferUsage } from "../device/usage.js";
import { type ElementType, elementType, type TypeName } from "../elements.js";
import { InputError } from "../errors.js";
import { planBytes } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { algorithm, fits } from "../sort/algorithms.js";
import { type KeyBits, MAX_KEYS, type Payload, type SortOptions, type SortPlan } from "../sort/key.js";
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
   * `capacity`. `Sorter.prepare` takes the buffer; "gpu" is for `Sorter.requirements`.
   */
  readonly count?: number | "gpu" | Supplied | undefined;
  /** Whether to sort in the exact reverse of the ascending order. Equal keys keep their order either way. */
  readonly descending?: boolean | undefined;
  /**
   * The bits of a key that decide the order: `begin` up to, but not including, `end`, where 0 is the least
   * significant bit. The default is all bits. Fewer bits take fewer passes.
   */
  readonly bits?: KeyBits | undefined;
  /**
   * What moves with each key: a value of this many bytes, a multiple of 4; or "index", the key's index in the
   * input. The default is nothing.
   */
  readonly payload?: Payload | undefined;
  /**
   * "keep" leaves the input buffers unchanged. "destroy", the default, uses them as scratch, so that the sort
   * needs less scratch.
   */
  readonly input?: "keep" | "destroy" | undefined;
}

/**
 * A buffer that a sort needs, as `device.createBuffer({ size: bytes, usage })` creates it. A longer buffer,
 * or one with further usages, works too.
 */
export interface BufferRequirement {
  /** The minimum length in bytes. */
  readonly bytes: number;
  /** The GPUBufferUsage flags that the buffer must have. */
  readonly usage: GPUBufferUsageFlags;
}

/** The buffers that a sort needs, and its cost. */
export interface SortRequirements {
  /** The buffer of the keys: the bytes of all keys, rounded up to a multiple of 4, and at least 16. */
  readonly keys: BufferRequirement;
  /** The buffer of the values; absent if the sort takes no values as input. */
  readonly values?: BufferRequirement;
  /** The buffer of the number of keys; absent unless the device reads that number. */
  readonly count?: BufferRequirement;
  /**
   * The scratch buffers by name; their contents do not matter. There are several because a WebGPU dispatch
   * cannot both read and write the same buffer.
   */
  readonly scratch: Readonly<Record<string, BufferRequirement>>;
  /** The buffers that hold the result: each is "keys", "values" or the name of a scratch buffer. */
  readonly result: { readonly keys: string; readonly values?: string };
  /** The bytes of all scratch buffers together. */
  readonly scratchBytes: number;
  /** The number of dispatches. */
  readonly dispatches: number;
  /** The bytes that the sort reads and writes in device memory, as `trafficBytes` estimates them. */
  readonly bytesMoved: number;
}

/** A checked description and its plan. */
export interface PlannedSort {
  readonly type: ElementType;
  readonly options: SortOptions;
  readonly plan: SortPlan;
  readonly keyCount: number;
}

/**
 * Checks a description and plans its sort.
 *
 * @throws InputError if a field of the description is invalid, or if the device cannot sort that many keys.
 */
export function planSort(description: SortDescription, traits: DeviceTraits): PlannedSort {
  const { capacity: most, count, descending = false, bits, payload, input = "destroy" } = description;
  const type = elementType(description.type);
  requireCount("capacity", most, MAX_KEYS, "the maximum number of keys");
  if (typeof count === "number") requireCount("count", count, most, "the capacity");
  requireBits(bits, type);
  requirePayload(payload);
  if (input !== "keep" && input !== "destroy") {
    throw new InputError(`input is ${String(input)}`, { hint: 'pass "keep" or "destroy"' });
  }
  const keyCount = typeof count === "number" ? count : most;
  const counted = count !== undefined && typeof count !== "number";
  const options: SortOptions = { descending, bits, payload, keepInput: input === "keep", counted };
  return { type, options, keyCount, plan: planOf(keyCount, type, options, traits) };
}

function requireCount(name: string, count: number, most: number, what: string): void {
  if (Number.isInteger(count) && count >= 0 && count <= most) return;
  throw new InputError(`${name} is ${count}`, {
    hint: `pass a whole number from 0 to ${most}, ${what}`,
  });
}

/** @throws InputError if `bits` is not a range of bits of a key of the type. */
export function requireBits(bits: KeyBits | undefined, type: ElementType): void {
  if (bits === undefined) return;
  const { begin, end } = bits;
  const most = 8 * type.bytes;
  if (Number.isInteger(begin) && Number.isInteger(end) && 0 <= begin && begin <= end && end <= most) return;
  throw new InputError(`bits ${begin} to ${end} are not a bit range of a ${type.name} key`, {
    hint: `pass { begin, end } with 0 <= begin <= end <= ${most}`,
  });
}

function requirePayload(payload: Payload | undefined): void {
  if (payload === undefined || payload === "index") return;
  if (Number.isInteger(payload) && payload >= 0 && payload % 4 === 0) return;
  throw new InputError(`a payload of ${payload} bytes is not a multiple of 4`, {
    hint: 'pass a multiple of 4 bytes, or "index"',
  });
}

function planOf(keyCount: number, type: ElementType, options: SortOptions, traits: DeviceTraits): SortPlan {
  const auto = algorithm("auto");
  let plan: SortPlan;
  try {
    plan = auto.plan(keyCount, type, options, traits);
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
  const limit = auto.capacity(type, options, traits);
  throw new InputError(`${keyCount} ${type.name} keys are more than this device can sort at once`, {
    hint: `sort at most ${limit} keys at a time, or request the device with the limits of its adapter`,
  });
}

/** The buffers of a plan that hold the caller's input. */
const inputs = ["keys", "values", "count"] as const;

export function requirementsOf({ plan }: PlannedSort): SortRequirements {
  const needs = Object.fromEntries(
    Object.entries(plan.buffers).map(([name, { bytes, uniform }]): [string, BufferRequirement] => [
      name,
      { bytes, usage: BufferUsage.storage | (uniform ? BufferUsage.uniform : 0) },
    ]),
  );
  const { keys, values, count, ...scratch } = needs;
  const given = inputs.reduce((total, name) => total + (plan.buffers[name]?.bytes ?? 0), 0);
  return {
    keys: keys!,
    ...(values ? { values } : {}),
    ...(count ? { count } : {}),
    scratch,
    result: { keys: plan.result, ...(plan.values === undefined ? {} : { values: plan.values }) },
    scratchBytes: planBytes(plan) - given,
    dispatches: plan.passes.length,
    bytesMoved: trafficBytes(plan),
  };
}
