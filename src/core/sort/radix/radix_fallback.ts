import { evenShare } from "../../plan/grid.js";
import type { Pass } from "../../plan/plan.js";
import { params, program } from "../../shaders/kernels.js";
import type { FallbackTuning } from "../msd/msd_tuning.js";
import type { RadixJob } from "./radix_job.js";
import {
  biasVariant,
  passKeyParts,
  placeBindings,
  rankConstants,
  rankVariants,
  STATUS,
  WORKGROUP_COUNTS,
} from "./radix_parts.js";
import type { SubgroupTuning } from "./radix_tuning.js";

/** Loads from memory after which a workgroup does not wait any longer for others: some seconds. */
const SPIN_LIMIT = 2 ** 24;

/** Counts of other workgroups that an invocation loads at once: one number for all sizes, for one program. */
const LOADS = 8;

/**
 * The pass that makes all moves of a fallback but the first, which has moved keys and values to the odd
 * buffers. Its workgroups wait for each other, so a test must have shown that the device lets them
 * (`DeviceTraits.parallelProgress`). They leave the keys in the even buffers, as the number of digits is even.
 */
export function fallbackPass(job: RadixJob, tuning: SubgroupTuning, fallback: FallbackTuning): Pass {
  const { keyCount, digits, odd, even, ordered, type, options } = job;
  const { workgroupSize, keysPerInvocation, spinLimit } = fallback;
  const tile = workgroupSize * keysPerInvocation;
  const workgroups = participantCount(keyCount, fallback);
  const values = odd.values === undefined || even.values === undefined ? [] : [odd.values, even.values];
  const { bindings, numbers } = placeBindings(
    [odd.keys, even.keys, WORKGROUP_COUNTS, STATUS],
    [["VALUES", values]],
  );
  // The keys are in their ordered form until the last move.
  const rawOutput = !ordered && !options.dropKeys;
  const { variants, constants } = passKeyParts(job, { rawInput: false, rawOutput });
  const { key, order, compared } = variants;
  const rank = rankConstants(tuning, fallback);
  return {
    program: program("radix_fallback", {
      variants: {
        key,
        order,
        compared,
        bias: biasVariant(job),
        ...rankVariants(tuning),
        fallback_values: values.length > 0 ? "word" : undefined,
      },
      constants: {
        ...constants,
        ...numbers,
        GRID_BARRIER: 3,
        ENTRY_SPIN_LIMIT: spinLimit,
        SPIN_LIMIT,
        ...rank,
        COUNTERS: Math.max(rank.COUNTERS, tile * type.words),
        KEY_WORDS: type.words,
        LOADS,
        RAW_OUTPUT: rawOutput ? 1 : 0,
      },
    }),
    bindings,
    params: params("radix_fallback", {
      keyCount,
      begin: digits[1]!.shift,
      end: job.bits.end,
      zero: 0,
    }),
    grid: [workgroups, 1, 1],
  };
}

/** Words of what all participating workgroups publish: see wgsl/msd/fallback/radix_fallback.wgsl. */
export function workgroupCountWords({ keyCount, tuning, type }: RadixJob, fallback: FallbackTuning): number {
  return (2 ** tuning.digitBits + type.words) * participantCount(keyCount, fallback);
}

/** The fewest workgroups with which none has more tiles than with the maximum number of workgroups. */
function participantCount(
  keyCount: number,
  { workgroupSize, keysPerInvocation, workgroups }: Omit<FallbackTuning, "spinLimit">,
): number {
  const tiles = Math.max(1, Math.ceil(keyCount / (workgroupSize * keysPerInvocation)));
  return evenShare(tiles, workgroups);
}
