import { elementType } from "../../src/core/elements.js";
import { defaultTraits } from "../../src/core/plan/traits.js";
import { bitonicPlan } from "../../src/core/sort/bitonic.js";
import { applyStage, type NetworkPass, networkOf, type Stage } from "../../src/demos/comparators.js";
import { element, say } from "./elements.js";
import { isResting, wantsLessMotion } from "./rest.js";

const SVG = "http://www.w3.org/2000/svg";

/** Lengths of the drawing in pixels. */
const GAP = { wire: 26, comparator: 16, stage: 26, transpose: 34, left: 44, right: 44, top: 14 };

/** Keys per workgroup: few, so that a drawing has several workgroups. */
const TILE_BITS = 3;

const STEP_MS = 900;

/** Colours of workgroups that can be told from both backgrounds. */
const COLOURS = ["#3b6fd4", "#c2580c", "#1c8a4a", "#9b51d6"];

/** What happens between two states of the keys. */
type Step =
  | { readonly kind: "stage"; readonly stage: Stage; readonly pass: number }
  | { readonly kind: "transpose"; readonly rows: number; readonly columns: number; readonly pass: number };

interface Key {
  readonly value: number;
  readonly origin: number;
}

interface Drawing {
  readonly steps: readonly Step[];
  /** The keys by their indices, before the first step and after each one. */
  readonly states: readonly (readonly Key[])[];
  /** Moves the drawing to a state. */
  show(state: number): void;
}

/** The section "The bitonic network". */
export function startNetwork(): void {
  const keys = element("network-keys", HTMLSelectElement);
  const slider = element("network-step", HTMLInputElement);
  const play = element("network-play", HTMLButtonElement);
  let drawing: Drawing;
  let timer: ReturnType<typeof setInterval> | undefined;

  const show = (state: number) => {
    const at = Math.max(0, Math.min(drawing.steps.length, state));
    slider.value = String(at);
    drawing.show(at);
    say("network-status", describe(drawing, at));
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  const restart = () => {
    stop();
    drawing = draw(Number(keys.value));
    slider.max = String(drawing.steps.length);
    show(0);
  };
  const by = (steps: number) => () => {
    stop();
    show(slider.valueAsNumber + steps);
  };
  keys.addEventListener("change", restart);
  element("network-shuffle", HTMLButtonElement).addEventListener("click", restart);
  element("network-back", HTMLButtonElement).addEventListener("click", by(-1));
  element("network-next", HTMLButtonElement).addEventListener("click", by(1));
  slider.addEventListener("input", by(0));
  play.addEventListener("click", () => {
    if (timer !== undefined) {
      stop();
      return;
    }
    if (slider.valueAsNumber === drawing.steps.length) show(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => {
      if (isResting()) return;
      show(slider.valueAsNumber + 1);
      if (slider.valueAsNumber === drawing.steps.length) stop();
    }, STEP_MS);
  });
  restart();
}

function describe({ steps, states }: Drawing, at: number): string {
  if (at === 0) return `${steps.length} steps sort these ${states[0]!.length} keys. Press Next or Play.`;
  const step = steps[at - 1]!;
  const where = `Step ${at} of ${steps.length}, pass ${step.pass}`;
  if (step.kind === "transpose") {
    return `${where}: a transpose of ${step.rows} x ${step.columns} keys, so that other keys become neighbours.`;
  }
  const { level, bit } = step.stage;
  const [before, after] = [states[at - 1]!, states[at]!];
  const moved = after.filter((key, i) => key.origin !== before[i]!.origin).length / 2;
  const sorted = at === steps.length ? " The keys are sorted." : "";
  return `${where}, level ${level}: compares keys that are ${2 ** bit} apart, and exchanges ${moved} pairs.${sorted}`;
}

function stepsOf(pass: NetworkPass, number: number): Step[] {
  return pass.kind === "transpose"
    ? [{ ...pass, pass: number }]
    : pass.stages.map((stage) => ({ kind: "stage", stage, pass: number }));
}

function shuffled(count: number): number[] {
  const values = Array.from({ length: count }, (_, i) => i + 1);
  for (let i = count - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [values[i], values[other]] = [values[other]!, values[i]!];
  }
  return values;
}

function draw(count: number): Drawing {
  const tuning = { workgroupSize: 64, tileBits: TILE_BITS };
  const plan = bitonicPlan(count, elementType("u32"), { descending: false }, defaultTraits, tuning);
  const steps = networkOf(plan).flatMap(stepsOf);
  const states: (readonly Key[])[] = [shuffled(count).map((value, origin) => ({ value, origin }))];
  for (const step of steps) {
    const before = states.at(-1)!;
    states.push(step.kind === "stage" ? applyStage(before, step.stage, (a, b) => a.value < b.value) : before);
  }

  const wireY = (index: number) => GAP.top + GAP.wire * (index + 0.5);
  const bottom = GAP.top + GAP.wire * count;
  const stateX: number[] = [];
  const groups: SVGGElement[] = [];
  let x = GAP.left;
  for (const step of steps) {
    stateX.push(x);
    const group = node("g", { class: "step" });
    if (step.kind === "transpose") {
      x += GAP.stage / 2;
      group.append(
        node("rect", { x, y: GAP.top, width: GAP.transpose, height: bottom - GAP.top, fill: "url(#turn)" }),
      );
      x += GAP.transpose + GAP.stage / 2;
    } else {
      x += GAP.stage / 2;
      for (const column of columnsOf(step.stage)) {
        x += GAP.comparator;
        for (const { low, high, descending, workgroup } of column) {
          group.append(arrow(x, wireY(low), wireY(high), descending, COLOURS[workgroup % COLOURS.length]!));
        }
      }
      x += GAP.comparator + GAP.stage / 2;
    }
    groups.push(group);
  }
  stateX.push(x);
  const [width, height] = [x + GAP.right, bottom + GAP.top];
  const svg = node("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `The bitonic network of ${count} keys`,
  });
  const pattern = node("pattern", {
    id: "turn",
    width: 8,
    height: 8,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  });
  pattern.append(
    node("line", {
      x1: 0,
      y1: 0,
      x2: 0,
      y2: 8,
      stroke: "currentColor",
      "stroke-opacity": 0.35,
      "stroke-width": 4,
    }),
  );
  const definitions = node("defs", {});
  definitions.append(pattern);
  svg.append(definitions);
  for (let index = 0; index < count; index++) {
    const y = wireY(index);
    svg.append(
      node("line", {
        x1: GAP.left / 2,
        x2: width - GAP.right / 2,
        y1: y,
        y2: y,
        stroke: "currentColor",
        "stroke-opacity": 0.3,
      }),
    );
  }
  svg.append(...groups);
  const dots = states[0]!.map(({ value }) => keyDot(value, count));
  svg.append(...dots);
  const frame = element("network-drawing", HTMLElement);
  frame.replaceChildren(svg);

  return {
    steps,
    states,
    show: (state) => {
      states[state]!.forEach(({ origin }, index) => {
        dots[origin]!.style.transform = `translate(${stateX[state]}px, ${wireY(index)}px)`;
      });
      groups.forEach((group, i) => {
        group.style.opacity = i === state - 1 ? "1" : "0.35";
      });
      const left = stateX[state]! - frame.clientWidth / 2;
      frame.scrollTo({ left, behavior: wantsLessMotion() ? "instant" : "smooth" });
    },
  };
}

