import type { ElementType } from "../elements.js";
import { InputError } from "../errors.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { bitonicPlan } from "./bitonic.js";
import type { Direction } from "./key.js";

/** A way to sort: a function to a plan whose buffer "keys" holds the input, and "scratch" whatever it likes. */
export interface Algorithm {
  readonly name: string;
  readonly plan: (keyCount: number, type: ElementType, direction: Direction, traits: DeviceTraits) => Plan;
}

/** Best first. */
export const algorithms: readonly Algorithm[] = [{ name: "bitonic", plan: bitonicPlan }];

/** @throws InputError if there is no algorithm of that name; "auto" is the best that there is. */
export function algorithm(name: string): Algorithm {
  const found = name === "auto" ? algorithms[0] : algorithms.find((one) => one.name === name);
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
  let tooMany = Math.min(2 ** 32, Math.floor(traits.limits.maxStorageBufferBindingSize / type.bytes) + 1);
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(plan(middle, type, { descending: false }, traits), traits)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}
