import { elementType } from "../core/elements.js";
import { InputError, VerifyError } from "../core/errors.js";
import { bitonicPlan } from "../core/sort/bitonic.js";
import { plainTable } from "../report/table.js";
import { formatCount } from "../report/units.js";
import { applyStage, type NetworkPass, networkOf, type Stage } from "./comparators.js";
import { defineDemo } from "./demo.js";
import { wholeNumber, wholeNumbers } from "./options.js";
import { svg } from "./svg.js";

const type = elementType("u32");

/** With more keys, the drawing would have more than 100,000 comparators. */
const MAX_KEYS = 4096;

/** The maximum number of keys whose values are written beside the wires. */
const MAX_WRITTEN = 64;

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
      const what = trace ? `--trace has ${keyCount} values` : `--keys ${keyCount}`;
      throw new InputError(`${what}, which is not a power of two from 2 to ${formatCount(MAX_KEYS)}`, {
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
      draw: () => ({ kind: ".svg", text: drawing(passes, history, trace !== undefined) }),
    };
  },
});

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}

/** A value, and its index in the input. */
interface Followed {
  readonly value: number;
  readonly origin: number;
}

/** The values in index order: before the first stage, and after each stage. */
function follow(input: readonly number[], passes: readonly NetworkPass[]): Followed[][] {
  const history: Followed[][] = [input.map((value, origin) => ({ value, origin }))];
  for (const stage of passes.flatMap(stagesOf)) {
    history.push(applyStage(history.at(-1)!, stage, (a, b) => a.value < b.value));
  }
  return history;
}

function stagesOf(pass: NetworkPass): readonly Stage[] {
  return pass.kind === "local" ? pass.stages : [];
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
        `${plural(pass.stages.length, "stage")}, ${formatCount(comparators)} comparators`,
      ].join(" "),
    ];
  });
  return plainTable([head, ...rows], ["right", "left", "right", "left"]);
}

function plural(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? "" : "s"}`;
}

function span(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least}-${most}`;
}

const MARGIN = { left: 56, right: 56, top: 64, bottom: 34 };
const GAP = { wire: 24, comparator: 13, stage: 20, pass: 18, transpose: 58 };
/** The width of a traced value that is written beside its wire. */
const VALUE = 30;