/** The comparators of a stage in columns, none of which has two that overlap. */
function columnsOf({ comparators }: Stage): Stage["comparators"][] {
  const columns: { last: number; items: Stage["comparators"][number][] }[] = [];
  for (const comparator of comparators) {
    let column = columns.find(({ last }) => last < comparator.low);
    if (!column) {
      column = { last: -1, items: [] };
      columns.push(column);
    }
    column.items.push(comparator);
    column.last = comparator.high;
  }
  return columns.map(({ items }) => items);
}

function arrow(x: number, low: number, high: number, descending: boolean, colour: string): SVGElement {
  const group = node("g", { stroke: colour, fill: colour });
  const [from, to] = descending ? [high, low] : [low, high];
  const back = Math.sign(from - to) * 7;
  group.append(
    node("line", { x1: x, x2: x, y1: from, y2: to, "stroke-width": 2 }),
    node("circle", { cx: x, cy: from, r: 2.5 }),
    node("path", { d: `M${x} ${to}l-4 ${back}h8z` }),
  );
  return group;
}

/** A key: its value in a circle, whose shade grows with the value. */
function keyDot(value: number, count: number): SVGGElement {
  const group = node("g", { class: "key" });
  const lightness = 88 - (50 * value) / count;
  const text = node("text", {
    "text-anchor": "middle",
    y: 4,
    "font-size": 11,
    fill: lightness > 60 ? "#111" : "#fff",
  });
  text.textContent = String(value);
  group.append(node("circle", { r: 10.5, fill: `hsl(215 60% ${lightness}%)`, stroke: "currentColor" }), text);
  return group;
}

function node<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
