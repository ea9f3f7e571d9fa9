import { defaultLimits, type Limits, workgroupSize1d } from "./grid.js";

/** What an algorithm knows about the device that it plans for. */
export interface DeviceTraits {
  readonly limits: Limits;
  /** Invocations per subgroup: the minimum and the maximum that the device may use. */
  readonly subgroupSize: { readonly min: number; readonly max: number };
  /**
   * Whether the adapter runs on the CPU. Such an adapter runs the subgroups of a workgroup one after the
   * other.
   */
  readonly software: boolean;
  /** Whether kernels may use subgroup operations. */
  readonly subgroups: boolean;
  /**
   * Whether a test has shown that all invocations of a subgroup access workgroup memory in program order and
   * in lockstep.
   */
  readonly lockstep: boolean;
}

/** Traits that hold for every WebGPU device. */
export const defaultTraits: DeviceTraits = {
  limits: defaultLimits,
  subgroupSize: { min: 4, max: 128 },
  software: false,
  subgroups: false,
  lockstep: false,
};

/**
 * Chooses the number of invocations of a workgroup that shares memory. On hardware it is `wanted`, because
 * many invocations hide latency. A software adapter switches stacks at every barrier for every subgroup but
 * the first, which takes 2 us each on SwiftShader. There, a workgroup has two subgroups, and each invocation
 * does more work.
 */
export function cooperativeWorkgroupSize(
  wanted: number,
  { limits, subgroupSize, software }: DeviceTraits,
): number {
  return workgroupSize1d(software ? 2 * subgroupSize.min : wanted, limits);
}
