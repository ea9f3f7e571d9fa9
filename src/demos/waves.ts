import { InputError, VerifyError } from "../core/errors.js";
import { gridToCover, linearGrid } from "../core/plan/grid.js";
import { bufferBytes, type Pass, type Plan, type TextureSpec, type Words } from "../core/plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../core/plan/traits.js";
import { params, program } from "../demo_kernels/kernels.js";
import { plainTable } from "../report/table.js";
import { formatCount, formatPerSecond } from "../report/units.js";
import { bar } from "./chart.js";
import type { Compare, Differences } from "./compare.js";
import { within, withinSteps } from "./compare.js";
import { defineDemo, type Experiment, type Outcome } from "./demo.js";
import { requireBuffer, requireTexture } from "./limits.js";
import { extent, wholeNumber } from "./options.js";
import type { Animation } from "./picture.js";
import { copyExperiment, ratesTable } from "./rates.js";

/**
 * The book's values: cells of a quarter metre, steps of 0.03 s, waves of 2 m/s, a damping of 0.2 per second.
 */
const CELL = 0.25;
const STEP_SECONDS = 0.03;
const SPEED = 2;
const DAMPING = 0.2;
/** A drop falls about every quarter second. It is 1 to 2 high. */
const STEPS_PER_DROP = 8;

/** Invocations per side of a workgroup. */
const SIDE = 16;

/**
 * The minimum side of the grid, since a drop is three cells wide and falls at least three cells from the
 * edge.
 */
const SMALLEST = 8;

/** How much a height of 1 adds to a frame's byte. Greater heights are drawn like 1. */
const STEPS_PER_UNIT = 127;

/** The maximum number of lines of the energy plot in a terminal. */
const ENERGY_LINES = 20;

