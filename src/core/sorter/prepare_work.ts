import { Execution, type Supplied } from "../device/execute.js";
import { BufferUsage } from "../device/usage.js";
import { InputError } from "../errors.js";
import { shown } from "../names.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { library } from "../primitives/kernels.js";
import { CHUNK_SUMS } from "../primitives/scan_plan.js";
import { MAX_KEYS } from "../sort/key.js";
import { trafficBytes } from "../sort/traffic.js";
import { type BufferRegion, isWord, regionOf, requireBuffers } from "./buffers.js";
import { requireCount, requireCountSource, wordInWindow } from "./description.js";
import type { PreparedWork, WorkParts } from "./prepared.js";
import type { Sorter } from "./sorter.js";
import { boundBuffers } from "./supplied_buffers.js";

/** How many elements there are: what descriptions of scans, compactions and histograms have in common. */
export interface ElementCount {
  /** The maximum number of elements: 0 to 2^31, and not more than fit the device's buffers. */
  readonly capacity: number;
  /**
   * The number of elements, at most `capacity`, which is the default. With a buffer, the device reads it from a
   * u32 word when the work runs; a word larger than `capacity` counts as `capacity`. The word may be at any
   * offset that is a multiple of 4.
   */
  readonly count?: number | Supplied | undefined;
}

/** @throws InputError if one of the numbers is invalid. */
export function plannedElements({ capacity, count }: ElementCount) {
  requireCount("capacity", capacity, MAX_KEYS, "the maximum number of elements");
  requireCountSource(count);
  const known = typeof count === "number";
  if (known) requireCount("count", count, capacity, "the capacity");
  return {
    capacity: known ? count : capacity,
    counted: count !== undefined && !known,
    countAt: wordInWindow(count),
  };
}

/** What is prepared, and the buffers that the caller passes for it, by their names in the plan. */
interface Work<W> {
  /** What it is, for messages, such as "scan". */
  readonly name: string;
  /** @throws RangeError if the limits of the device are too low. */
  readonly plan: (traits: DeviceTraits) => Plan;
  /** The buffers that the caller must pass. */
  readonly input: Readonly<Record<string, Supplied | undefined>>;
  /** The buffers that are made if the caller passes none. */
  readonly output: Readonly<Record<string, Supplied | undefined>>;
  /** @param region returns where the first bytes of a buffer of the plan are. */
  readonly make: (parts: WorkParts, region: (name: string, bytes: number) => BufferRegion) => W;
}

/**
 * Prepares work on the device of a sorter.
 *
 * @throws InputError if a buffer is missing or wrong, or if the device cannot do the work.
 */
export function prepareWork<W extends PreparedWork>(
  sorter: Sorter,
  { name, plan: planFor, input, output, make }: Work<W>,
): Promise<W> {
  if (typeof sorter?.prepareWork !== "function") {
    throw new InputError(`the sorter of a ${name} is ${shown(sorter)}`, {
      hint: "pass what await createSorter(device) returns",
    });
  }
  return sorter.prepareWork(async (gpu, traits, released) => {
    const supplied = suppliedOf(name, input, output);
    const plan = planned(name, planFor, traits);
    const needed = Object.keys(supplied).map((one) => {
      const bytes = isWord(one) ? 4 : plan.buffers[one]!.bytes;
      return [one, { bytes, usage: BufferUsage.storage }] as const;
    });
    await requireBuffers(gpu, Object.fromEntries(needed), supplied, "none");
    gpu.kernels.add(library);
    const execution = await Execution.prepare(gpu, plan, boundBuffers(supplied));
    const cost = {
      scratchBytes: plan.buffers[CHUNK_SUMS]?.bytes ?? 0,
      dispatches: plan.passes.length,
      bytesMoved: trafficBytes(plan),
    };
    return make({ name, execution, cost, released }, (one, bytes) =>
      regionOf(one, supplied[one] ?? execution.buffers[one]!, bytes),
    );
  });
}

function suppliedOf(name: string, input: Work<never>["input"], output: Work<never>["output"]) {
  const missing = Object.entries(input).find(([, one]) => one === undefined)?.[0];
  if (missing !== undefined) {
    throw new InputError(`a ${name} needs ${missing}`, {
      hint: `pass a GPUBuffer or { buffer, offset } for ${missing}`,
    });
  }
  const supplied = Object.entries({ ...input, ...output }).filter(([, one]) => one !== undefined);
  return Object.fromEntries(supplied) as Readonly<Record<string, Supplied>>;
}

function planned(name: string, planFor: (traits: DeviceTraits) => Plan, traits: DeviceTraits): Plan {
  const hint =
    "use a smaller capacity, or request the device with the limits of its adapter: deviceDescriptor()";
  let plan: Plan;
  try {
    plan = planFor(traits);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new InputError(`this device cannot run the ${name}: ${cause.message}`, { hint, cause });
  }
  const { maxBufferSize } = traits.limits;
  const long = Object.entries(plan.buffers).find(([, { bytes }]) => bytes > maxBufferSize);
  if (!long) return plan;
  throw new InputError(
    `the ${name} needs ${long[1].bytes} bytes for ${long[0]}; a buffer of this device holds ${maxBufferSize}`,
    { hint },
  );
}
