import type { Supplied } from "../device/execute.js";
import { BufferUsage } from "../device/usage.js";
import { type ElementType, elementType, type TypeName } from "../elements.js";
import { InputError } from "../errors.js";
import { planBytes } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { algorithm, capacity, fits } from "../sort/algorithms.js";
import { type KeyBits, MAX_KEYS, type Payload, type SortOptions, type SortPlan } from "../sort/key.js";
import { trafficBytes } from "../sort/traffic.js";

/** A sort of keys that are on the device: everything but the buffers. */
export interface SortDescription {
  readonly type: TypeName;
  /** The most keys, 0 to 2^31, as far as the device's buffers reach. */
  readonly capacity: number;
  /**
   * How many of them to sort: a number, or "gpu" (or the buffer itself) for a u32 word that the device holds when the
   * sort runs; more than `capacity` counts as `capacity`. All of them without it.
   */
  readonly count?: number | "gpu" | Supplied | undefined;
  /** The exact reverse of the ascending order of keys; equal keys keep their order either way. */
  readonly descending?: boolean | undefined;
  /** The bits of a key that decide, [begin, end), 0 the least significant; all without it. Fewer bits are fewer passes. */
  readonly bits?: KeyBits | undefined;
  /** What travels with each key: a value of so many bytes, a multiple of 4; or "index", the key's place in the input. */
  readonly payload?: Payload | undefined;
  /** Whether the input must be afterwards as it was, or may be used as scratch, which takes less of it. "destroy" without it. */
  readonly input?: "keep" | "destroy" | undefined;
}

/** A buffer that a sort needs: for `device.createBuffer({ size: bytes, usage })`; more of either does no harm. */
export interface BufferRequirement {
  readonly bytes: number;
  /** GPUBufferUsage flags. */
  readonly usage: GPUBufferUsageFlags;
}

/** What a sort needs and costs. */
export interface SortRequirements {
  /** Keys, `type` bytes each, rounded up to whole words, and at least 16 bytes. */
  readonly keys: BufferRequirement;
  /** Absent where no values go in. */
  readonly values?: BufferRequirement;
  /** Absent where the device does not count. */
  readonly count?: BufferRequirement;
  /** By name. They are several, since WebGPU lets no dispatch read and write one buffer. Contents do not matter. */
  readonly scratch: Readonly<Record<string, BufferRequirement>>;
  /** Where the result will be: "keys", "values", or the name of a scratch buffer. */
  readonly result: { readonly keys: string; readonly values?: string };
  readonly scratchBytes: number;
  /** Dispatches. */
  readonly passes: number;
  /** Bytes read and written in device memory, as `trafficBytes` estimates them. */
  readonly bytesMoved: number;
}

/** A description, checked, and its plan. */
export interface DescribedSort {
  readonly type: ElementType;
  readonly options: SortOptions;
  readonly plan: SortPlan;
  readonly keyCount: number;
}

/**
 * @throws InputError for anything in it that cannot be.
 */
export function describe(description: SortDescription, traits: DeviceTraits): DescribedSort {
  const { capacity: most, count, descending = false, bits, payload, input = "destroy" } = description;
  const type = elementType(description.type);
  requireCount("capacity", most, MAX_KEYS, "is the most keys that a sort takes");
  if (typeof count === "number") requireCount("count", count, most, "is the capacity");
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
    hint: `pass a whole number from 0 to ${most}, which ${what}`,
  });
}

/** @throws InputError */
export function requireBits(bits: KeyBits | undefined, type: ElementType): void {
  if (bits === undefined) return;
  const { begin, end } = bits;
  const most = 8 * type.bytes;
  if (Number.isInteger(begin) && Number.isInteger(end) && 0 <= begin && begin <= end && end <= most) return;
  throw new InputError(`bits ${begin} to ${end} are none of a ${type.name} key`, {
    hint: `pass { begin, end } with 0 <= begin <= end <= ${most}`,
  });
}

function requirePayload(payload: Payload | undefined): void {
  if (payload === undefined || payload === "index") return;
  if (Number.isInteger(payload) && payload >= 0 && payload % 4 === 0) return;
  throw new InputError(`a payload of ${payload} bytes is no multiple of 4`, {
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
    throw new InputError(`${keyCount} ${type.name} keys cannot be sorted like that: ${cause.message}`, {
      hint: options.counted
        ? "pass the number of keys as a number, or a smaller capacity"
        : "sort them in parts, or with less payload",
      cause,
    });
  }
  if (fits(plan, traits)) return plan;
  throw new InputError(`${keyCount} ${type.name} keys are more than this device sorts at once`, {
    hint: `sort at most ${mostThatFit(type, options, traits)} at a time, or request the adapter's limits for the device`,
  });
}

function mostThatFit(type: ElementType, options: SortOptions, traits: DeviceTraits): number {
  const auto = algorithm("auto");
  const plan: typeof auto.plan = (keyCount, ...rest) => {
    try {
      return auto.plan(keyCount, ...rest);
    } catch {
      return { buffers: { keys: { bytes: Number.POSITIVE_INFINITY } }, passes: [], result: "keys" };
    }
  };
  return capacity({ ...auto, plan }, type, traits, options);
}

/** The buffers of a plan that the caller fills. */
const inputs = ["keys", "values", "count"] as const;

export function requirementsOf({ plan }: DescribedSort): SortRequirements {
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
    passes: plan.passes.length,
    bytesMoved: trafficBytes(plan),
  };
}
