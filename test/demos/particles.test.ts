import { describe, expect, it } from "vitest";
import type { Experiment } from "../../src/demos/demo.js";
import { defaultTraits } from "../../src/plan/traits.js";
import { runOnTwins } from "../../src/twins/run.js";
import { buildDemo } from "../support/demos.js";

const STRIDE = 12;
const ID = 3;

/** What the twins compute, as a device would be read. */
function outcome({ plan, inputs, reads }: Experiment) {
  const all = runOnTwins(plan, inputs);
  return Object.fromEntries(reads!.map((name) => [name, all[name]!.slice()]));
}

describe("the particles' check", () => {
  const [experiment] = buildDemo("particles", defaultTraits, { count: "100", steps: "6" }).experiments;
  const expected = outcome(experiment!);
  const { result } = experiment!.plan;
  const compare = experiment!.compare!;

  const tampered = (change: (particles: Uint32Array, counters: Uint32Array) => void) => {
    const actual = outcome(experiment!);
    change(actual[result]!, actual.counters!);
    return compare(actual, expected);
  };

  it("takes the particles in any order", () => {
    const found = tampered((particles) => {
      const first = particles.slice(0, STRIDE);
      particles.copyWithin(0, STRIDE, 100 * STRIDE);
      particles.set(first, 99 * STRIDE);
    });
    expect(found).toMatchObject({ wrong: 0, of: 100 });
  });

  it("finds one that is there twice", () => {
    const found = tampered((particles) => particles.copyWithin(0, STRIDE, 2 * STRIDE));
    expect(found.first).toMatch(/the particle \d+ is there twice/);
  });

  it("finds one that is lost", () => {
    const found = tampered((_, counters) => {
      counters[0]!--;
    });
    expect(found.first).toMatch(/the counters are 99,/);
  });

  it("finds one that is not where it should be, and one that never was", () => {
    const moved = tampered((particles) => {
      new Float32Array(particles.buffer)[1]! += 0.1;
    });
    expect(moved.first).toMatch(/is not where \d+ steps take it/);
    const unknown = tampered((particles) => {
      particles[ID] = 100;
    });
    expect(unknown.first).toMatch(/the particle 100, which was never emitted/);
  });

  it("counts those refused where the room is short, and loses none besides", () => {
    const { experiments } = buildDemo("particles", defaultTraits, {
      count: "100",
      capacity: "33",
      steps: "5",
    });
    const words = outcome(experiments[0]!);
    expect([...words.counters!.subarray(0, 3)].sort((a, b) => a - b)).toEqual([0, 33, 67]);
    expect(experiments[0]!.compare!(words, words).wrong).toBe(0);
  });
});
