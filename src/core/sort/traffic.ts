import { type Plan, rangeOf } from "../plan/plan.js";

/**
 * Estimates the bytes that the plan of a sort reads and writes in device memory. Each range that a pass binds
 * counts once. It counts twice if the pass binds no other range, because the pass then sorts it in place.
 * Caches may save some of these bytes, and scattered writes may cost more. Fallback passes are not counted.
 * If the device holds the number of keys, the estimate is for the largest number that the plan allows.
 *
 * @param plan a plan of buffers alone.
 * @returns bytes.
 */
export function trafficBytes({ passes, buffers }: Plan): number {
  let total = 0;
  for (const { bindings, program } of passes) {
    if (program.variants.condition === "if_fallback") continue;
    const bytes = bindings.reduce((sum, binding) => sum + rangeOf(binding, buffers).bytes, 0);
    total += bindings.length === 1 ? 2 * bytes : bytes;
  }
  return total;
}
