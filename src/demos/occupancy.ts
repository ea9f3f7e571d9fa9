import { InputError } from "../errors.js";
import { linearGrid } from "../plan/grid.js";
import type { Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { plainTable } from "../report/table.js";
import { formatCount, formatMs, formatPercent, formatPerSecond } from "../report/units.js";
import { bar, svgChart } from "./chart.js";
import { defineDemo, type Outcomes } from "./demo.js";
import { requireBuffer } from "./limits.js";
import { wholeNumber } from "./options.js";

/** KiB of workgroup memory to try, as far as the device has it. */
const SIZES_KIB = [1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96];

const WORKGROUP_SIZE = 64;

/** Words that are walked through: too many for a multiprocessor's own cache. */
const TABLE_WORDS = 2 ** 22;

/**
 * Both documents' advice, measured: a workgroup may take 32 KB of shared memory, but should take 16 KB or less, so that
 * two of them share a multiprocessor and one runs while the other waits. One kernel, which mostly waits, is given
 * more and more of it.
 */
export const occupancy = defineDemo({
  name: "occupancy",
  summary:
    "one kernel with growing workgroup memory: what it costs when fewer workgroups share a multiprocessor",
  options: {
    workgroups: wholeNumber("workgroups, of 64 invocations on hardware", {
      default: 4096,
      least: 1,
      most: 65_535,
    }),
    steps: wholeNumber("loads that each invocation waits for in turn", {
      default: 16,
      least: 1,
      most: 10_000,
    }),
  },
  pictures: [".svg"],
  build: ({ values: { workgroups, steps }, traits }) => {
    const size = cooperativeWorkgroupSize(WORKGROUP_SIZE, traits);
    requireBuffer(4 * TABLE_WORDS, traits.limits, "the table");
    const table = new Uint32Array(TABLE_WORDS);
    for (let i = 0; i < TABLE_WORDS; i++) table[i] = Math.imul(i ^ (i >>> 7), 0x85ebca6b) >>> 8;
    const sizes = SIZES_KIB.filter((kib) => 1024 * kib <= traits.limits.maxComputeWorkgroupStorageSize);
    const loads = workgroups * size * steps;
    return {
      experiments: sizes.map((kib) => ({
        name: `${kib} KiB`,
        plan: plan(256 * kib, size, workgroups, steps, traits),
        inputs: { table },
        timed: true as const,
      })),
      show: (outcomes) => {
        const head = `${formatCount(workgroups)} workgroups of ${size}, each invocation ${formatCount(steps)} loads in turn`;
        if (!outcomes[0]!.timing)
          return `${head}: right with every size up to ${sizes.at(-1)} KiB, and not timed\n`;
        return `${head}:\n${rows(outcomes, loads)}`;
      },
      draw: (_, outcomes) => {
        const points = outcomes.flatMap(({ timing }, i): [number, number][] =>
          timing ? [[sizes[i]!, loads / timing.medianMs / 1e3]] : [],
        );
        if (points.length === 0) {
          throw new InputError("demo occupancy draws what it times, and nothing was timed", {
            hint: "leave out --no-timing, and choose a --device that has timestamp queries",
          });
        }
        const text = svgChart({
          title: "Throughput of a kernel that waits, by the workgroup memory that it takes",
          xLabel: "KiB of workgroup memory a workgroup",
          yLabel: "millions of loads a second",
          points,
          dots: true,
        });
        return { kind: ".svg", text };
      },
    };
  },
});

function plan(
  memoryWords: number,
  size: number,
  workgroups: number,
  steps: number,
  { limits }: DeviceTraits,
): Plan {
  return {
    buffers: { table: { bytes: 4 * TABLE_WORDS }, output: { bytes: 4 * workgroups * size } },
    passes: [
      {
        program: {
          kernel: "occupancy",
          uses: ["grid"],
          constants: { WORKGROUP_SIZE: size, MEMORY_WORDS: memoryWords },
        },
        bindings: ["table", "output"],
        params: [TABLE_WORDS, steps, Math.floor(memoryWords / size)],
        grid: linearGrid(workgroups, limits),
      },
    ],
    result: "output",
  };
}

function rows(outcomes: Outcomes, loads: number): string {
  const least = Math.min(...outcomes.map(({ timing }) => timing!.medianMs));
  const head = ["memory", "median ms", "least ms", "loads/s", "of the fastest", ""];
  const cells = outcomes.map(({ name, timing }) => {
    const share = least / timing!.medianMs;
    return [
      name,
      formatMs(timing!.medianMs),
      formatMs(timing!.leastMs),
      formatPerSecond(loads, timing!.medianMs),
      formatPercent(share),
      bar(share, 30),
    ];
  });
  return plainTable([head, ...cells], ["right", "right", "right", "right", "right", "left"]);
}
