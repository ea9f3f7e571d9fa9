import type { LocalTuning, SubgroupTuning } from "./radix_tuning.js";

/** The variants for kernels that add up by subgroup operations: see wgsl/shared/subgroup/. */
export function sumVariants({ sizeVaries }: SubgroupTuning) {
  const kind = sizeVaries ? "any" : "known";
  return { subgroup: kind, subgroup_scan: kind, sum_before: kind } as const;
}

/** The variants for kernels that rank keys by subgroup operations: see wgsl/shared/rank.wgsl. */
export function rankVariants({ subgroupSize, sizeVaries }: SubgroupTuning) {
  const bits = subgroupSize > 32 ? "64" : "32";
  const kind = sizeVaries ? "any" : "known";
  const lanes = sizeVaries ? (`any_${bits}` as const) : bits;
  return { subgroup: kind, lane_set: bits, lanes, sum_before: kind } as const;
}

/**
 * The constants for those kernels. They rank the keys of a tile of this size, by digits of at most `digitBits`
 * bits.
 */
export function rankConstants(
  { subgroupSize, lockstep, digitBits: usualBits }: SubgroupTuning,
  { workgroupSize, keysPerInvocation }: LocalTuning,
  digitBits = usualBits,
) {
  return {
    WORKGROUP_SIZE: workgroupSize,
    SUBGROUP_SIZE: subgroupSize,
    SUBGROUPS: workgroupSize / subgroupSize,
    COUNTERS: (workgroupSize / subgroupSize) * 2 ** digitBits,
    KEYS_PER_INVOCATION: keysPerInvocation,
    DIGIT_BITS: digitBits,
    LOCKSTEP: lockstep ? 1 : 0,
  };
}
