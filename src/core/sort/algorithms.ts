import type { ElementType } from "../elements.js";
import { InputError } from "../errors.js";
import { nameHint, shown } from "../names.js";
import type { DeviceTraits } from "../plan/traits.js";
import { bitonicCapacity, bitonicPlan } from "./bitonic.js";
import { isPlain, type SortOptions, type SortPlan } from "./key.js";
import { isBitonicFastest } from "./limits.js";
import { radixPlan } from "./radix/radix.js";
import { radixCapacity } from "./radix/radix_plan.js";

/**
 * A sorting algorithm: a function that makes a plan whose buffer "keys" holds the input. To add an algorithm,
 * write its file and add it to `algorithms` below.
 */
export interface Algorithm {
  /** "radix", "bitonic", or "auto", which takes the faster one of these for each job. */
  readonly name: string;
  /** Whether it only sorts keys of 32 or 64 bits, without values, by all of their bits, in place. */
  readonly plainOnly: boolean;
  /**
   * Plans a sort of all of `keyCount` keys, 0 to 2^31; `top` has no effect on it. It throws a RangeError for
   * any other number, and for options that the algorithm or the device does not support.
   */
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
  plan: radixPlan,
  capacity: radixCapacity,
};
const bitonic: Algorithm = { name: "bitonic", plainOnly: true, plan: bitonicPlan, capacity: bitonicCapacity };

/** All algorithms but "auto". */
export const algorithms: readonly Algorithm[] = [radix, bitonic];

/** Chooses the fastest algorithm for a job on a device. */
export function chooseAlgorithm(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): Algorithm {
  return isBitonicFastest(keyCount, type, options, traits) ? bitonic : radix;
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
 * @param name "auto", "radix" or "bitonic".
 * @throws InputError if no algorithm has that name.
 */
export function algorithm(name: string): Algorithm {
  const named = [auto, ...algorithms].find((candidate) => candidate.name === name);
  if (named) return named;
  const word = typeof name === "string" ? name : shown(name);
  throw new InputError(`unknown algorithm '${word}'`, {
    hint: nameHint(word, ["auto", ...algorithms.map((known) => known.name)]),
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
