import { workgroupSize1d } from "../core/plan/grid.js";
import { bufferBytes, type Pass, type Words } from "../core/plan/plan.js";
import { params, program } from "../demo_kernels/kernels.js";
import { formatCount, formatNumberOf } from "../report/units.js";
import type { Compare } from "./compare.js";
import { defineDemo } from "./demo.js";
import { requireBuffer, requireGrid } from "./limits.js";
import { wholeNumber } from "./options.js";
import type { RgbaImage } from "./pictures/images.js";

/** The book's time step. */
const STEP_SECONDS = 1 / 60;

/** Words per particle: see wgsl/demos/particle.wgsl. */
const STRIDE = 12;
/** The word that holds a particle's id. */
const ID = 3;
/** The counter of particles that did not fit. */
const REFUSED = 2;
/** Words that hold no float: the id and the padding. */
const NOT_FLOATS = [3, 7, 11];

/** The two buffers, which take turns. */
const BUFFERS = ["particles0", "particles1"] as const;

/**
 * "Append and consume buffers" of the D3D12 chapter. Every step consumes all particles of one buffer, moves
 * them, and appends them to the other. A kernel computes the number of workgroups for that from the buffer's
 * counter. A fountain emits particles before some of the steps. If `--capacity` is small, not all of them
 * fit.
 */
export const particles = defineDemo({
  name: "particles",
  summary:
    "a fountain of particles: append and consume buffers made of atomic counters and indirect dispatches",
  options: {
    count: wholeNumber("total number of particles", { default: 10_000, least: 1, most: 4_000_000 }),
    capacity: wholeNumber("particles that fit a buffer; 0 means all of them", {
      default: 0,
      least: 0,
      most: 4_000_000,
    }),
    steps: wholeNumber("number of time steps of 1/60 s", { default: 60, least: 1, most: 10_000 }),
    bursts: wholeNumber("number of steps over which the particles are emitted", {
      default: 10,
      least: 1,
      most: 1000,
    }),
  },
  pictures: [".png"],
  build: ({ values, traits }) => {
    const { count, steps } = values;
    const capacity = values.capacity || count;
    const bursts = Math.min(values.bursts, steps, count);
    const WORKGROUP_SIZE = workgroupSize1d(64, traits.limits);
    requireBuffer(4 * STRIDE * Math.max(count, capacity), traits.limits, `${formatCount(count)} particles`);
    requireGrid([Math.ceil(Math.max(count, capacity) / WORKGROUP_SIZE)], traits.limits, "--count: a grid of");
    const emitted = fountain(count);
    const schedule = Array.from({ length: bursts }, (_, burst) => Math.floor(((burst + 1) * count) / bursts));
    const bytes = bufferBytes(4 * STRIDE * capacity);
    const rounds = [0, 1].map((source) => stepPasses(source, capacity, WORKGROUP_SIZE));
    const passes = Array.from({ length: steps }, (_, step) => {
      const first = schedule[step - 1] ?? 0;
      const last = schedule[step];
      const emit =
        last === undefined ? [] : [emitPass(step % 2, capacity, first, last - first, WORKGROUP_SIZE)];
      return [...emit, ...rounds[step % 2]!];
    }).flat();
    const result = BUFFERS[steps % 2]!;
    const check = checkParticles(emitted, schedule, { capacity, steps, result });
    return {
      experiments: [
        {
          name: "append and consume",
          plan: {
            buffers: {
              emitted: { bytes: bufferBytes(emitted.byteLength) },
              particles0: { bytes },
              particles1: { bytes },
              counters: { bytes: 16 },
              workgroups: { bytes: 16 },
            },
            passes,
            result,
          },
          inputs: { emitted },
          reads: [result, "counters", "workgroups"],
          compare: check,
        },
      ],
      show: ([outcome]) => {
        const { words, differences } = outcome!;
        const { counters, workgroups } = words;
        const live = counters![steps % 2]!;
        const refused = counters![REFUSED]!;
        return [
          `${formatNumberOf(count, "particle")} emitted in ${formatNumberOf(bursts, "burst")}; ${formatNumberOf(steps, "step")};`,
          ` each buffer has room for ${formatNumberOf(capacity, "particle")}\n`,
          `after the last step, one buffer holds ${formatNumberOf(live, "particle")},`,
          ` and the other, which was consumed, holds ${counters![1 - (steps % 2)]}\n`,
          `particles dropped because a buffer was full: ${formatCount(refused)}\n`,
          `the last step ran ${formatNumberOf(workgroups![0]!, "workgroup")} of ${WORKGROUP_SIZE} invocations:`,
          " a kernel computed their number from the counter of particles\n",
          differences
            ? `particles lost, duplicated, or moved wrongly: ${formatCount(differences.wrong)}\n`
            : "",
        ].join("");
      },
      draw: (_, [outcome]) => ({
        kind: ".png",
        image: snapshot(outcome!.words[result]!, outcome!.words.counters![steps % 2]!, count),
      }),
    };
  },
});

