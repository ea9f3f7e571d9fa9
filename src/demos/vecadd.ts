import { gridToCover, workgroupSize1d } from "../core/plan/grid.js";
import { params, program } from "../demo_kernels/kernels.js";
import { defineDemo } from "./demo.js";
import { wholeNumber } from "./options.js";

/** Floats per struct: see wgsl/demos/vecadd.wgsl for the layout. */
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

/**
 * "VecAdd" of the D3D12 chapter: adds 32 structs of a float3 and a float2 to 32 others, and prints the book's
 * output.
 */
export const vecadd = defineDemo({
  name: "vecadd",
  summary: "add two arrays of structs (a float3 and a float2 each) in storage buffers",
  options: { count: wholeNumber("number of structs per array", { default: 32, least: 1, most: 1 << 20 }) },
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
                program: program("vecadd", { constants: { WORKGROUP_SIZE: workgroupSize } }),
                bindings: ["a", "b", "sum"],
                params: params("vecadd", { count }),
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
