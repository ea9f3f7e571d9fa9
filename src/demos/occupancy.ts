import { InputError } from "../core/errors.js";
import { linearGrid } from "../core/plan/grid.js";
import type { Plan } from "../core/plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../core/plan/traits.js";
import { params, program } from "../demo_kernels/kernels.js";
import { plainTable } from "../report/table.js";
import { formatNumberOf, formatPercent, formatPerSecond, threeDigits } from "../report/units.js";
import { defineDemo, type Outcomes } from "./demo.js";
import { requireBuffer } from "./limits.js";
import { wholeNumber } from "./options.js";
import { bar } from "./pictures/picture.js";

/** The sizes of workgroup memory to try, in KiB, up to the device's limit. */
const SIZES_KIB = [1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96];

const WORKGROUP_SIZE = 64;

/** Words of the table that the kernel reads: too many for a multiprocessor's own cache. */
const TABLE_WORDS = 2 ** 22;

/**
 * Measures a rule of both source documents: a workgroup may use 32 KB of shared memory, but should use at
 * most 16 KB. Then two workgroups share a multiprocessor, and one runs while the other waits. Here one
 * kernel, which mostly waits for memory, is timed with growing amounts of workgroup memory.
 */
export const occupancy = defineDemo({
  name: "occupancy",
  summary: "why a kernel that uses more workgroup memory can be slower: fewer workgroups run at a time",
  options: {
    workgroups: wholeNumber("number of workgroups (on a GPU, of 64 invocations each)", {
      default: 4096,
      least: 1,
      most: 65_535,
    }),
    steps: wholeNumber("loads per invocation; each waits for the one before", {
      default: 16,
      least: 1,
      most: 10_000,
    }),
  },
  pictures: [".svg"],
  charts: true,
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
        const head = [
          `${formatNumberOf(workgroups, "workgroup")} of ${formatNumberOf(size, "invocation")};`,
          `each invocation waits for ${formatNumberOf(steps, "load")}, one after the other`,
        ].join(" ");
        if (!outcomes[0]!.timing) {
          const memory = `${sizes.at(-1)} KiB of workgroup memory`;
          const verdict = outcomes[0]!.differences ? `the results are right with up to ${memory}; ` : "";
          return `${head}\n${verdict}nothing was timed\n`;
        }
        return `${head}\n${rows(outcomes, loads)}`;
      },
      draw: (_, outcomes) => {
        const points = outcomes.flatMap(({ timing }, i): [number, number][] =>
          timing ? [[sizes[i]!, loads / timing.medianMs / 1e3]] : [],
        );
        if (points.length === 0) {
          throw new InputError("demo occupancy cannot draw a chart of times, since nothing was timed", {
            hint: "choose a --device that has timestamp queries, without --no-timing",
          });
        }
        const chart = {
          title: "Throughput of a kernel that waits for memory, by its use of workgroup memory",
          xLabel: "KiB of workgroup memory per workgroup",
          yLabel: "millions of loads per second",
          points,
          dots: true,
        };
        return { kind: ".svg", chart };
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
        program: program("occupancy", { constants: { WORKGROUP_SIZE: size, MEMORY_WORDS: memoryWords } }),
        bindings: ["table", "output"],
        params: params("occupancy", { words: TABLE_WORDS, steps, stride: Math.floor(memoryWords / size) }),
        grid: linearGrid(workgroups, limits),
      },
    ],
    result: "output",
  };
}

function rows(outcomes: Outcomes, loads: number): string {
  const least = Math.min(...outcomes.map(({ timing }) => timing!.medianMs));
  const head = ["memory", "median ms", "min ms", "loads/s", "of the fastest", ""];
  const cells = outcomes.map(({ name, timing }) => {
    const share = least / timing!.medianMs;
    return [
      name,
      threeDigits(timing!.medianMs),
      threeDigits(timing!.minMs),
      formatPerSecond(loads, timing!.medianMs),
      formatPercent(share),
      bar(share, 30),
    ];
  });
  return plainTable([head, ...cells], ["right", "right", "right", "right", "right", "left"]);
}
