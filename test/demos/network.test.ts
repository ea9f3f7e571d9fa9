import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { defaultTraits } from "../../src/core/plan/traits.js";
import { bitonicPlan } from "../../src/core/sort/bitonic.js";
import { applyStage, networkOf } from "../../src/demos/comparators.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { buildDemo } from "../support/demos.js";

const u32 = elementType("u32");
const planOf = (keyCount: number, tileBits: number) =>
  bitonicPlan(keyCount, u32, { descending: false }, defaultTraits, { workgroupSize: 64, tileBits });

const stagesOf = (keyCount: number, tileBits: number) =>
  networkOf(planOf(keyCount, tileBits)).flatMap((pass) => (pass.kind === "local" ? pass.stages : []));

const sortBy = (keys: readonly number[], tileBits: number) =>
  stagesOf(keys.length, tileBits).reduce<number[]>(
    (state, stage) => applyStage(state, stage, (a, b) => a < b),
    [...keys],
  );

describe("the network that is read from a plan", () => {
  it("sorts every input of zeros and ones, and therefore every input (Knuth's 0-1 principle)", () => {
    const stages = stagesOf(16, 3);
    for (let bits = 0; bits < 2 ** 16; bits++) {
      let keys = Array.from({ length: 16 }, (_, i) => (bits >> i) & 1);
      for (const stage of stages) keys = applyStage(keys, stage, (a, b) => a < b);
      if (keys.some((key, i) => i > 0 && key < keys[i - 1]!))
        expect.fail(`${bits.toString(2)} gives ${keys}`);
    }
  });

  it("sorts any number of keys, in windows of any width", () => {
    const cases = fc.tuple(
      fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 200 }),
      fc.integer({ min: 3, max: 6 }),
    );
    fc.assert(
      fc.property(cases, ([keys, tileBits]) => {
        expect(sortBy(keys, tileBits)).toEqual([...keys].sort((a, b) => a - b));
      }),
    );
  });

  it("has n/4 k (k + 1) comparators for n = 2^k keys, like Batcher's", () => {
    for (const k of [1, 2, 3, 4, 5, 8]) {
      const all = stagesOf(2 ** k, 3).flatMap(({ comparators }) => comparators);
      expect(all).toHaveLength((2 ** k / 4) * k * (k + 1));
      for (const { low, high } of all) expect(low).toBeLessThan(high);
    }
  });

  it("uses no key twice in a stage, and only keys in the workgroup's tile", () => {
    for (const pass of networkOf(planOf(256, 4))) {
      if (pass.kind === "transpose") continue;
      const touched = new Map<number, Set<number>>();
      for (const { comparators } of pass.stages) {
        const keys = comparators.flatMap(({ low, high }) => [low, high]);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { low, high, workgroup } of comparators) {
          expect(workgroup).toBeLessThan(pass.workgroups);
          touched.set(workgroup, (touched.get(workgroup) ?? new Set()).add(low).add(high));
        }
      }
      const sets = [...touched.values()];
      for (const keys of sets) expect(keys.size).toBeLessThanOrEqual(2 ** 4);
      expect(sets.reduce((sum, keys) => sum + keys.size, 0)).toBe(256);
    }
  });

  it("changes the keys like the plan's own kernels", () => {
    const plan = planOf(64, 3);
    const input = Array.from({ length: 64 }, (_, i) => (i * 37) % 64);
    const keys = new Uint32Array(plan.buffers.keys!.bytes / 4);
    keys.set(input);
    expect(sortBy(input, 3)).toEqual([...runOnCpu(plan, { keys })[plan.result]!.subarray(0, 64)]);
  });
});

describe("the network's drawing", () => {
  const draw = (texts: Record<string, string>) => {
    const picture = buildDemo("network", defaultTraits, texts).draw!(".svg", []);
    return "text" in picture ? picture.text : "";
  };

  it("has an arrow for every comparator, and a band for every pass", () => {
    const text = draw({ keys: "32" });
    expect(text.match(/<g stroke=/g)).toHaveLength((32 / 4) * 5 * 6);
    expect(text.match(/>pass \d+</g)).toHaveLength(9);
    expect(text.match(/>transpose</g)).toHaveLength(4);
  });

  it("shows each traced value before the first stage and after each stage, and its path as a line", () => {
    const text = draw({ trace: "70,30,50,10" });
    for (const value of [70, 30, 50, 10])
      expect(text.match(new RegExp(`>${value}<`, "g"))).toHaveLength(1 + 3);
    expect(text.match(/<polyline/g)).toHaveLength(4);
  });
});