/** The colours of workgroups. They repeat after the last one. */
const COLOURS = ["#2563a8", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be185d", "#0e7490", "#4d7c0f"];

/** The hatching of transpose passes. */
const TURN_PATTERN = [
  '<defs><pattern id="turn" width="8" height="8" patternUnits="userSpaceOnUse"',
  ' patternTransform="rotate(45)"><rect width="8" height="8" fill="#eef"/>',
  '<line x1="0" y1="0" x2="0" y2="8" stroke="#c7d2fe" stroke-width="5"/></pattern></defs>',
].join("");

function drawing(
  passes: readonly NetworkPass[],
  history: readonly (readonly Followed[])[],
  traced: boolean,
): string {
  const keyCount = history[0]!.length;
  const written = traced && keyCount <= MAX_WRITTEN;
  const wireY = (index: number) => MARGIN.top + GAP.wire * (index + 0.5);
  const bottom = MARGIN.top + GAP.wire * keyCount;
  const bands: string[] = [];
  const marks: string[] = [];
  const values: string[] = [];
  const states: number[] = []; // the x coordinate of each state of the history
  let x = MARGIN.left + (written ? VALUE : 0);
  let stageNumber = 0;

  const writeValues = () => {
    states.push(written ? x + VALUE / 2 : x - GAP.stage / 2);
    if (!written) return;
    history[stageNumber]!.forEach(({ value }, index) => {
      values.push(label(x + VALUE / 2, wireY(index) - 3, "middle", String(value), ' font-size="11"'));
    });
    x += VALUE;
  };

  if (written) x -= VALUE;
  writeValues();
  passes.forEach((pass, number) => {
    const start = x;
    if (pass.kind === "transpose") {
      x += GAP.transpose;
      bands.push(
        rect(start, MARGIN.top, GAP.transpose, bottom - MARGIN.top, "url(#turn)"),
        label(start + GAP.transpose / 2, MARGIN.top - 22, "middle", `pass ${number}`),
        label(
          start + GAP.transpose / 2,
          MARGIN.top - 7,
          "middle",
          "transpose",
          ' font-size="11" fill="#555"',
        ),
      );
      return;
    }
    x += GAP.pass;
    for (const stage of pass.stages) {
      const lanes = lanesOf(stage);
      lanes.forEach((lane, i) => {
        for (const comparator of lane) {
          const colour = COLOURS[comparator.workgroup % COLOURS.length]!;
          marks.push(
            arrow(
              x + i * GAP.comparator,
              wireY(comparator.low),
              wireY(comparator.high),
              comparator.descending,
              colour,
            ),
          );
        }
      });
      const middle = x + ((lanes.length - 1) * GAP.comparator) / 2;
      values.push(
        label(middle, bottom + 14, "middle", `${stage.level}.${stage.bit}`, ' font-size="10" fill="#777"'),
      );
      x += (lanes.length - 1) * GAP.comparator + GAP.stage;
      stageNumber++;
      writeValues();
    }
    x += GAP.pass - GAP.stage / 2;
    bands.push(
      rect(start, MARGIN.top, x - start, bottom - MARGIN.top, number % 4 === 0 ? "#f1f5f9" : "#fefce8"),
      label((start + x) / 2, MARGIN.top - 22, "middle", `pass ${number}`),
      label(
        (start + x) / 2,
        MARGIN.top - 7,
        "middle",
        `${plural(pass.workgroups, "workgroup")}`,
        ' font-size="11" fill="#555"',
      ),
    );
  });
  const end = x;
  const wires = Array.from({ length: keyCount }, (_, index) => {
    const y = wireY(index);
    return [
      `<line x1="${MARGIN.left - 8}" x2="${end + 8}" y1="${y}" y2="${y}" stroke="#94a3b8"/>`,
      label(MARGIN.left - 14, y + 4, "end", String(index)),
    ].join("");
  });
  const width = Math.max(640, end + MARGIN.right);
  const title = [
    `Bitonic network of ${formatCount(keyCount)} keys, ${formatCount(history.length - 1)} stages:`,
    "an arrow points to where the larger key goes",
  ].join(" ");
  return svg(title, width, bottom + MARGIN.bottom, [
    TURN_PATTERN,
    ...bands,
    ...wires,
    ...(traced ? paths(history, states, wireY) : []),
    ...marks,
    ...values,
    label(MARGIN.left, 22, "start", title, ' font-weight="bold"'),
    label(
      MARGIN.left,
      bottom + 29,
      "start",
      "below each stage: level.bit; each colour is a workgroup",
      ' font-size="10" fill="#777"',
    ),
  ]);
}

/** A line for each value, through its places in all states. */
function paths(
  history: readonly (readonly Followed[])[],
  states: readonly number[],
  wireY: (index: number) => number,
): string[] {
  const count = history[0]!.length;
  const points = Array.from({ length: count }, (): string[] => []);
  history.forEach((state, i) => {
    state.forEach(({ origin }, index) => {
      points[origin]!.push(`${states[i]},${wireY(index)}`);
    });
  });
  return points.map((line, origin) => {
    const hue = Math.round((360 * origin) / count);
    const stroke = `stroke="hsl(${hue} 75% 60%)" stroke-opacity="0.55" stroke-width="5"`;
    return `<polyline points="${line.join(" ")}" fill="none" ${stroke}/>`;
  });
}

function rect(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`;
}

function label(x: number, y: number, anchor: string, text: string, more = ""): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${more}>${text}</text>`;
}

/** Distributes the comparators of a stage over lanes, so that no two arrows of a lane overlap. */
function lanesOf({ comparators }: Stage): Stage["comparators"][] {
  const lanes: { last: number; comparators: Stage["comparators"][number][] }[] = [];
  for (const comparator of [...comparators].sort((a, b) => a.low - b.low)) {
    let lane = lanes.find(({ last }) => last < comparator.low);
    if (!lane) {
      lane = { last: -1, comparators: [] };
      lanes.push(lane);
    }
    lane.last = comparator.high;
    lane.comparators.push(comparator);
  }
  return lanes.map(({ comparators }) => comparators);
}

/** An arrow between two wires, at the heights `low` and `high`. Its head is where the larger key goes. */
function arrow(x: number, low: number, high: number, descending: boolean, colour: string): string {
  const [tail, head] = descending ? [high, low] : [low, high];
  const back = descending ? 7 : -7;
  return [
    `<g stroke="${colour}" fill="${colour}">`,
    `<line x1="${x}" x2="${x}" y1="${low}" y2="${high}" stroke-width="1.5"/>`,
    `<circle cx="${x}" cy="${tail}" r="2.5"/>`,
    `<path d="M${x} ${head} l-4 ${back} h8 z" stroke="none"/></g>`,
  ].join("");
}
