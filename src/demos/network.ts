import { elementType } from "../core/elements.js";
import { InputError, VerifyError } from "../core/errors.js";
import { bitonicPlan } from "../core/sort/bitonic.js";
import { plainTable } from "../report/table.js";
import { formatCount, formatNumberOf } from "../report/units.js";
import { applyStage, type NetworkPass, networkOf } from "./comparators.js";
import { defineDemo } from "./demo.js";
import { type Followed, MAX_WRITTEN, networkDrawing } from "./network_drawing.js";
import { wholeNumber, wholeNumbers } from "./options.js";

const type = elementType("u32");

/** With more keys, the drawing would have more than 100,000 comparators. */
const MAX_KEYS = 4096;

/**
 * The bitonic sort's network, drawn from the plan that sorts. A horizontal wire is a key's index, an arrow is
 * a comparator that moves the larger key to its head, and a vertical band is a pass. With `--trace` the
 * drawing shows where each value is after every stage.
 */
export const network = defineDemo({
  name: "network",
  summary: "a picture of the bitonic sort: its network of comparators, and the path of each value",
  options: {
    keys: wholeNumber("number of keys, a power of two; ignored with --trace", {
      default: 16,
      least: 2,
      most: MAX_KEYS,
    }),
    tile: wholeNumber("keys per workgroup, a power of two", { default: 8, least: 8, most: 4096 }),
    trace: wholeNumbers("values to sort and to follow; their number must be a power of two", {
      most: 2 ** 32 - 1,
      example: "7,3,5,1",
    }),
  },
  pictures: [".svg"],
  build: ({ values, traits }) => {
    const { trace } = values;
    const keyCount = trace?.length ?? values.keys;
    if (!isPowerOfTwo(keyCount) || keyCount > MAX_KEYS || keyCount < 2) {
      const what = trace ? `the number of values of --trace, ${keyCount},` : `--keys ${keyCount}`;
      throw new InputError(`${what} is not a power of two from 2 to ${formatCount(MAX_KEYS)}`, {
        hint: "use 2, 4, 8, 16, …; only this drawing needs a power of two, the sort itself does not",
      });
    }
    const room = traits.limits.maxComputeWorkgroupStorageSize / type.bytes;
    if (!isPowerOfTwo(values.tile) || values.tile > room) {
      throw new InputError(`--tile ${values.tile} is not a power of two that fits a workgroup`, {
        hint: `use 8, 16, …; the workgroup memory of this device holds ${formatCount(room)} u32 keys`,
      });
    }
    const tuning = { workgroupSize: 64, tileBits: Math.log2(values.tile) };
    const plan = bitonicPlan(keyCount, type, { descending: false }, traits, tuning);
    const input = trace ?? Array.from({ length: keyCount }, (_, i) => keyCount - i);
    const passes = networkOf(plan);
    const history = follow(input, passes);
    const keys = new Uint32Array(plan.buffers.keys!.bytes / type.bytes);
    keys.set(input);
    return {
      experiments: [{ name: "the plan that is drawn", plan, inputs: { keys } }],
      check: ([outcome]) => {
        const sorted = outcome!.words[plan.result]!.subarray(0, keyCount);
        const drawn = history.at(-1)!;
        if (drawn.every(({ value }, i) => value === sorted[i])) return;
        throw new VerifyError("demo network: the drawn comparators do not sort the keys as the plan does");
      },
      show: ([outcome]) => {
        const sorted = [...outcome!.words[plan.result]!.subarray(0, keyCount)];
        return [
          passesTable(passes),
          "level k makes sorted runs of 2^k keys; index bit b compares keys whose indices are 2^b apart\n",
          keyCount <= MAX_WRITTEN ? `\ninput:\n${input.join(" ")}\nsorted:\n${sorted.join(" ")}\n` : "",
        ].join("");
      },
      draw: () => ({ kind: ".svg", text: networkDrawing(passes, history, trace !== undefined) }),
    };
  },
});

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}

/** The values in index order: before the first stage, and after each stage. */
function follow(input: readonly number[], passes: readonly NetworkPass[]): Followed[][] {
  const history: Followed[][] = [input.map((value, origin) => ({ value, origin }))];
  for (const stage of passes.flatMap((pass) => (pass.kind === "local" ? pass.stages : []))) {
    history.push(applyStage(history.at(-1)!, stage, (a, b) => a.value < b.value));
  }
  return history;
}

function passesTable(passes: readonly NetworkPass[]): string {
  const head = ["pass", "kernel", "workgroups", "what it does"];
  const rows = passes.map((pass, i) => {
    if (pass.kind === "transpose") {
      return [
        String(i),
        "transpose",
        "",
        `transposes ${pass.rows} x ${pass.columns} keys, so that other keys become neighbours`,
      ];
    }
    const comparators = pass.stages.reduce((sum, stage) => sum + stage.comparators.length, 0);
    const bits = pass.stages.map(({ bit }) => bit);
    const levels = pass.stages.map(({ level }) => level);
    return [
      String(i),
      "bitonic_local",
      String(pass.workgroups),
      [
        `levels ${span(levels)}, index bits ${span(bits)}:`,
        `${formatNumberOf(pass.stages.length, "stage")}, ${formatNumberOf(comparators, "comparator")}`,
      ].join(" "),
    ];
  });
  return plainTable([head, ...rows], ["right", "left", "right", "left"]);
}

function span(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least}-${most}`;
}
