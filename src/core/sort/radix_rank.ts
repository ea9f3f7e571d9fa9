import type { LocalTuning, SubgroupTuning } from "./radix_tuning.js";

/** The variants for kernels that rank keys by subgroup operations: see wgsl/shared/rank.wgsl. */
export function rankVariants({ subgroupSize }: SubgroupTuning): { readonly lanes: "32" | "64" } {
  return { lanes: subgroupSize > 32 ? "64" : "32" };
}

/** The constants for those kernels. They rank the keys of a tile of this size. */
export function rankConstants(
  { subgroupSize, lockstep, digitBits }: SubgroupTuning,
  { workgroupSize, keysPerInvocation }: LocalTuning,
) {
  return {
    WORKGROUP_SIZE: workgroupSize,
    SUBGROUP_SIZE: subgroupSize,
    SUBGROUPS: workgroupSize / subgroupSize,
    KEYS_PER_INVOCATION: keysPerInvocation,
    DIGIT_BITS: digitBits,
    LOCKSTEP: lockstep ? 1 : 0,
  };
}
