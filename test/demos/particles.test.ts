import { describe, expect, it } from "vitest";
import { defaultTraits } from "../../src/core/plan/traits.js";
import type { Experiment } from "../../src/demos/demo.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { buildDemo } from "../support/demos.js";

const STRIDE = 12;
const ID = 3;

/** The result of the CPU kernels, in the form in which it would be read from a device. */
function outcome({ plan, inputs, reads }: Experiment) {
  const all = runOnCpu(plan, inputs);
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

  it("accepts the particles in any order", () => {
    const found = tampered((particles) => {
      const first = particles.slice(0, STRIDE);
      particles.copyWithin(0, STRIDE, 100 * STRIDE);
      particles.set(first, 99 * STRIDE);
    });
    expect(found).toMatchObject({ wrong: 0, of: 100 });
  });

  it("finds a particle that occurs twice", () => {
    const found = tampered((particles) => particles.copyWithin(0, STRIDE, 2 * STRIDE));
    expect(found.first).toMatch(/^particle \d+ occurs twice/);
  });

  it("finds that a particle is lost", () => {
    const found = tampered((_, counters) => {
      counters[0]!--;
    });
    expect(found.first).toMatch(/the counters are 99,/);
  });

  it("finds a particle at a wrong position, and one that was never emitted", () => {
    const moved = tampered((particles) => {
      new Float32Array(particles.buffer)[1]! += 0.1;
    });
    expect(moved.first).toMatch(/is not where \d+ steps take it/);
    const unknown = tampered((particles) => {
      particles[ID] = 100;
    });
    expect(unknown.first).toMatch(/holds particle 100, which was never emitted/);
  });

  it("counts the particles that do not fit a buffer, and loses no others", () => {
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
