import { defaultLimits, type Limits, workgroupSize1d } from "./grid.js";

/** What an algorithm may know of the device that its plan is for. */
export interface DeviceTraits {
  readonly limits: Limits;
  /** Invocations that execute together: the narrowest and the widest that the device may pick. */
  readonly subgroupSize: { readonly min: number; readonly max: number };
  /** Whether the "GPU" is a program on the CPU: it runs a workgroup's subgroups in turn. */
  readonly software: boolean;
  /** Whether kernels may use subgroup operations. */
  readonly subgroups: boolean;
  /** Whether a subgroup's accesses to workgroup memory were seen to happen in program order, all lanes at a time. */
  readonly lockstep: boolean;
}

/** What can be assumed of any WebGPU device. */
export const defaultTraits: DeviceTraits = {
  limits: defaultLimits,
  subgroupSize: { min: 4, max: 128 },
  software: false,
  subgroups: false,
  lockstep: false,
};

/**
 * Invocations for a workgroup that shares memory: `wanted` on hardware, where many of them hide latency. A
 * software adapter switches stacks at every barrier for every subgroup but the first, 2 us each on SwiftShader,
 * so there a workgroup is two subgroups, and each invocation does more in turn.
 */
export function cooperativeWorkgroupSize(
  wanted: number,
  { limits, subgroupSize, software }: DeviceTraits,
): number {
  return workgroupSize1d(software ? 2 * subgroupSize.min : wanted, limits);
}
