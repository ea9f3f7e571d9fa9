import { constant, type Dispatch } from "./twin.js";

/** The twin of wgsl/device_copy.wgsl. */
export function deviceCopy(dispatch: Dispatch): void {
  const [source, target] = dispatch.bindings as [Uint32Array, Uint32Array];
  const [vectors, workgroups] = dispatch.params as [number, number];
  const most = workgroups * constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "VECTORS");
  target.set(source.subarray(0, 4 * Math.min(vectors, most)));
}
