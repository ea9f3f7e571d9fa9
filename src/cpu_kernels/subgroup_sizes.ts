import { constant, type Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/subgroup_sizes.wgsl: the CPU has no subgroups, and none is too narrow. */
export function subgroupSizes(dispatch: Dispatch): void {
  dispatch.bindings[1]!.fill(constant(dispatch, "SUBGROUP_SIZE"), 0, dispatch.grid[0]);
}
