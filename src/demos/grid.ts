import { gridToCover, idleInvocations, workgroupSize2d } from "../core/plan/grid.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import { program } from "../demo_kernels/kernels.js";
import { plainTable } from "../report/table.js";
import { formatCount, formatPercent, threeDigits } from "../report/units.js";
import type { Experiment, Outcomes } from "./demo.js";
import { defineDemo } from "./demo.js";
import { requireTexture, requireWorkgroup } from "./limits.js";
import { extent } from "./options.js";

type Size = readonly [width: number, height: number];

/** Common workgroup shapes, shown in addition to the article's. */
const USUAL: readonly Size[] = [
  [8, 8],
  [16, 16],
  [32, 8],
  [32, 32],
  [64, 1],
  [256, 1],
];

/**
 * Apple's "Calculating threadgroup and grid sizes". Metal can dispatch a grid of any size, with smaller
 * workgroups at the edge. WebGPU, like older versions of Metal, dispatches whole workgroups. So the kernel
 * checks for the edge, and the invocations beyond it are idle.
 */
export const grid = defineDemo({
  name: "grid",
  summary: "how many invocations are idle when workgroups of different sizes cover an image",
  options: {
    size: extent("pixels to cover", "1920x1080", 2),
    workgroup: extent("an additional workgroup size to try", "4x4", 2),
  },
  build: ({ values, traits }) => {
    const size = values.size as [number, number];
    const own = values.workgroup as [number, number];
    requireTexture(size[0], size[1], traits.limits, `--size ${size.join("x")}`);
    requireWorkgroup(own, traits.limits);
    const shapes = workgroups(own, traits);
    return {
      experiments: shapes.map((shape) => experiment(size, shape)),
      show: (outcomes) =>
        [article(traits), table(size, shapes, outcomes), edge(size, shapes)].filter(Boolean).join("\n"),
    };
  },
});

/** The distinct shapes that the device allows, the article's first. */
function workgroups(own: Size, { limits, subgroupSize }: DeviceTraits): Size[] {
  const usual = USUAL.filter(
    ([width, height]) =>
      width * height <= limits.maxComputeInvocationsPerWorkgroup &&
      width <= limits.maxComputeWorkgroupSizeX &&
      height <= limits.maxComputeWorkgroupSizeY,
  );
  const all = [workgroupSize2d(subgroupSize.min, limits), ...usual, own];
  return [...new Map(all.map((shape) => [shape.join(), shape])).values()];
}

function experiment(size: Size, workgroup: Size): Experiment {
  const [width, height] = size;
  const [WIDTH, HEIGHT] = workgroup;
  return {
    name: workgroup.join(" x "),
    plan: {
      buffers: {},
      textures: { output: { width, height, format: "rgba8unorm" } },
      passes: [
        {
          program: program("fill_white", { constants: { WIDTH, HEIGHT } }),
          bindings: ["output"],
          params: [],
          grid: gridToCover(size, workgroup),
        },
      ],
      result: "output",
    },
    inputs: {},
    timed: true,
  };
}

function article({ limits, subgroupSize: { min } }: DeviceTraits): string {
  const [width, height] = workgroupSize2d(min, limits);
  const most = formatCount(limits.maxComputeInvocationsPerWorkgroup);
  return [
    `this adapter runs ${min} invocations together (a subgroup) and allows ${most} per workgroup,\n`,
    `so by the rule of Apple's article a workgroup is ${min} wide and ${most} / ${width} = ${height} high\n`,
  ].join("");
}

function table(size: Size, shapes: readonly Size[], outcomes: Outcomes): string {
  const timed = outcomes.some(({ timing }) => timing);
  const head = ["workgroup", "grid", "invocations", "idle", "share", "edge check", timed ? "ms" : ""];
  const rows = shapes.map((shape, i) => {
    const [x, y] = gridToCover(size, shape);
    const started = x * y * shape[0] * shape[1];
    const idle = idleInvocations(size, shape);
    return [
      shape.join(" x "),
      `${x} x ${y}`,
      formatCount(started),
      formatCount(idle),
      formatPercent(idle / started),
      idle === 0 ? "not needed" : "needed",
      outcomes[i]!.timing ? threeDigits(outcomes[i]!.timing!.medianMs) : "",
    ];
  });
  const title = `${size.join(" x ")} pixels, each filled with white by its own invocation:\n`;
  return title + plainTable([head, ...rows], ["left", "right", "right", "right", "right", "left", "right"]);
}

/** The largest workgroup that is drawn, so that it fits a terminal. */
const [WIDEST, TALLEST] = [64, 16];

/**
 * Draws the lower right corner of the image, where the grid extends beyond it. The first shape that leaves
 * invocations idle and fits the terminal is drawn.
 */
function edge([width, height]: Size, shapes: readonly Size[]): string {
  for (const [groupWidth, groupHeight] of shapes) {
    const [x, y] = gridToCover([width, height], [groupWidth, groupHeight]);
    const overX = x * groupWidth - width;
    const overY = y * groupHeight - height;
    if (overX + overY === 0 || groupWidth > WIDEST || groupHeight > TALLEST) continue;
    const inside = (column: number, row: number) => column < groupWidth - overX && row < groupHeight - overY;
    const line = (_: unknown, row: number) =>
      `  ${Array.from({ length: groupWidth }, (_, column) => (inside(column, row) ? "█" : "·")).join(" ")}\n`;
    return [
      `the last workgroup of ${groupWidth} x ${groupHeight} invocations:`,
      " █ fills a pixel; · lies beyond the image and returns at the edge check\n",
      ...Array.from({ length: groupHeight }, line),
    ].join("");
  }
  return "";
}
