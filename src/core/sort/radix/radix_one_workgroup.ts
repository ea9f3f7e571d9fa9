import type { Pass } from "../../plan/plan.js";
import { params, program } from "../../shaders/kernels.js";
import { networkParts, segmentKeys } from "../msd/msd_segments.js";
import { oneWorkgroupCounters } from "./one_workgroup_tuning.js";
import { isUnstable, type RadixJob } from "./radix_job.js";
import { passKeyParts, placeBindings, rankConstants, rankVariants, sumVariants } from "./radix_parts.js";
import type { SubgroupTuning } from "./radix_tuning.js";

/**
 * Sorts keys without values in one pass, by one workgroup, whatever they are. Undefined if they do not fit its
 * tile.
 */
export function oneWorkgroupPass(job: RadixJob, tuning: SubgroupTuning): Pass | undefined {
  const { oneWorkgroup } = tuning;
  if (!oneWorkgroup || job.keyCount > segmentKeys(oneWorkgroup) || !isUnstable(job)) return undefined;
  const { input, odd, ordered, type, keyCount } = job;
  const key = passKeyParts(job, { rawInput: !ordered, rawOutput: !ordered });
  const network = networkParts(oneWorkgroup);
  const { bindings, numbers } = placeBindings([input.keys, odd.keys], []);
  return {
    program: program("radix_one_workgroup", {
      variants: {
        ...key.variants,
        ...sumVariants(tuning),
        ...rankVariants(tuning),
        ...network.variants,
        local_item: "key",
        written_keys: "all",
      },
      constants: {
        ...key.constants,
        ...numbers,
        ...rankConstants(tuning, oneWorkgroup, oneWorkgroup.rankBits),
        ...network.constants,
        COUNTERS: oneWorkgroupCounters(oneWorkgroup, tuning.subgroupSize),
        MAX_BIN_KEYS: oneWorkgroup.maxBinKeys,
        KEY_WORDS: type.words,
        RAW_INPUT: ordered ? 0 : 1,
        RAW_OUTPUT: ordered ? 0 : 1,
      },
    }),
    bindings,
    params: params("radix_one_workgroup", { keyCount }),
    grid: [1, 1, 1],
  };
}
