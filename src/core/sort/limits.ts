import type { ElementType } from "../elements.js";
import { type Plan, rangeOf } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { isPlain, type SortOptions } from "./key.js";
import { subgroupsFit } from "./radix/radix_tuning.js";

/**
 * The maximum number of keys of an enumeration sort. It makes n * n comparisons, so for more keys SwiftShader
 * is several times as fast with other kernels, once it has compiled these, which takes seconds.
 */
export const MOST_ENUMERATED = 2 ** 10;

/**
 * For at most this many keys, the bitonic sort is faster on every device than the radix sort's three
 * dispatches per digit. This many 32-bit keys fit one tile of the bitonic sort, so it sorts them in one
 * dispatch.
 */
const BITONIC_KEYS = 2 ** 12;

/** Whether the bitonic sort is the fastest algorithm for a job on a device. */
export function isBitonicFastest(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): boolean {
  return keyCount <= BITONIC_KEYS && type.bytes >= 4 && isPlain(options) && !subgroupsFit(traits);
}

/** Whether a device can create every buffer of a plan and bind every range that the plan binds. */
export function fits({ buffers, passes }: Plan, { limits }: DeviceTraits): boolean {
  const maxBytes = limits.maxStorageBufferBindingSize;
  return (
    Object.values(buffers).every(({ bytes }) => bytes <= limits.maxBufferSize) &&
    passes.every(({ bindings }) => bindings.every((binding) => rangeOf(binding, buffers).bytes <= maxBytes))
  );
}
