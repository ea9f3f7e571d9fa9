import { linearGrid } from "../plan/grid.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { formatCount, formatPercent } from "../report/units.js";
import { wrongOf } from "./compare.js";
import { defineDemo, type Experiment } from "./demo.js";
import { requireBuffer, requireWorkgroup } from "./limits.js";
import { wholeNumber } from "./options.js";

/** 0 leaves the size to the device's kind. */
const BY_DEVICE = 0;

/**
 * Both documents' example of what a barrier is for. The kernel without it has a race: what it computes is undefined,
 * which includes the right result. So the demo counts, on this adapter and in this run, and claims nothing.
 */
export const barrier = defineDemo({
  name: "barrier",
  summary: "neighbours read through workgroup memory, with the barrier and without: how many come out wrong",
  options: {
    count: wholeNumber("numbers, rounded up to whole workgroups", {
      default: 1 << 20,
      least: 1,
      most: 1 << 26,
    }),
    workgroup: wholeNumber("invocations of a workgroup; 0 takes 256, and 2 subgroups on a software adapter", {
      default: BY_DEVICE,
      least: 0,
      most: 1024,
    }),
  },
  build: ({ values, traits }) => {
    const size = values.workgroup === BY_DEVICE ? cooperativeWorkgroupSize(256, traits) : values.workgroup;
    requireWorkgroup([size, 1, 1], traits.limits, "--workgroup");
    const count = Math.ceil(values.count / size) * size;
    requireBuffer(4 * count, traits.limits, `--count ${values.count}`);
    const input = new Uint32Array(count).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 8);
    return {
      experiments: [
        experiment("with the barrier", 1, input, size, traits),
        { ...experiment("without the barrier", 0, input, size, traits), mayDiffer: true },
      ],
      show: ([right, racy]) => {
        const { wrong, of } = racy!.differences;
        return [
          `${formatCount(count)} numbers, workgroups of ${size} invocations, subgroups of ${traits.subgroupSize.min}\n`,
          `with the barrier:    ${right!.differences.wrong === 0 ? "all right" : `${wrongOf(right!.differences)} wrong`}\n`,
          `without the barrier: ${
            wrong === 0
              ? "all right in this run, which is luck: nothing promises it"
              : `${formatCount(wrong)} of ${formatCount(of)} wrong (${formatPercent(wrong / of)}); ${racy!.differences.first}`
          }\n`,
        ].join("");
      },
    };
  },
});

function experiment(
  name: string,
  BARRIER: number,
  input: Uint32Array<ArrayBuffer>,
  WORKGROUP_SIZE: number,
  { limits }: DeviceTraits,
): Experiment {
  const bytes = Math.max(16, input.byteLength);
  return {
    name,
    plan: {
      buffers: { input: { bytes }, output: { bytes } },
      passes: [
        {
          program: { kernel: "neighbours", uses: ["grid"], constants: { WORKGROUP_SIZE, BARRIER } },
          bindings: ["input", "output"],
          params: [input.length],
          grid: linearGrid(input.length / WORKGROUP_SIZE, limits),
        },
      ],
      result: "output",
    },
    inputs: { input },
  };
}