const [PICTURE_WIDTH, PICTURE_HEIGHT] = [480, 360];

/**
 * Draws the particles from the side, scaled to fill the picture. Places with more particles are brighter. The
 * first emitted particles are red, the last ones blue.
 */
function snapshot(words: Uint32Array<ArrayBuffer>, live: number, emitted: number): RgbaImage {
  const floats = new Float32Array(words.buffer);
  const places = Array.from({ length: live }, (_, i) => ({
    x: floats[i * STRIDE]!,
    y: floats[i * STRIDE + 1]!,
    age: words[i * STRIDE + ID]! / emitted,
  }));
  const span = (values: number[]) => {
    const least = values.reduce((all, one) => Math.min(all, one), 0);
    const most = values.reduce((all, one) => Math.max(all, one), least + 1e-3);
    return (value: number) => (value - least) / (most - least);
  };
  const [across, up] = [span(places.map(({ x }) => x)), span(places.map(({ y }) => y))];
  const light = new Float32Array(3 * PICTURE_WIDTH * PICTURE_HEIGHT);
  for (const { x, y, age } of places) {
    const column = Math.round((0.05 + 0.9 * across(x)) * (PICTURE_WIDTH - 1));
    const row = Math.round((0.95 - 0.9 * up(y)) * (PICTURE_HEIGHT - 1));
    [1 - age, 0.35, age].forEach((channel, c) => {
      light[3 * (row * PICTURE_WIDTH + column) + c]! += channel;
    });
  }
  const rgba = new Uint8Array(4 * PICTURE_WIDTH * PICTURE_HEIGHT).map((_, i) =>
    i % 4 === 3 ? 255 : Math.round(16 + 239 * (1 - Math.exp(-2 * light[3 * (i >> 2) + (i % 4)]!))),
  );
  return { width: PICTURE_WIDTH, height: PICTURE_HEIGHT, rgba };
}

/**
 * One step: a pass that computes the number of workgroups, and a pass that moves the particles to the other
 * buffer.
 */
function stepPasses(source: number, capacity: number, WORKGROUP_SIZE: number): Pass[] {
  return [
    {
      program: program("particles_grid", { constants: { WORKGROUP_SIZE, SOURCE: source } }),
      bindings: ["counters", "workgroups"],
      params: [],
      grid: [1, 1, 1],
    },
    {
      program: program("particles_step", {
        constants: { WORKGROUP_SIZE, SOURCE: source, TARGET: 1 - source },
      }),
      bindings: [BUFFERS[source]!, BUFFERS[1 - source]!, "counters"],
      params: params("particles_step", { capacity, seconds: STEP_SECONDS }),
      grid: [Math.ceil(capacity / WORKGROUP_SIZE), 1, 1],
      indirect: "workgroups",
    },
  ];
}

