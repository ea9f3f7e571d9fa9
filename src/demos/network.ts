import { elementType } from "../elements.js";
import { InputError, VerifyError } from "../errors.js";
import { plainTable } from "../report/table.js";
import { formatCount } from "../report/units.js";
import { bitonicPlan } from "../sort/bitonic.js";
import { applyStage, type NetworkPass, networkOf, type Stage } from "../sort/network.js";
import { svg } from "./chart.js";
import { defineDemo } from "./demo.js";
import { wholeNumber, wholeNumbers } from "./options.js";

const type = elementType("u32");

/** Past this the drawing has more than 100,000 comparators. */
const MOST_KEYS = 4096;

/** Keys whose values are written beside the wires. */
const MOST_WRITTEN = 64;

/**
 * The bitonic sort's network, drawn from the plan that sorts: a wire a key, a comparator an arrow to where the larger
 * key goes, a band a pass. With `--trace` it shows where each value is after every stage.
 */
export const network = defineDemo({
  name: "network",
  summary:
    "the bitonic network as a picture, drawn from the very plan that sorts, with values followed through it",
  options: {
    keys: wholeNumber("keys: a power of two; with --trace as many as it names", {
      default: 16,
      least: 2,
      most: MOST_KEYS,
    }),
    tile: wholeNumber("keys that a workgroup holds: a power of two", { default: 8, least: 8, most: 4096 }),
    trace: wholeNumbers("values to follow: a power of two of them", {
      most: 2 ** 32 - 1,
      example: "7,3,5,1",
    }),
  },
  pictures: [".svg"],
  build: ({ values, traits }) => {
    const { trace } = values;
    const keyCount = trace?.length ?? values.keys;
    if (!isPowerOfTwo(keyCount) || keyCount > MOST_KEYS || keyCount < 2) {
      const what = trace ? `--trace has ${keyCount} values` : `--keys ${keyCount}`;
      throw new InputError(`${what}, which is no power of two from 2 to ${formatCount(MOST_KEYS)}`, {
        hint: "name 2, 4, 8, 16, …; the sort itself takes any number",
      });
    }
    const room = traits.limits.maxComputeWorkgroupStorageSize / type.bytes;
    if (!isPowerOfTwo(values.tile) || values.tile > room) {
      throw new InputError(`--tile ${values.tile} is no power of two that fits a workgroup`, {
        hint: `take 8, 16, …; this device's workgroups hold ${formatCount(room)} u32 keys`,
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
        throw new VerifyError("demo network: the comparators that are drawn do not do what the plan does", {
          hint: "report this as a bug",
        });
      },
      show: ([outcome]) => {
        const sorted = [...outcome!.words[plan.result]!.subarray(0, keyCount)];
        return [
          passesTable(passes),
          keyCount <= MOST_WRITTEN ? `\n${input.join(" ")}\nbecomes\n${sorted.join(" ")}\n` : "",
        ].join("");
      },
      draw: () => ({ kind: ".svg", text: drawing(passes, history, trace !== undefined) }),
    };
  },
});

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}

/** A value, and which of the input's it is. */
interface Followed {
  readonly value: number;
  readonly origin: number;
}

/** The values by their keys' indices: before the first stage, and after each. */
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
  const head = ["pass", "kernel", "workgroups", "does"];
  const rows = passes.map((pass, i) => {
    if (pass.kind === "transpose") {
      return [
        String(i),
        "transpose",
        "",
        `turns ${pass.rows} x ${pass.columns} keys: their indices' bits rotate`,
      ];
    }
    const comparators = pass.stages.reduce((sum, stage) => sum + stage.comparators.length, 0);
    const bits = pass.stages.map(({ bit }) => bit);
    const levels = pass.stages.map(({ level }) => level);
    return [
      String(i),
      "bitonic_local",
      String(pass.workgroups),
      `levels ${span(levels)}, index bits ${span(bits)}: ${plural(pass.stages.length, "stage")}, ${formatCount(comparators)} comparators`,
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
/** A traced value's name beside its wire. */
const VALUE = 30;

/** Colours of workgroups, which repeat. */
const COLOURS = ["#2563a8", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be185d", "#0e7490", "#4d7c0f"];

function drawing(
  passes: readonly NetworkPass[],
  history: readonly (readonly Followed[])[],
  traced: boolean,
): string {
  const keyCount = history[0]!.length;
  const written = traced && keyCount <= MOST_WRITTEN;
  const wireY = (index: number) => MARGIN.top + GAP.wire * (index + 0.5);
  const bottom = MARGIN.top + GAP.wire * keyCount;
  const bands: string[] = [];
  const marks: string[] = [];
  const values: string[] = [];
  const states: number[] = []; // where along the wires each of the history's states is
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
        `<rect x="${start}" y="${MARGIN.top}" width="${GAP.transpose}" height="${bottom - MARGIN.top}" fill="url(#turn)"/>`,
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
      `<rect x="${start}" y="${MARGIN.top}" width="${x - start}" height="${bottom - MARGIN.top}" fill="${number % 4 === 0 ? "#f1f5f9" : "#fefce8"}"/>`,
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
    return `<line x1="${MARGIN.left - 8}" x2="${end + 8}" y1="${y}" y2="${y}" stroke="#94a3b8"/>${label(MARGIN.left - 14, y + 4, "end", String(index))}`;
  });
  const width = Math.max(640, end + MARGIN.right);
  const title = `Bitonic network of ${formatCount(keyCount)} keys, ${formatCount(history.length - 1)} stages: an arrow points to where the larger key goes`;
  return svg(title, width, bottom + MARGIN.bottom, [
    '<defs><pattern id="turn" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="8" height="8" fill="#eef"/><line x1="0" y1="0" x2="0" y2="8" stroke="#c7d2fe" stroke-width="5"/></pattern></defs>',
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
      "level.bit; a colour is a workgroup",
      ' font-size="10" fill="#777"',
    ),
  ]);
}

/** A line for each value, from state to state. */
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
    return `<polyline points="${line.join(" ")}" fill="none" stroke="hsl(${hue} 75% 60%)" stroke-opacity="0.55" stroke-width="5"/>`;
  });
}

function label(x: number, y: number, anchor: string, text: string, more = ""): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${more}>${text}</text>`;
}

/** Comparators of a stage side by side, so that no two are drawn over each other. */
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

/** From the one wire to the other, its head where the larger key goes. */
function arrow(x: number, low: number, high: number, descending: boolean, colour: string): string {
  const [tail, head] = descending ? [high, low] : [low, high];
  const back = descending ? 7 : -7;
  return [
    `<g stroke="${colour}" fill="${colour}"><line x1="${x}" x2="${x}" y1="${low}" y2="${high}" stroke-width="1.5"/>`,
    `<circle cx="${x}" cy="${tail}" r="2.5"/>`,
    `<path d="M${x} ${head} l-4 ${back} h8 z" stroke="none"/></g>`,
  ].join("");
}
