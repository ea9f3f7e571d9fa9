import { linearGrid } from "../core/plan/grid.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../core/plan/traits.js";
import { params, program } from "../demo_kernels/kernels.js";
import { formatCount, formatNumberOf, formatPercent } from "../report/units.js";
import { wrongOf } from "./compare.js";
import { defineDemo, type Experiment } from "./demo.js";
import { requireBuffer, requireWorkgroup } from "./limits.js";
import { wholeNumber } from "./options.js";

/** The default of --workgroup: the device decides the size. */
const BY_DEVICE = 0;

/**
 * Shows what a barrier is for. The kernel without the barrier has a race: its result is undefined, and may
 * also be right. So the demo only counts the wrong sums on this adapter in this run.
 */
export const barrier = defineDemo({
  name: "barrier",
  summary: "neighbours exchange numbers in workgroup memory: what goes wrong without a barrier",
  options: {
    count: wholeNumber("how many numbers; rounded up to whole workgroups", {
      default: 1 << 20,
      least: 1,
      most: 1 << 26,
    }),
    workgroup: wholeNumber("invocations per workgroup; 0 means 256, or two subgroups on a software adapter", {
      default: BY_DEVICE,
      least: 0,
      most: 1024,
    }),
  },
  build: ({ values, traits }) => {
    const size = values.workgroup === BY_DEVICE ? cooperativeWorkgroupSize(256, traits) : values.workgroup;
    requireWorkgroup([size, 1, 1], traits.limits);
    const count = Math.ceil(values.count / size) * size;
    requireBuffer(4 * count, traits.limits, `--count ${values.count}`);
    const input = new Uint32Array(count).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 8);
    return {
      experiments: [
        experiment("with the barrier", 1, input, size, traits),
        { ...experiment("without the barrier", 0, input, size, traits), mayDiffer: true },
      ],
      show: ([right, racy]) => {
        const subgroup = traits.subgroupSize.min;
        const invocations = formatNumberOf(size, "invocation");
        const head = `${formatCount(count)} numbers, workgroups of ${invocations}, subgroups of ${subgroup}\n`;
        if (!right!.differences || !racy!.differences)
          return `${head}the CPU computed the sums in order, so nothing was compared\n`;
        const { wrong, of } = racy!.differences;
        const why = size === 1 ? ": an invocation alone waits for none" : " in this run, but only by chance";
        const withBarrier =
          right!.differences.wrong === 0 ? "every sum is right" : `${wrongOf(right!.differences)} are wrong`;
        const withoutBarrier =
          wrong === 0
            ? `every sum is right${why}`
            : [
                `${formatCount(wrong)} of ${formatCount(of)} sums are wrong (${formatPercent(wrong / of)}):`,
                ` some invocations read a number before it was written\n`,
                `the first wrong sum: ${racy!.differences.first}`,
              ].join("");
        return [
          head,
          `with the barrier:    ${withBarrier}\n`,
          `without the barrier: ${withoutBarrier}\n`,
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
          program: program("neighbours", { constants: { WORKGROUP_SIZE, BARRIER } }),
          bindings: ["input", "output"],
          params: params("neighbours", { count: input.length }),
          grid: linearGrid(input.length / WORKGROUP_SIZE, limits),
        },
      ],
      result: "output",
    },
    inputs: { input },
  };
}