function emitPass(
  target: number,
  capacity: number,
  firstId: number,
  count: number,
  WORKGROUP_SIZE: number,
): Pass {
  return {
    program: program("particles_emit", { constants: { WORKGROUP_SIZE, TARGET: target } }),
    bindings: ["emitted", BUFFERS[target]!, "counters"],
    params: params("particles_emit", { capacity, count, firstId }),
    grid: [Math.ceil(count / WORKGROUP_SIZE), 1, 1],
  };
}

/**
 * Particles that rise from one point, each in its own direction, under gravity. An id always gives the same
 * particle.
 */
function fountain(count: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(count * STRIDE);
  const floats = new Float32Array(words.buffer);
  for (let id = 0; id < count; id++) {
    // The golden angle and M. Roberts's two-dimensional sequence distribute any number of particles evenly.
    const angle = id * 2.399963;
    const spread = 1.6 * Math.sqrt((id * 0.7548777) % 1);
    const rise = 6 + ((3 * id * 0.5698403) % 3);
    floats.set([0, 0, 0], id * STRIDE);
    words[id * STRIDE + ID] = id;
    floats.set([spread * Math.cos(angle), rise, spread * Math.sin(angle)], id * STRIDE + 4);
    floats.set([0, -9.8, 0], id * STRIDE + 8);
  }
  return words;
}

/**
 * Makes the check of the result. The device decides the order of the particles, and which of them are dropped
 * if a buffer is full, so the buffers cannot be compared word by word. Instead the counts must equal the
 * CPU's, no id may occur twice, and each particle must be where its steps take it.
 */
function checkParticles(
  emitted: Uint32Array<ArrayBuffer>,
  schedule: readonly number[],
  { capacity, steps, result }: { capacity: number; steps: number; result: string },
): Compare {
  return (actual, expected) => {
    const problems: string[] = [];
    const counts = (words: Words) => [...words.counters!.subarray(0, 3), ...words.workgroups!.subarray(0, 3)];
    if (counts(actual).join() !== counts(expected).join()) {
      problems.push(`the counters are ${counts(actual)}, but the CPU's are ${counts(expected)}`);
    }
    const live = Math.min(actual.counters![steps % 2]!, capacity);
    const seen = new Set<number>();
    for (let place = 0; place < live; place++) {
      const words = actual[result]!.slice(place * STRIDE, (place + 1) * STRIDE);
      const id = words[ID]!;
      const burst = schedule.findIndex((last) => id < last);
      if (burst < 0) problems.push(`place ${place} holds particle ${id}, which was never emitted`);
      else if (seen.has(id)) problems.push(`particle ${id} occurs twice`);
      else if (!isNear(words, moved(emitted, id, steps - burst))) {
        problems.push(`particle ${id} is not where ${steps - burst} steps take it`);
      }
      seen.add(id);
    }
    return { wrong: problems.length, of: live, unit: "particles", first: problems[0] };
  };
}

/** A particle after a number of steps, in double precision. */
function moved(emitted: Uint32Array<ArrayBuffer>, id: number, steps: number): Float64Array {
  const particle = new Float64Array(new Float32Array(emitted.buffer, 4 * id * STRIDE, STRIDE));
  for (let axis = 0; axis < 3; axis++) {
    const [velocity, acceleration] = [particle[4 + axis]!, particle[8 + axis]! * STEP_SECONDS];
    particle[4 + axis] = velocity + steps * acceleration;
    // The sum of the steps' velocities, velocity + k acceleration for k = 1 … steps.
    particle[axis]! += (steps * velocity + (acceleration * steps * (steps + 1)) / 2) * STEP_SECONDS;
  }
  return particle;
}

/** Whether the words equal the expected particle, except for the rounding errors of all steps. */
function isNear(words: Uint32Array<ArrayBuffer>, expected: Float64Array): boolean {
  const floats = new Float32Array(words.buffer);
  const largest = expected.reduce((most, one) => Math.max(most, Math.abs(one)), 1);
  return expected.every(
    (value, i) => NOT_FLOATS.includes(i) || Math.abs(floats[i]! - value) <= 1e-3 * largest,
  );
}
