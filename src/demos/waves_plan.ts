import { bytesOf } from "../core/bytes.js";
import { gridToCover, linearGrid } from "../core/plan/grid.js";
import { bufferBytes, type Pass, type Plan, type TextureSpec } from "../core/plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../core/plan/traits.js";
import { params, program } from "../demo_kernels/kernels.js";
import type { Animation } from "./pictures/picture.js";

/**
 * The book's values: cells of a quarter metre, steps of 0.03 s, waves of 2 m/s, a damping of 0.2 per second.
 */
const CELL = 0.25;
const STEP_SECONDS = 0.03;
const SPEED = 2;
const DAMPING = 0.2;
/** A drop falls about every quarter second. It is 1 to 2 high. */
export const STEPS_PER_DROP = 8;

/** Invocations per side of a workgroup. */
const SIDE = 16;

/** How much a height of 1 adds to a frame's byte. Greater heights are drawn like 1. */
const STEPS_PER_UNIT = 127;

const TEXTURES = ["h0", "h1", "h2"] as const;

export type WavesKernel = "waves_indexed" | "waves_sampled";

/** The cells of a pool. */
export interface Pool {
  readonly width: number;
  readonly height: number;
}

export interface Simulation extends Pool {
  readonly steps: number;
  readonly frames: number;
  readonly drops: number;
  readonly seed: number;
}

/** A plan that records frames and energies, and what is needed to read them. */
export interface FilmPlan extends Plan {
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

function heights({ width, height }: Pool): Record<string, TextureSpec> {
  return Object.fromEntries(TEXTURES.map((name) => [name, { width, height, format: "r32float" as const }]));
}

const samplers = { point: { filter: "nearest", address: "clamp-to-edge" } } as const;

/**
 * Three steps, in which the textures take turns. After three steps, each texture has its first role again.
 */
function rotation(kernel: WavesKernel, { width, height }: Pool): Pass[] {
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
export function stepsPlan(kernel: WavesKernel, simulation: Simulation): Plan {
  return {
    buffers: {},
    textures: heights(simulation),
    samplers,
    passes: rotation(kernel, simulation),
    result: "h1",
  };
}

/** A plan that lets drops fall, and records frames and energies. */
export function filmPlan(kernel: WavesKernel, simulation: Simulation, traits: DeviceTraits): FilmPlan {
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
      frames: seconds.map((_, i) =>
        bytesOf(words).subarray(4 * i * frameWords, 4 * i * frameWords + width * height),
      ),
      frameMs: 60,
    }),
  };
}

/** A plan of three steps that runs again and again, and what its caller writes and reads meanwhile. */
export interface LivePlan extends Plan {
  /**
   * The words of the buffer "drop": before the next steps, a drop falls on a cell, which must be at least two
   * cells from the edge. A magnitude of 0 stands for no drop.
   */
  readonly dropWords: (x: number, y: number, magnitude: number) => readonly number[];
}

/** A plan that lets one drop fall, takes three steps, and stores a frame in the buffer "frames". */
export function livePlan(pool: Pool, traits: DeviceTraits): LivePlan {
  const frameWords = Math.ceil((pool.width * pool.height) / 4);
  const drop: Pass = {
    program: program("waves_disturb", { constants: {} }),
    bindings: [TEXTURES[1]],
    params: { buffer: "drop", offset: 0, bytes: 16 },
    grid: [1, 1, 1],
  };
  return {
    buffers: { drop: { bytes: 16, uniform: true }, frames: { bytes: bufferBytes(4 * frameWords) } },
    textures: heights(pool),
    samplers,
    passes: [drop, ...rotation("waves_indexed", pool), framePass(TEXTURES[1], 0, frameWords, traits)],
    result: "frames",
    dropWords: (x, y, magnitude) => params("waves_disturb", { x, y, magnitude }),
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

/** A colour of a height; heights between two stops have colours between. */
export type ColourStop = readonly [height: number, red: number, green: number, blue: number];

/**
 * Colours of heights, after C. Brewer's RdYlBu: blue below the water's level, white at it, yellow to dark red
 * above.
 */
export const stops: readonly ColourStop[] = [
  [-1, 49, 54, 149],
  [-0.4, 116, 173, 209],
  [0, 255, 255, 255],
  [0.2, 254, 224, 144],
  [0.45, 253, 174, 97],
  [0.7, 215, 48, 39],
  [1, 110, 0, 38],
];

/** The colours of a frame's bytes. @param stops in ascending order, from a height of -1 to 1. */
export function paletteOf(stops: readonly ColourStop[]): [red: number, green: number, blue: number][] {
  return Array.from({ length: 256 }, (_, i) => {
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
}

export const palette = paletteOf(stops);
