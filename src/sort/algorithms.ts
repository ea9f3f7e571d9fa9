import type { ElementType } from "../elements.js";
import { InputError } from "../errors.js";
import { type Plan, rangeOf } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { bitonicPlan } from "./bitonic.js";
import { isPlain, MAX_KEYS, type SortOptions, type SortPlan } from "./key.js";
import { radixPlan } from "./radix.js";
import { subgroupsFit } from "./radix_tuning.js";

/** A way to sort: a function to a plan whose buffer "keys" holds the input. */
export interface Algorithm {
  readonly name: string;
  /** Whether it does what else may be asked for: values, bits, counts, and keeping the input. */
  readonly plainOnly: boolean;
  readonly plan: (
    keyCount: number,
    type: ElementType,
    options: SortOptions,
    traits: DeviceTraits,
  ) => SortPlan;
}

const radix: Algorithm = { name: "radix", plainOnly: false, plan: radixPlan };
const bitonic: Algorithm = { name: "bitonic", plainOnly: true, plan: bitonicPlan };

export const algorithms: readonly Algorithm[] = [radix, bitonic];

/** Up to this many keys are one tile of the bitonic sort, which beats three dispatches a digit everywhere. */
const FEW_KEYS = 2 ** 12;

/** The fastest for such a job on such a device. */
export function fastest(
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
    fastest(keyCount, type, options, traits).plan(keyCount, type, options, traits),
};

/** @throws InputError if there is no algorithm of that name; "auto" takes the fastest for each job. */
export function algorithm(name: string): Algorithm {
  const found = [auto, ...algorithms].find((one) => one.name === name);
  if (found) return found;
  throw new InputError(`unknown algorithm '${name}'`, {
    hint: `use auto or ${algorithms.map((one) => one.name).join(", ")}`,
  });
}

/** @throws InputError if the algorithm does not do what is asked for. */
export function requireAble({ name, plainOnly }: Algorithm, type: ElementType, options: SortOptions): void {
  if (!plainOnly || (isPlain(options) && type.bytes >= 4)) return;
  throw new InputError(`the ${name} sort takes keys of 32 or 64 bits, alone and by all of their bits`, {
    hint: "leave the algorithm to auto, or use radix",
  });
}

/** Whether every buffer of a plan can be made on a device, and bound as the plan says. */
export function fits({ buffers, passes }: Plan, { limits }: DeviceTraits): boolean {
  const most = limits.maxStorageBufferBindingSize;
  return (
    Object.values(buffers).every(({ bytes }) => bytes <= limits.maxBufferSize) &&
    passes.every(({ bindings }) => bindings.every((one) => rangeOf(one, buffers).bytes <= most))
  );
}

/** The most keys whose plan fits the device. */
export function capacity(
  { plan }: Algorithm,
  type: ElementType,
  traits: DeviceTraits,
  options: SortOptions = { descending: false },
): number {
  let fitting = 0;
  let tooMany = Math.min(MAX_KEYS, Math.floor(traits.limits.maxBufferSize / type.bytes)) + 1;
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(plan(middle, type, options, traits), traits)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}