const TEXTURES = ["h0", "h1", "h2"] as const;

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
    const film = plan("waves_indexed", simulation, traits);
    requireBuffer(film.buffers.frames!.bytes, traits.limits, `${values.frames} frames`);
    const cells = width * height;
    const experiment = (name: string, plan: Plan): Experiment => ({
      name,
      plan,
      inputs: {},
      reads: [plan.result, "energies", "frames"],
      compare: compareWaves,
    });
    const timed = (name: string, kernel: Kernel): Experiment => ({
      name,
      plan: steps(kernel, simulation),
      inputs: {},
      timed: true,
    });
    return {
      experiments: [
        experiment("integer indices", film),
        experiment("sampler", plan("waves_sampled", simulation, traits)),
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
          `${width} x ${height} cells, ${formatCount(values.steps)} steps, ${formatCount(drops)} drops;`,
          " the CPU reads the results only after the last step\n",
          `the heights differ from the CPU's by at most ${farthest(indexed!.differences)},`,
          ` and between the two kernels by at most ${farthest(apart)}\n`,
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

type Kernel = "waves_indexed" | "waves_sampled";

interface Simulation {
  readonly width: number;
  readonly height: number;
  readonly steps: number;
  readonly frames: number;
  readonly drops: number;
  readonly seed: number;
}

/** A plan that records frames and energies, and what is needed to read them. */
interface FilmPlan extends Plan {
  /** The time of each frame. */
  readonly seconds: readonly number[];
  /** Makes an animation from the words of the buffer "frames". */
  readonly animate: (frames: Uint32Array) => Animation;
}

/** The book's three constants. The time step is short enough for a stable simulation: e <= 1/2. */
export function waveParams() {
  const d = DAMPING * STEP_SECONDS + 2;
  const e = (SPEED * SPEED * STEP_SECONDS * STEP_SECONDS) / (CELL * CELL);
  return {
    kPrevious: (DAMPING * STEP_SECONDS - 2) / d,
    kCurrent: (4 - 8 * e) / d,
    kNeighbours: (2 * e) / d,
  };
}

function heights({ width, height }: Simulation): Record<string, TextureSpec> {
  return Object.fromEntries(TEXTURES.map((name) => [name, { width, height, format: "r32float" as const }]));
}

const samplers = { point: { filter: "nearest", address: "clamp-to-edge" } } as const;

/**
 * Three steps, in which the textures take turns. After three steps, each texture has its first role again.
 */
function rotation(kernel: Kernel, { width, height }: Simulation): Pass[] {
  return [0, 1, 2].map((turn): Pass => {
    const [previous, current, next] = turned(turn);
    const sampled = kernel === "waves_sampled";
    return {
      program: program(kernel, {
        constants: { WIDTH: SIDE, HEIGHT: SIDE },
        // Devices need not filter 32-bit float textures, so the layout must say that the sampler does not
        // filter.
        ...(sampled && {
          layout: ["unfilterable-texture", "unfilterable-texture", "nearest-sampler", "store-r32float"],
        }),
      }),
      bindings: sampled ? [previous, current, "point", next] : [previous, current, next],
      params: params(kernel, waveParams()),
      grid: gridToCover([width, height], [SIDE, SIDE]),
    };
  });
}

function turned(turn: number): [previous: string, current: string, next: string] {
  const name = (offset: number) => TEXTURES[(turn + offset) % 3]!;
  return [name(0), name(1), name(2)];
}

/** A plan of only three steps, for timing. */
function steps(kernel: Kernel, simulation: Simulation): Plan {
  return {
    buffers: {},
    textures: heights(simulation),
    samplers,
    passes: rotation(kernel, simulation),
    result: "h1",
  };
}

function plan(kernel: Kernel, simulation: Simulation, traits: DeviceTraits): FilmPlan {
  const { width, height, frames } = simulation;
  const frameWords = Math.ceil((width * height) / 4);
  const turns = rotation(kernel, simulation);
  const drops = dropsOf(simulation);
  const passes: Pass[] = [];
  const seconds: number[] = [];
  for (let step = 0; step < simulation.steps; step++) {
    const [, current] = turned(step);
    if (step % STEPS_PER_DROP === 0 && step / STEPS_PER_DROP < simulation.drops) passes.push(drops(current));
    passes.push(turns[step % 3]!);
    // Frames are spaced as evenly as whole steps allow. The last step always gets one.
    const due = Math.floor(((step + 1) * frames) / simulation.steps);
    if (due > seconds.length) {
      const [, previous, latest] = turned(step);
      passes.push(framePass(latest, seconds.length * frameWords, frameWords, traits));
      passes.push(energyPass(previous, latest, seconds.length, traits));
      seconds.push((step + 1) * STEP_SECONDS);
    }
  }
  const [, , result] = turned(simulation.steps - 1);
  return {
    buffers: {
      frames: { bytes: bufferBytes(4 * frameWords * seconds.length) },
      energies: { bytes: bufferBytes(4 * seconds.length) },
    },
    textures: heights(simulation),
    samplers,
    passes,
    result,
    seconds,
    animate: (words) => ({
      width,
      height,
      palette,
      frames: seconds.map((_, i) => {
        const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
        return bytes.subarray(4 * i * frameWords, 4 * i * frameWords + width * height);
      }),
      frameMs: 60,
    }),
  };
}

/** Makes passes that let a drop fall at a random cell, at least three cells from the edge. */
function dropsOf({ width, height, seed }: Simulation): (texture: string) => Pass {
  let state = seed + 1;
  const random = () => {
    // Marsaglia's xorshift, "Xorshift RNGs", 2003.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) random(); // the first numbers of small seeds are similar
  const place = (extent: number) => 3 + Math.floor(random() * (extent - 6));
  return (texture) => ({
    program: program("waves_disturb", { constants: {} }),
    bindings: [texture],
    params: params("waves_disturb", { x: place(width), y: place(height), magnitude: 1 + random() }),
    grid: [1, 1, 1],
  });
}

function framePass(texture: string, firstWord: number, words: number, traits: DeviceTraits): Pass {
  const WORKGROUP_SIZE = cooperativeWorkgroupSize(256, traits);
  return {
    program: program("waves_frame", { constants: { WORKGROUP_SIZE } }),
    bindings: [texture, "frames"],
    params: params("waves_frame", { firstWord, words, stepsPerUnit: STEPS_PER_UNIT }),
    grid: linearGrid(Math.ceil(words / WORKGROUP_SIZE), traits.limits),
  };
}

function energyPass(previous: string, current: string, place: number, traits: DeviceTraits): Pass {
  const area = CELL * CELL;
  const motion = (0.5 * area) / (STEP_SECONDS * STEP_SECONDS);
  const slope = 0.5 * SPEED * SPEED; // the cell's area and its side squared cancel out
  return {
    program: program("waves_energy", {
      constants: { WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits) },
    }),
    bindings: [previous, current, "energies"],
    params: params("waves_energy", { place, motion, slope }),
    grid: [1, 1, 1],
  };
}

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
  return {
    wrong: parts.reduce((sum, { wrong }) => sum + wrong, 0),
    of: parts.reduce((sum, { of }) => sum + of, 0),
    unit: "heights, energies and shades",
    first: parts.find(({ wrong }) => wrong > 0)?.first,
    largest: parts[0]!.largest ?? 0,
  };
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

/**
 * Colours of heights, after C. Brewer's RdYlBu: blue below the water's level, white at it, yellow to dark red
 * above.
 */
const stops: readonly (readonly [height: number, red: number, green: number, blue: number])[] = [
  [-1, 49, 54, 149],
  [-0.4, 116, 173, 209],
  [0, 255, 255, 255],
  [0.2, 254, 224, 144],
  [0.45, 253, 174, 97],
  [0.7, 215, 48, 39],
  [1, 110, 0, 38],
];

const palette = Array.from({ length: 256 }, (_, i): [number, number, number] => {
  const height = Math.max(-1, (i - 128) / 127);
  const above = Math.max(
    1,
    stops.findIndex(([stop]) => stop >= height),
  );
  const [low, ...from] = stops[above - 1]!;
  const [high, ...to] = stops[above]!;
  const share = (height - low) / (high - low);
  const [red, green, blue] = from.map((channel, c) => Math.round(channel + share * (to[c]! - channel)));
  return [red!, green!, blue!];
});

/** The animation's last frame. */
function still({ width, height, frames }: Animation) {
  const rgba = new Uint8Array(4 * width * height);
  frames.at(-1)!.forEach((shade, cell) => {
    rgba.set([...palette[shade]!, 255], 4 * cell);
  });
  return { width, height, rgba };
}
