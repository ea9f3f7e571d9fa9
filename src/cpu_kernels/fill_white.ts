import { constant, type Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/demos/fill_white.wgsl. Only the texels that the grid covers become white. */
export function fillWhite(dispatch: Dispatch): void {
  const [output] = dispatch.bindings as [Uint32Array];
  const { width, height } = dispatch.extents[0]!;
  const right = Math.min(width, dispatch.grid[0] * constant(dispatch, "WIDTH"));
  const bottom = Math.min(height, dispatch.grid[1] * constant(dispatch, "HEIGHT"));
  for (let y = 0; y < bottom; y++) output.fill(0xffffffff, y * width, y * width + right);
}
