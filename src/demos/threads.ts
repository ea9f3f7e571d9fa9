import { InputError } from "../core/errors.js";
import { program } from "../demo_kernels/kernels.js";
import { formatCount } from "../report/units.js";
import { defineDemo } from "./demo.js";
import { requireBuffer, requireGrid, requireWorkgroup } from "./limits.js";
import { extent, wholeNumbers } from "./options.js";

/** Words per `Ids` struct of wgsl/demos/thread_ids.wgsl, and the word at which each identifier begins. */
const STRIDE = 12;
const GROUP = 0;
const GROUP_INDEX = 3;
const GROUP_THREAD = 4;
const DISPATCH_THREAD = 8;

/** The largest drawing, in characters and lines, so that it fits a terminal. */
const WIDEST = 110;
const TALLEST = 60;

/** A limit that keeps the time short: the CPU computes all identifiers, too. */
const MAX_INVOCATIONS = 2 ** 22;

/**
 * The D3D12 chapter's "thread identification system values". Each invocation writes its own identifiers, and
 * the CPU computes them by the chapter's formulas. The default is the book's example: thread (2, 5) of group
 * (1, 1), in groups of 8 x 8 threads.
 */
export const threads = defineDemo({
  name: "threads",
  summary: "how an invocation knows which one it is: its four identifiers, drawn for any grid",
  options: {
    workgroup: extent("invocations per workgroup", "8x8", 3),
    groups: extent("workgroups in the grid", "3x2", 3),
    group: wholeNumbers("workgroup of the marked invocation, counted from 0", {
      default: "1,1,0",
      most: 65_534,
      example: "1,1,0",
    }),
    thread: wholeNumbers("place of the marked invocation in its workgroup, counted from 0", {
      default: "2,5,0",
      most: 1023,
      example: "2,5,0",
    }),
  },
  build: ({ values, traits: { limits } }) => {
    const size = triple(values.workgroup);
    const groups = triple(values.groups);
    requireWorkgroup(size, limits);
    requireGrid(groups, limits, "--groups");
    const group = marked(values.group!, groups, "--group", "--groups");
    const thread = marked(values.thread!, size, "--thread", "--workgroup");
    const invocations = product(size) * product(groups);
    if (invocations > MAX_INVOCATIONS) {
      throw new InputError(`${formatCount(invocations)} invocations are too many for this demo`, {
        hint: `choose --groups and --workgroup for at most ${formatCount(MAX_INVOCATIONS)} in total`,
      });
    }
    const bytes = invocations * STRIDE * 4;
    requireBuffer(bytes, limits, `the identifiers of ${formatCount(invocations)} invocations`);
    const [WIDTH, HEIGHT, DEPTH] = size;
    return {
      experiments: [
        {
          name: "the identifiers",
          plan: {
            buffers: { ids: { bytes } },
            passes: [
              {
                program: program("thread_ids", { constants: { WIDTH, HEIGHT, DEPTH } }),
                bindings: ["ids"],
                params: [],
                grid: groups,
              },
            ],
            result: "ids",
          },
          inputs: {},
        },
      ],
      show: ([outcome]) => {
        const number = (group[2] * groups[1] + group[1]) * groups[0] + group[0];
        const index = (thread[2] * size[1] + thread[1]) * size[0] + thread[0];
        const ids = outcome!.words.ids!.subarray((number * product(size) + index) * STRIDE);
        const three = (at: number) => [...ids.subarray(at, at + 3)];
        const count = formatCount(invocations);
        return [
          drawing(size, groups, group, thread),
          `${times(groups)} workgroups of ${times(size)} invocations, ${count} in total\n\n`,
          "the identifiers of the marked invocation:\n",
          `  workgroup_id            SV_GroupID           ${coordinates(three(GROUP))}\n`,
          `  local_invocation_id     SV_GroupThreadID     ${coordinates(three(GROUP_THREAD))}\n`,
          `  global_invocation_id    SV_DispatchThreadID  ${coordinates(three(DISPATCH_THREAD))}`,
          ` = ${coordinates(group)} * ${coordinates(size)} + ${coordinates(thread)}\n`,
          `  local_invocation_index  SV_GroupIndex        ${ids[GROUP_INDEX]}`,
          ` = ${thread[2]} * ${size[0]} * ${size[1]} + ${thread[1]} * ${size[0]} + ${thread[0]}\n`,
        ].join("");
      },
    };
  },
});

type Triple = readonly [number, number, number];

function triple([x = 0, y = 0, z = 0]: readonly number[]): Triple {
  return [x, y, z];
}

function marked(values: readonly number[], bounds: Triple, option: string, of: string): Triple {
  const place = triple(values);
  if (values.length <= 3 && place.every((one, axis) => one < bounds[axis]!)) return place;
  throw new InputError(`${option} ${values.join(",")} is not within ${of} ${bounds.join("x")}`, {
    hint: `counting starts at 0, so the last one is ${bounds.map((bound) => bound - 1).join(",")}`,
  });
}

function product(values: Triple): number {
  return values[0] * values[1] * values[2];
}

function coordinates(values: readonly number[]): string {
  return `(${values.join(", ")})`;
}

function times([x, y, z]: Triple): string {
  return z === 1 ? `${x} x ${y}` : `${x} x ${y} x ${z}`;
}

/**
 * Draws the layer of the grid with the marked invocation: one frame per workgroup, one character per
 * invocation.
 */
function drawing(size: Triple, groups: Triple, group: Triple, thread: Triple): string {
  const [width, height] = size;
  const wide = groups[0] * (2 * width + 2) + 1;
  const tall = groups[1] * (height + 1) + 1;
  if (wide > WIDEST || tall > TALLEST) return "(the grid is too large to draw)\n";
  const layer = [
    groups[2] > 1 ? `workgroups with z = ${group[2]}` : "",
    size[2] > 1 ? `invocations with z = ${thread[2]}` : "",
  ].filter(Boolean);
  const rule = (left: string, joint: string, right: string) =>
    `${left}${Array.from({ length: groups[0] }, () => "─".repeat(2 * width + 1)).join(joint)}${right}\n`;
  const sign = (groupX: number, groupY: number, x: number, y: number) => {
    if (groupX !== group[0] || groupY !== group[1]) return "·";
    return x === thread[0] && y === thread[1] ? "█" : "o";
  };
  const line = (groupY: number, y: number) => {
    const cells = Array.from({ length: groups[0] }, (_, groupX) =>
      Array.from({ length: width }, (_, x) => sign(groupX, groupY, x, y)).join(" "),
    );
    return `│${cells.map((cell) => ` ${cell} `).join("│")}│\n`;
  };
  const bands = Array.from({ length: groups[1] }, (_, groupY) =>
    Array.from({ length: height }, (_, y) => line(groupY, y)).join(""),
  );
  return [
    layer.length > 0 ? `${layer.join(", ")}:\n` : "",
    rule("┌", "┬", "┐"),
    bands.join(rule("├", "┼", "┤")),
    rule("└", "┴", "┘"),
    "█ the marked invocation, o the others of its workgroup, · other workgroups; x goes right, y goes down\n",
  ].join("");
}
