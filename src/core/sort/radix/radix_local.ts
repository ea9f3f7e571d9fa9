import type { Pass } from "../../plan/plan.js";
import { params, program } from "../../shaders/kernels.js";
import type { KeyBuffers, RadixJob } from "./radix_job.js";
import { type Conversion, outputParts, passKeyParts, placeBindings } from "./radix_parts.js";
import { valuesVariant } from "./radix_passes.js";
import { rankConstants, rankVariants } from "./radix_rank.js";
import type { LocalTuning, SubgroupTuning } from "./radix_tuning.js";

/** A local sort, by one dispatch of wgsl/radix_local.wgsl: one workgroup sorts all keys. */
export interface LocalSort extends Conversion {
  readonly from: KeyBuffers;
  readonly to: KeyBuffers;
  /** The bits to sort by: `begin` to `end` - 1. */
  readonly begin: number;
  readonly end: number;
}

/** The pass of a local sort. */
export function radixLocalPass(
  job: RadixJob,
  tuning: SubgroupTuning,
  local: LocalTuning,
  sort: LocalSort,
): Pass {
  const { from, to, begin, end, rawInput, rawOutput } = sort;
  const key = passKeyParts(job, sort);
  const values = from.values === undefined || to.values === undefined ? [] : [from.values];
  const written = outputParts(to.keys, to.values, sort.dropsKeys);
  const { bindings, numbers } = placeBindings(
    [from.keys, written.output],
    [["VALUES", values], ...written.optional],
  );
  return {
    program: program("radix_local", {
      variants: {
        ...key.variants,
        ...rankVariants(tuning),
        values: valuesVariant(sort),
        ...written.variants,
      },
      constants: {
        ...key.constants,
        ...numbers,
        ...written.numbers,
        ...rankConstants(tuning, local),
        RAW_INPUT: rawInput ? 1 : 0,
        RAW_OUTPUT: rawOutput ? 1 : 0,
      },
    }),
    bindings,
    params: params("radix_local", { keyCount: job.keyCount, begin, end }),
    grid: [1, 1, 1],
  };
}
