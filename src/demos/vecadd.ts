import { gridToCover, workgroupSize1d } from "../plan/grid.js";
import { defineDemo } from "./demo.js";
import { wholeNumber } from "./options.js";

/** Floats a struct: see wgsl/vecadd.wgsl for its layout. */
const STRIDE = 8;

/** Lays out `Data { v1: vec3f, v2: vec2f }`, member by member, with WGSL's padding. */
function pack(
  count: number,
  v1: (i: number) => [number, number, number],
  v2: (i: number) => [number, number],
): Uint32Array<ArrayBuffer> {
  const floats = new Float32Array(count * STRIDE);
  for (let i = 0; i < count; i++) {
    floats.set(v1(i), i * STRIDE);
    floats.set(v2(i), i * STRIDE + 4);
  }
  return new Uint32Array(floats.buffer);
}

/** "VecAdd" of the D3D12 chapter: 32 structs of float3 and float2 added to 32 others, printed as the book does. */
export const vecadd = defineDemo({
  name: "vecadd",
  summary: "two arrays of structs (float3, float2) added on the GPU: the D3D12 chapter's 32 lines",
  options: { count: wholeNumber("structs in each array", { default: 32, least: 1, most: 1 << 20 }) },
  build: ({ values: { count }, traits: { limits } }) => {
    const bytes = count * STRIDE * 4;
    const workgroupSize = workgroupSize1d(32, limits);
    return {
      experiments: [
        {
          name: "the sums",
          plan: {
            buffers: { a: { bytes }, b: { bytes }, sum: { bytes } },
            passes: [
              {
                program: { kernel: "vecadd", uses: [], constants: { WORKGROUP_SIZE: workgroupSize } },
                bindings: ["a", "b", "sum"],
                params: [count],
                grid: gridToCover([count], [workgroupSize]),
              },
            ],
            result: "sum",
          },
          inputs: {
            a: pack(
              count,
              (i) => [i, i, i],
              (i) => [i, 0],
            ),
            b: pack(
              count,
              (i) => [-i, i, 0],
              (i) => [0, -i],
            ),
          },
        },
      ],
      show: ([outcome]) => {
        const floats = new Float32Array(outcome!.words.sum!.buffer);
        const line = (_: unknown, i: number) => {
          const [x, y, z, , u, v] = floats.subarray(i * STRIDE, (i + 1) * STRIDE);
          return `(${x}, ${y}, ${z}, ${u}, ${v})\n`;
        };
        return Array.from({ length: count }, line).join("");
      },
    };
  },
});
