import { readParams } from "../core/shaders/kernels.js";
import { constant, type Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/device_copy.wgsl. */
export function deviceCopy(dispatch: Dispatch): void {
  const [source, target] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { vectors, workgroups } = readParams("device_copy", dispatch.params);
  const most = workgroups * constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "VECTORS");
  target.set(source.subarray(0, 4 * Math.min(vectors, most)));
}
