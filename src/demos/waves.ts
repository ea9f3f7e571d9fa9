import { InputError, VerifyError } from "../core/errors.js";
import type { Plan, Words } from "../core/plan/plan.js";
import { plainTable } from "../report/table.js";
import { formatNumberOf, formatPerSecond } from "../report/units.js";
import type { Compare, Differences } from "./compare.js";
import { total, within, withinSteps } from "./compare.js";
import { defineDemo, type Experiment, type Outcome } from "./demo.js";
import { requireBuffer, requireTexture } from "./limits.js";
import { extent, wholeNumber } from "./options.js";
import { type Animation, bar } from "./pictures/picture.js";
import { copyExperiment, ratesTable } from "./rates.js";
import {
  type FilmPlan,
  filmPlan,
  palette,
  STEPS_PER_DROP,
  stepsPlan,
  type WavesKernel,
} from "./waves_plan.js";

/**
 * The minimum side of the grid, since a drop is three cells wide and falls at least three cells from the
 * edge.
 */
const SMALLEST = 8;

/** The maximum number of lines of the energy plot in a terminal. */
const ENERGY_LINES = 20;

/**
 * "Waves" of the D3D12 chapter: the wave equation, solved by finite differences on three textures that take
 * turns, with the chapter's constants, random drops, and both versions of its kernel. Heights, frames and
 * energies stay on the device until the last step is done.
 */
export const waves = defineDemo({
  name: "waves",
  summary: "waves in a pool: a simulation on textures, read by integer indices and by a sampler",
  options: {
    size: extent("size of the pool in cells", "256x256", 2),
    steps: wholeNumber("number of time steps of 0.03 s", { default: 480, least: 1, most: 100_000 }),
    frames: wholeNumber("number of frames; each draws the waves and measures their energy", {
      default: 60,
      least: 2,
      most: 1000,
    }),
    drops: wholeNumber("maximum number of drops; one falls every 8 steps", {
      default: 1_000_000,
      least: 0,
      most: 1_000_000,
    }),
    seed: wholeNumber("seed of the random places and sizes of the drops", {
      default: 1,
      least: 0,
      most: 2 ** 31,
    }),
  },
  pictures: [".png", ".gif", ".svg"],
  charts: true,
  build: ({ values, traits }) => {
    const [width, height] = values.size as [number, number];
    requireTexture(width, height, traits.limits, `--size ${width}x${height}`);
    if (Math.min(width, height) < SMALLEST) {
      throw new InputError(`--size ${width}x${height} is too small for a drop`, {
        hint: `use at least ${SMALLEST} cells per side`,
      });
    }
    const simulation = { ...values, width, height };
    const film = filmPlan("waves_indexed", simulation, traits);
    requireBuffer(film.buffers.frames!.bytes, traits.limits, `${values.frames} frames`);
    const cells = width * height;
    const experiment = (name: string, plan: Plan): Experiment => ({
      name,
      plan,
      inputs: {},
      reads: [plan.result, "energies", "frames"],
      compare: compareWaves,
    });
    const timed = (name: string, kernel: WavesKernel): Experiment => ({
      name,
      plan: stepsPlan(kernel, simulation),
      inputs: {},
      timed: true,
    });
    return {
      experiments: [
        experiment("integer indices", film),
        experiment("sampler", filmPlan("waves_sampled", simulation, traits)),
        timed(INDEXED_STEPS, "waves_indexed"),
        timed(SAMPLED_STEPS, "waves_sampled"),
        copyExperiment(new Uint32Array(cells), traits),
      ],
      check: ([indexed, sampled]) => {
        const { wrong, first } = compareWaves(sampled!.words, indexed!.words);
        if (wrong === 0) return;
        throw new VerifyError(`demo waves: the kernel with a sampler and the one without differ: ${first}`, {
          hint: "this device samples textures wrongly; try another --device",
        });
      },
      show: (outcomes) => {
        const [indexed, sampled] = outcomes;
        const apart = compareWaves(sampled!.words, indexed!.words);
        const rates = ratesTable(
          outcomes,
          // Per cell, a step reads two heights and writes one. Reads of neighbours are not counted again.
          ({ name }) => (name.includes("step") ? 3 * 12 * cells : 8 * cells),
          [{ heading: "cells/s", cell: (ms) => formatPerSecond(3 * cells, ms) }],
        );
        const drops = Math.min(values.drops, Math.ceil(values.steps / STEPS_PER_DROP));
        return [
          `${width} x ${height} cells, ${formatNumberOf(values.steps, "step")}, ${formatNumberOf(drops, "drop")};`,
          " the CPU reads the results only after the last step\n",
          indexed!.differences
            ? `the heights differ from the CPU's by at most ${farthest(indexed!.differences)}, and`
            : "the heights differ",
          ` between the two kernels by at most ${farthest(apart)}\n`,
          "\nenergy of the waves over time:\n",
          energyPlot(energies(indexed!, film)),
          rates === "" ? "" : `\n${rates}`,
        ].join("");
      },
      draw: (kind, [outcome]) => {
        const animation = film.animate(outcome!.words.frames!);
        if (kind === ".gif") return { kind, animation };
        if (kind === ".png") return { kind, image: still(animation) };
        const chart = {
          title: `Energy of ${width} x ${height} cells of waves`,
          xLabel: "seconds",
          yLabel: "energy",
          points: energies(outcome!, film),
          dots: false,
        };
        return { kind, chart };
      },
    };
  },
});

const INDEXED_STEPS = "3 steps, integer indices";
const SAMPLED_STEPS = "3 steps, sampler";

/**
 * Compares two simulations. Heights may differ by 10^-4 (drops are 1 to 2 high), energies by a thousandth of
 * the largest, and shades of frames by 1. WGSL lets a device round a product and a sum once or twice, and the
 * differences accumulate over the steps.
 */
const compareWaves: Compare = (actual, expected) => {
  const { energies, frames, ...field } = expected;
  const most = Math.max(...new Float32Array(energies!.buffer));
  const of = (words: Words, names: readonly string[]): Words =>
    Object.fromEntries(names.map((name) => [name, words[name]!]));
  const parts = [
    within(1e-4)(of(actual, Object.keys(field)), field),
    within(1e-3 * most)(of(actual, ["energies"]), { energies: energies! }),
    withinSteps(1)(of(actual, ["frames"]), { frames: frames! }),
  ];
  return { ...total(parts, "heights, energies and shades"), largest: parts[0]!.largest ?? 0 };
};

function farthest({ largest = 0 }: Differences): string {
  return largest === 0 ? "0" : largest.toExponential(1);
}

function energies({ words }: Outcome, { seconds }: FilmPlan): [number, number][] {
  const values = new Float32Array(words.energies!.buffer);
  return seconds.map((time, i) => [time, values[i]!]);
}

function energyPlot(points: readonly [number, number][]): string {
  const most = Math.max(...points.map(([, energy]) => energy));
  const every = Math.ceil(points.length / ENERGY_LINES);
  const rows = points
    .filter((_, i) => (points.length - 1 - i) % every === 0)
    .map(([seconds, energy]) => [`${seconds.toFixed(2)} s`, energy.toFixed(2), bar(energy / most, 60)]);
  return plainTable(rows, ["right", "right", "left"]);
}

/** The animation's last frame. */
function still({ width, height, frames }: Animation) {
  const rgba = new Uint8Array(4 * width * height);
  frames.at(-1)!.forEach((shade, cell) => {
    rgba.set([...palette[shade]!, 255], 4 * cell);
  });
  return { width, height, rgba };
}
