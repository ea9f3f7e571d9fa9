import type { ElementType } from "../elements.js";
import { InputError } from "../errors.js";
import { nameHint } from "../names.js";
import { type Plan, rangeOf } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { bitonicCapacity, bitonicPlan } from "./bitonic.js";
import { isPlain, type SortOptions, type SortPlan } from "./key.js";
import { radixCapacity, radixPlan } from "./radix.js";
import { subgroupsFit } from "./radix_tuning.js";
import { selectPlan, selects } from "./select.js";

/**
 * A sorting algorithm: a function that makes a plan whose buffer "keys" holds the input. To add an algorithm,
 * write its file and add it to `algorithms` below.
 */
export interface Algorithm {
  readonly name: string;
  /** Whether it only sorts keys of 32 or 64 bits, without values, by all of their bits, in place. */
  readonly plainOnly: boolean;
  readonly plan: (
    keyCount: number,
    type: ElementType,
    options: SortOptions,
    traits: DeviceTraits,
  ) => SortPlan;
  /** The maximum number of keys whose plan fits a device that has at least WebGPU's guaranteed limits. */
  readonly capacity: (type: ElementType, options: SortOptions, traits: DeviceTraits) => number;
}

const radix: Algorithm = {
  name: "radix",
  plainOnly: false,
  plan: (keyCount, type, options, traits) =>
    selects(keyCount, type, options, traits)
      ? selectPlan(keyCount, type, options, traits)
      : radixPlan(keyCount, type, options, traits),
  capacity: radixCapacity,
};
const bitonic: Algorithm = { name: "bitonic", plainOnly: true, plan: bitonicPlan, capacity: bitonicCapacity };

export const algorithms: readonly Algorithm[] = [radix, bitonic];

/**
 * For at most this many keys, the bitonic sort is faster on every device than the radix sort's three
 * dispatches per digit. This many 32-bit keys fit one tile of the bitonic sort, so it sorts them in one
 * dispatch.
 */
const FEW_KEYS = 2 ** 12;

/** Chooses the fastest algorithm for a job on a device. */
export function chooseAlgorithm(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): Algorithm {
  const isBitonic = keyCount <= FEW_KEYS && type.bytes >= 4 && isPlain(options) && !subgroupsFit(traits);
  return isBitonic ? bitonic : radix;
}

const auto: Algorithm = {
  name: "auto",
  plainOnly: false,
  plan: (keyCount, type, options, traits) =>
    chooseAlgorithm(keyCount, type, options, traits).plan(keyCount, type, options, traits),
  capacity: radixCapacity,
};

/**
 * Finds an algorithm by its name; "auto" uses the fastest one for each job.
 *
 * @throws InputError if no algorithm has that name.
 */
export function algorithm(name: string): Algorithm {
  const found = [auto, ...algorithms].find((candidate) => candidate.name === name);
  if (found) return found;
  throw new InputError(`unknown algorithm '${name}'`, {
    hint: nameHint(name, ["auto", ...algorithms.map((known) => known.name)]),
  });
}

/** @throws InputError if the algorithm does not support the element type or the options. */
export function requireSupported(
  { name, plainOnly }: Algorithm,
  type: ElementType,
  options: SortOptions,
): void {
  if (!plainOnly || (isPlain(options) && type.bytes >= 4)) return;
  throw new InputError(
    `the ${name} sort takes only keys of 32 or 64 bits, without values, by all of their bits`,
    {
      hint: "use the algorithm auto or radix",
    },
  );
}

/** Whether a device can create every buffer of a plan and bind every range that the plan binds. */
export function fits({ buffers, passes }: Plan, { limits }: DeviceTraits): boolean {
  const maxBytes = limits.maxStorageBufferBindingSize;
  return (
    Object.values(buffers).every(({ bytes }) => bytes <= limits.maxBufferSize) &&
    passes.every(({ bindings }) => bindings.every((binding) => rangeOf(binding, buffers).bytes <= maxBytes))
  );
}
