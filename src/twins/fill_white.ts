import { constant, type Dispatch } from "./twin.js";

/** The twin of wgsl/fill_white.wgsl: white where the grid reaches, so that a grid too small shows. */
export function fillWhite(dispatch: Dispatch): void {
  const [output] = dispatch.bindings as [Uint32Array];
  const { width, height } = dispatch.extents[0]!;
  const right = Math.min(width, dispatch.grid[0] * constant(dispatch, "WIDTH"));
  const bottom = Math.min(height, dispatch.grid[1] * constant(dispatch, "HEIGHT"));
  for (let y = 0; y < bottom; y++) output.fill(0xffffffff, y * width, y * width + right);
}
