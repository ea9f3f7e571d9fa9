import { defaultLimits, type Limits, workgroupSize1d } from "./grid.js";

/** What an algorithm knows about the device that it plans for. */
export interface DeviceTraits {
  /** What the device allows at most. */
  readonly limits: Limits;
  /** Invocations per subgroup. Both numbers are the same if the device has one size. */
  readonly subgroupSize: {
    /** The fewest that the device may use. */
    readonly min: number;
    /** The most that the device may use. */
    readonly max: number;
  };
  /** The smallest subgroups that a test on the device has found. Undefined without such a test. */
  readonly testedSubgroupSize?: number | undefined;
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
  /**
   * Whether a test has shown that a workgroup that has begun runs on, even while others wait for it in a loop,
   * which C++ calls parallel forward progress, and that these then see what it wrote. WebGPU promises neither.
   * The default is false.
   */
  readonly parallelProgress?: boolean | undefined;
}

/** Traits that hold for every WebGPU device. */
export const defaultTraits: DeviceTraits = {
  limits: defaultLimits,
  subgroupSize: { min: 4, max: 128 },
  software: false,
  subgroups: false,
  lockstep: false,
};

/** Most hardware has subgroups of this many invocations, or lets a driver choose it. */
const USUAL_SUBGROUP_SIZE = 32;

/** The size of the largest groups that kernels treat as a subgroup. */
const MAX_GROUP_SIZE = 64;

/**
 * How kernels are made for the subgroups of a device.
 *
 * @returns `size` is the number of neighbouring invocations that kernels treat as one subgroup. `varies` is
 *   whether the device may use subgroups of other sizes. Kernels are then right for all of them, and fast if
 *   none are smaller.
 */
export function plannedSubgroups({ subgroupSize: { min, max }, testedSubgroupSize }: DeviceTraits): {
  readonly size: number;
  readonly varies: boolean;
} {
  if (min === max && min <= MAX_GROUP_SIZE) return { size: min, varies: false };
  const group = testedSubgroupSize ?? Math.max(min, Math.min(max, USUAL_SUBGROUP_SIZE));
  return { size: Math.min(MAX_GROUP_SIZE, group), varies: true };
}

/**
 * Chooses the number of invocations of a workgroup that shares memory. On hardware it is `preferred`, because
 * many invocations hide latency. A software adapter switches stacks at every barrier for every subgroup but
 * the first, which takes 2 us each on SwiftShader. There, a workgroup has two subgroups, and each invocation
 * does more work.
 */
export function cooperativeWorkgroupSize(
  preferred: number,
  { limits, subgroupSize, software }: DeviceTraits,
): number {
  return workgroupSize1d(software ? 2 * subgroupSize.min : preferred, limits);
}

/** How a workgroup adds up numbers: by subgroup operations where all subgroups have the same size. */
export function workgroupSums(traits: DeviceTraits) {
  const { size, varies } = plannedSubgroups(traits);
  if (!traits.subgroups || varies) return { variant: "plain", constants: {} } as const;
  return { variant: "known", constants: { SUBGROUP_SIZE: size } } as const;
}

/**
 * The processors of a large GPU, each of which runs some workgroups at a time: the multiprocessors of an H100
 * and of an H200, on which the tuning tables were measured. WebGPU does not tell this number of a device, so
 * tables count workgroups in multiples of it for all. With fewer or more processors a sort is as right, only
 * its last workgroups may leave some of them idle.
 */
export const PROCESSORS = 132;
