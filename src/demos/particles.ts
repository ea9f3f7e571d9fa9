import type { RgbaImage } from "../formats/image.js";
import { workgroupSize1d } from "../plan/grid.js";
import { bufferBytes, floatBits, type Pass, type Words } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { formatCount } from "../report/units.js";
import type { Compare } from "./compare.js";
import { defineDemo } from "./demo.js";
import { requireBuffer, requireGrid } from "./limits.js";
import { wholeNumber } from "./options.js";

/** The book's. */
const STEP_SECONDS = 1 / 60;

/** Words a particle: see wgsl/shared/particle.wgsl. */
const STRIDE = 12;
const ID = 3;
const REFUSED = 2;
/** Words that hold no float: the id, and what fills gaps. */
const UNUSED = [3, 7, 11];

/** Two buffers that take turns. */
const BUFFERS = ["particles0", "particles1"] as const;

/**
 * "Append and consume buffers" of the D3D12 chapter. Every step consumes all particles of one buffer and appends
 * them, moved on, to the other, dispatched by as many workgroups as a kernel has made of the counter. A fountain
 * emits particles before some of the steps, more than there is room for if `--capacity` is small.
 */
export const particles = defineDemo({
  name: "particles",
  summary: "append and consume buffers by atomic counters, dispatched indirectly; none lost, none doubled",
  options: {
    count: wholeNumber("particles emitted in all", { default: 10_000, least: 1, most: 4_000_000 }),
    capacity: wholeNumber("particles that a buffer holds; 0 is as many as are emitted", {
      default: 0,
      least: 0,
      most: 4_000_000,
    }),
    steps: wholeNumber("steps of 1/60 s", { default: 60, least: 1, most: 10_000 }),
    bursts: wholeNumber("parts in which they are emitted, one a step", { default: 10, least: 1, most: 1000 }),
  },
  pictures: [".png"],
  build: ({ values, traits }) => {
    const { count, steps } = values;
    const capacity = values.capacity || count;
    const bursts = Math.min(values.bursts, steps, count);
    const WORKGROUP_SIZE = workgroupSize1d(64, traits.limits);
    requireBuffer(4 * STRIDE * Math.max(count, capacity), traits.limits, `${formatCount(count)} particles`);
    requireGrid([Math.ceil(Math.max(count, capacity) / WORKGROUP_SIZE)], traits.limits, "--count");
    const emitted = fountain(count);
    const schedule = Array.from({ length: bursts }, (_, burst) => Math.floor(((burst + 1) * count) / bursts));
    const bytes = bufferBytes(4 * STRIDE * capacity);
    const rounds = [0, 1].map((source) => stepPasses(source, capacity, WORKGROUP_SIZE));
    const passes = Array.from({ length: steps }, (_, step) => {
      const first = schedule[step - 1] ?? 0;
      const last = schedule[step];
      const emit = last === undefined ? [] : [emitPass(step % 2, capacity, first, last - first, traits)];
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
        const { counters, workgroups } = outcome!.words;
        const live = counters![steps % 2]!;
        const refused = counters![REFUSED]!;
        return [
          `${formatCount(count)} particles emitted in ${bursts} bursts, buffers of ${formatCount(capacity)}, ${formatCount(steps)} steps\n`,
          `left ${formatCount(live)}, refused ${formatCount(refused)} for want of room, in the emptied buffer ${counters![1 - (steps % 2)]}\n`,
          `the last step ran ${formatCount(workgroups![0]!)} workgroups of ${WORKGROUP_SIZE}, as the counter told it\n`,
          `${formatCount(outcome!.differences.wrong)} lost, doubled, or moved wrongly\n`,
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

/** The particles from the side, as far as they have come, brighter where there are more; red first, blue last emitted. */
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

/** All of one buffer's particles on to the other: how many workgroups that takes, and those. */
function stepPasses(source: number, capacity: number, WORKGROUP_SIZE: number): Pass[] {
  return [
    {
      program: {
        kernel: "particles_grid",
        uses: ["particle"],
        constants: { WORKGROUP_SIZE, SOURCE: source },
      },
      bindings: ["counters", "workgroups"],
      params: [],
      grid: [1, 1, 1],
    },
    {
      program: {
        kernel: "particles_step",
        uses: ["particle"],
        constants: { WORKGROUP_SIZE, SOURCE: source, TARGET: 1 - source },
      },
      bindings: [BUFFERS[source]!, BUFFERS[1 - source]!, "counters"],
      params: [capacity, ...floatBits([STEP_SECONDS])],
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
  traits: DeviceTraits,
): Pass {
  const WORKGROUP_SIZE = workgroupSize1d(64, traits.limits);
  return {
    program: { kernel: "particles_emit", uses: ["particle"], constants: { WORKGROUP_SIZE, TARGET: target } },
    bindings: ["emitted", BUFFERS[target]!, "counters"],
    params: [capacity, count, firstId],
    grid: [Math.ceil(count / WORKGROUP_SIZE), 1, 1],
  };
}

/** Particles that rise from one point, each in its own direction, under gravity. Those of one id are the same. */
function fountain(count: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(count * STRIDE);
  const floats = new Float32Array(words.buffer);
  for (let id = 0; id < count; id++) {
    // The golden angle and M. Roberts's two-dimensional sequence spread any number of particles evenly.
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
 * Order and, where room is short, choice are the device's own, so nothing is compared place by place. The counts
 * must be the twin's; no id may be there twice; and each particle must be where its own steps take it.
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
      problems.push(`the counters are ${counts(actual)}, the CPU twin's ${counts(expected)}`);
    }
    const live = Math.min(actual.counters![steps % 2]!, capacity);
    const seen = new Set<number>();
    for (let place = 0; place < live; place++) {
      const words = actual[result]!.slice(place * STRIDE, (place + 1) * STRIDE);
      const id = words[ID]!;
      const burst = schedule.findIndex((last) => id < last);
      if (burst < 0) problems.push(`place ${place} holds the particle ${id}, which was never emitted`);
      else if (seen.has(id)) problems.push(`the particle ${id} is there twice`);
      else if (!isNear(words, moved(emitted, id, steps - burst))) {
        problems.push(`the particle ${id} is not where ${steps - burst} steps take it`);
      }
      seen.add(id);
    }
    return { wrong: problems.length, of: live, unit: "particles", first: problems[0] };
  };
}

/** A particle after so many steps, in double precision. */
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

/** To within what rounding every step may add up to. */
function isNear(words: Uint32Array<ArrayBuffer>, expected: Float64Array): boolean {
  const floats = new Float32Array(words.buffer);
  const largest = expected.reduce((most, one) => Math.max(most, Math.abs(one)), 1);
  return expected.every((value, i) => UNUSED.includes(i) || Math.abs(floats[i]! - value) <= 1e-3 * largest);
}
