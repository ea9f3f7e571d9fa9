import { constant, type Dispatch } from "./cpu_kernel.js";

/**
 * Words per `Ids` struct: three vec3u, each aligned to four words. The index lies in the gap after the first.
 */
const STRIDE = 12;

/** The CPU version of wgsl/demos/thread_ids.wgsl, with the formulas of the D3D12 chapter. */
export function threadIds(dispatch: Dispatch): void {
  const [ids] = dispatch.bindings as [Uint32Array];
  const [groupsX, groupsY, groupsZ] = dispatch.grid;
  const sizeX = constant(dispatch, "WIDTH");
  const sizeY = constant(dispatch, "HEIGHT");
  const sizeZ = constant(dispatch, "DEPTH");
  let at = 0;
  const groups = inOrder(groupsX, groupsY, groupsZ);
  const threads = inOrder(sizeX, sizeY, sizeZ);
  for (const group of groups) {
    for (const thread of threads) {
      const dispatchThread = [
        group[0] * sizeX + thread[0],
        group[1] * sizeY + thread[1],
        group[2] * sizeZ + thread[2],
      ];
      const groupIndex = thread[2] * sizeX * sizeY + thread[1] * sizeX + thread[0];
      ids.set([...group, groupIndex, ...thread, 0, ...dispatchThread, 0], at * STRIDE);
      at++;
    }
  }
}

/** All positions in a box; x varies fastest, z slowest. */
function inOrder(width: number, height: number, depth: number): [number, number, number][] {
  const places: [number, number, number][] = [];
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) places.push([x, y, z]);
  }
  return places;
}
