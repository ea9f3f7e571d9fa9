import { type Plan, rangeOf } from "../plan/plan.js";

/**
 * An estimate of the bytes that a plan of a sort reads and writes in device memory: every range that a pass binds goes
 * through once, and twice where it is the only one, which is then sorted in place. Caches may save some of it, scattered
 * writes may cost more. Passes that the device leaves out where a local sort does their work are not counted, nor is it known
 * here how many keys the device will count: then it is for the most of them.
 */
export function trafficBytes({ passes, buffers }: Plan): number {
  let total = 0;
  for (const { bindings, program } of passes) {
    if (program.uses.includes("unless_fits")) continue;
    const bytes = bindings.reduce((sum, one) => sum + rangeOf(one, buffers).bytes, 0);
    total += bindings.length === 1 ? 2 * bytes : bytes;
  }
  return total;
}
