import { formatCount, formatNumberOf } from "../report/units.js";
import type { NetworkPass, Stage } from "./comparators.js";

/** A value, and its index in the input. */
export interface Followed {
  readonly value: number;
  readonly origin: number;
}

type History = readonly (readonly Followed[])[];

/** The maximum number of keys whose values are written beside the wires. */
export const MAX_WRITTEN = 64;

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

/**
 * Draws a network, pass by pass.
 *
 * @param history the values in index order: before the first stage, and after each stage.
 * @param traced whether the paths of the values are drawn.
 */
export function networkDrawing(passes: readonly NetworkPass[], history: History, traced: boolean): string {
  const drawing = new NetworkDrawing(history, traced);
  for (const [number, pass] of passes.entries()) {
    if (pass.kind === "transpose") drawing.addTranspose(number);
    else drawing.addLocalPass(number, pass);
  }
  return drawing.end();
}

class NetworkDrawing {
  readonly #history: History;
  readonly #traced: boolean;
  /** Whether values are written beside the wires. */
  readonly #isWritten: boolean;
  readonly #bottom: number;
  readonly #bands: string[] = [];
  readonly #arrows: string[] = [];
  readonly #values: string[] = [];
  /** The x coordinate of each state of the history. */
  readonly #states: number[] = [];
  /** Where the next pass begins. */
  #x = MARGIN.left;

  constructor(history: History, traced: boolean) {
    this.#history = history;
    this.#traced = traced;
    this.#isWritten = traced && history[0]!.length <= MAX_WRITTEN;
    this.#bottom = MARGIN.top + GAP.wire * history[0]!.length;
    this.#addState();
  }

  /** Writes the values of the next state of the history. */
  #addState(): void {
    const values = this.#history[this.#states.length]!;
    this.#states.push(this.#isWritten ? this.#x + VALUE / 2 : this.#x - GAP.stage / 2);
    if (!this.#isWritten) return;
    for (const [index, { value }] of values.entries()) {
      this.#values.push(
        label(this.#x + VALUE / 2, wireY(index) - 3, "middle", String(value), ' font-size="11"'),
      );
    }
    this.#x += VALUE;
  }

  addTranspose(number: number): void {
    const begin = this.#x;
    this.#x += GAP.transpose;
    this.#addBand(begin, number, "url(#turn)", "transpose");
  }

  addLocalPass(number: number, { stages, workgroups }: NetworkPass & { kind: "local" }): void {
    const begin = this.#x;
    this.#x += GAP.pass;
    for (const stage of stages) this.#addStage(stage);
    this.#x += GAP.pass - GAP.stage / 2;
    this.#addBand(
      begin,
      number,
      number % 4 === 0 ? "#f1f5f9" : "#fefce8",
      formatNumberOf(workgroups, "workgroup"),
    );
  }

  #addStage(stage: Stage): void {
    const lanes = lanesOf(stage);
    for (const [i, lane] of lanes.entries()) {
      const x = this.#x + i * GAP.comparator;
      for (const { low, high, descending, workgroup } of lane) {
        const colour = COLOURS[workgroup % COLOURS.length]!;
        this.#arrows.push(arrow(x, wireY(low), wireY(high), descending, colour));
      }
    }
    const width = (lanes.length - 1) * GAP.comparator;
    const name = `${stage.level}.${stage.bit}`;
    this.#values.push(
      label(this.#x + width / 2, this.#bottom + 14, "middle", name, ' font-size="10" fill="#777"'),
    );
    this.#x += width + GAP.stage;
    this.#addState();
  }

  /** Fills the background of a pass, and writes its number and a text above it. */
  #addBand(begin: number, number: number, fill: string, text: string): void {
    const middle = (begin + this.#x) / 2;
    this.#bands.push(
      rect(begin, MARGIN.top, this.#x - begin, this.#bottom - MARGIN.top, fill),
      label(middle, MARGIN.top - 22, "middle", `pass ${number}`),
      label(middle, MARGIN.top - 7, "middle", text, ' font-size="11" fill="#555"'),
    );
  }

  /** The picture of all passes. */
  end(): string {
    const keyCount = this.#history[0]!.length;
    const wires = Array.from({ length: keyCount }, (_, index) => {
      const y = wireY(index);
      return [
        `<line x1="${MARGIN.left - 8}" x2="${this.#x + 8}" y1="${y}" y2="${y}" stroke="#94a3b8"/>`,
        label(MARGIN.left - 14, y + 4, "end", String(index)),
      ].join("");
    });
    const title = [
      `Bitonic network of ${formatCount(keyCount)} keys, ${formatCount(this.#history.length - 1)} stages:`,
      "an arrow points to where the larger key goes",
    ].join(" ");
    const note = "below each stage: level.bit; each colour is a workgroup";
    return svg(title, Math.max(640, this.#x + MARGIN.right), this.#bottom + MARGIN.bottom, [
      TURN_PATTERN,
      ...this.#bands,
      ...wires,
      ...(this.#traced ? paths(this.#history, this.#states) : []),
      ...this.#arrows,
      ...this.#values,
      label(MARGIN.left, 22, "start", title, ' font-weight="bold"'),
      label(MARGIN.left, this.#bottom + 29, "start", note, ' font-size="10" fill="#777"'),
    ]);
  }
}

/** The height of a key's wire. */
const wireY = (index: number) => MARGIN.top + GAP.wire * (index + 0.5);

/** A line for each value, through its places in all states. */
function paths(history: History, states: readonly number[]): string[] {
  const count = history[0]!.length;
  const points = Array.from({ length: count }, (): string[] => []);
  for (const [i, state] of history.entries()) {
    for (const [index, { origin }] of state.entries()) {
      points[origin]!.push(`${states[i]},${wireY(index)}`);
    }
  }
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

/** A complete SVG file on a white background, in one font. The title also serves screen readers. */
function svg(title: string, width: number, height: number, elements: readonly string[]): string {
  const size = `width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}"`,
    ' font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">\n',
    `<title>${title}</title>\n<rect ${size} fill="white"/>\n`,
    ...elements.map((element) => `${element}\n`),
    "</svg>\n",
  ].join("");
}
