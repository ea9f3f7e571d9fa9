import { gridToCover, workgroupSize1d } from "../plan/grid.js";
import type { Demo } from "./demo.js";

/** Structs in each array, and floats a struct: see wgsl/vecadd.wgsl for its layout. */
const COUNT = 32;
const STRIDE = 8;

/** Lays out `Data { v1: vec3f, v2: vec2f }`, member by member, with WGSL's padding. */
function pack(
  v1: (i: number) => [number, number, number],
  v2: (i: number) => [number, number],
): Uint32Array<ArrayBuffer> {
  const floats = new Float32Array(COUNT * STRIDE);
  for (let i = 0; i < COUNT; i++) {
    floats.set(v1(i), i * STRIDE);
    floats.set(v2(i), i * STRIDE + 4);
  }
  return new Uint32Array(floats.buffer);
}

/** "VecAdd" of the D3D12 chapter: 32 structs of float3 and float2 added to 32 others, printed as the book does. */
export const vecadd: Demo = {
  name: "vecadd",
  summary: "two arrays of structs (float3, float2) added on the GPU: the D3D12 chapter's 32 lines",
  build: ({ limits }) => {
    const bytes = COUNT * STRIDE * 4;
    const workgroupSize = workgroupSize1d(32, limits);
    return {
      plan: {
        buffers: { a: { bytes }, b: { bytes }, sum: { bytes } },
        passes: [
          {
            program: { kernel: "vecadd", uses: [], constants: { WORKGROUP_SIZE: workgroupSize } },
            bindings: ["a", "b", "sum"],
            params: [COUNT],
            grid: gridToCover([COUNT], [workgroupSize]),
          },
        ],
        result: "sum",
      },
      inputs: {
        a: pack(
          (i) => [i, i, i],
          (i) => [i, 0],
        ),
        b: pack(
          (i) => [-i, i, 0],
          (i) => [0, -i],
        ),
      },
      show: (output) => {
        const floats = new Float32Array(output.buffer, output.byteOffset, output.length);
        const line = (_: unknown, i: number) => {
          const [x, y, z, , u, v] = floats.subarray(i * STRIDE, (i + 1) * STRIDE);
          return `(${x}, ${y}, ${z}, ${u}, ${v})\n`;
        };
        return Array.from({ length: COUNT }, line).join("");
      },
    };
  },
};
