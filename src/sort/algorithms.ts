import type { ElementType } from "../elements.js";
import { InputError } from "../errors.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { bitonicPlan } from "./bitonic.js";
import { type Direction, MAX_KEYS } from "./key.js";
import { radixPlan } from "./radix.js";
import { groupsFit } from "./radix_tuning.js";

/** A way to sort: a function to a plan whose buffer "keys" holds the input, and "scratch" whatever it likes. */
export interface Algorithm {
  readonly name: string;
  readonly plan: (keyCount: number, type: ElementType, direction: Direction, traits: DeviceTraits) => Plan;
}

const radix: Algorithm = { name: "radix", plan: radixPlan };
const bitonic: Algorithm = { name: "bitonic", plan: bitonicPlan };

export const algorithms: readonly Algorithm[] = [radix, bitonic];

/** Up to this many keys are one tile of the bitonic sort, which beats three dispatches a digit everywhere. */
const FEW_KEYS = 2 ** 12;

/** The fastest for so many keys on such a device: radix where one of its families suits the device. */
export function fastest(keyCount: number, traits: DeviceTraits): Algorithm {
  return keyCount > FEW_KEYS && (traits.software || groupsFit(traits)) ? radix : bitonic;
}

const auto: Algorithm = {
  name: "auto",
  plan: (keyCount, type, direction, traits) =>
    fastest(keyCount, traits).plan(keyCount, type, direction, traits),
};

/** @throws InputError if there is no algorithm of that name; "auto" takes the fastest for each job. */
export function algorithm(name: string): Algorithm {
  const found = [auto, ...algorithms].find((one) => one.name === name);
  if (found) return found;
  throw new InputError(`unknown algorithm '${name}'`, {
    hint: `use auto or ${algorithms.map((one) => one.name).join(", ")}`,
  });
}

/** Whether every buffer of a plan can be made and bound on a device. */
export function fits({ buffers }: Plan, { limits }: DeviceTraits): boolean {
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  return Object.values(buffers).every(({ bytes }) => bytes <= most);
}

/** The most keys whose plan fits the device. */
export function capacity({ plan }: Algorithm, type: ElementType, traits: DeviceTraits): number {
  let fitting = 0;
  let tooMany = Math.min(MAX_KEYS, Math.floor(traits.limits.maxStorageBufferBindingSize / type.bytes)) + 1;
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(plan(middle, type, { descending: false }, traits), traits)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}
