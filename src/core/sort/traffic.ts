import { type Pass, type Plan, rangeOf } from "../plan/plan.js";

/** The passes of a sort by the condition on which they run. The device decides; others return immediately. */
export interface PassesByCondition {
  /** Those that sort most keys. */
  readonly usual: readonly Pass[];
  /** Those that sort the segments that exceed the tiles of most: see `secondLevelPasses`. */
  readonly longSegments: readonly Pass[];
  /** Those that make the table of an equi-depth remap, where floats need one: see `remapPasses`. */
  readonly remap: readonly Pass[];
  /** Those that sort what no others can. */
  readonly fallback: readonly Pass[];
}

/** Tells the passes of a sort apart. */
export function passesByCondition({ passes }: Plan): PassesByCondition {
  const kindOf = ({ program: { kernel, variants } }: Pass): keyof PassesByCondition => {
    if (kernel.startsWith("msd_remap")) return "remap";
    if (variants.segment === "long") return "longSegments";
    return kernel === "radix_fallback" || variants.condition === "if_fallback" ? "fallback" : "usual";
  };
  const ofKind = (kind: keyof PassesByCondition) => passes.filter((pass) => kindOf(pass) === kind);
  return {
    usual: ofKind("usual"),
    longSegments: ofKind("longSegments"),
    remap: ofKind("remap"),
    fallback: ofKind("fallback"),
  };
}

/**
 * Estimates the bytes that the plan of a sort reads and writes in device memory. Each range that a pass binds
 * counts once. It counts twice if the pass binds no other range, because the pass then sorts it in place.
 * Caches may save some of these bytes, and scattered writes may cost more. Only the usual passes are counted.
 * If the device holds the number of keys, the estimate is for the largest number that the plan allows.
 *
 * @param plan a plan of buffers alone.
 * @returns bytes.
 */
export function trafficBytes(plan: Plan): number {
  let total = 0;
  for (const { program, bindings } of passesByCondition(plan).usual) {
    // Only decimals are converted, for which the fallback runs.
    const used = bindings.filter((_, number) => number !== program.constants.CONVERTED);
    const bytes = used.reduce((sum, binding) => sum + rangeOf(binding, plan.buffers).bytes, 0);
    total += used.length === 1 ? 2 * bytes : bytes;
  }
  return total;
}
