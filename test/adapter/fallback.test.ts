import { expect, it } from "vitest";
import { elementType, type KeyArray } from "../../src/core/elements.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import type { FallbackTuning } from "../../src/core/sort/msd/msd_tuning.js";
import { radixPlan } from "../../src/core/sort/radix/radix.js";
import type { SubgroupTuning } from "../../src/core/sort/radix/radix_tuning.js";
import { distribution, generateKeys } from "../../src/testdata/distributions.js";
import { runFenced } from "../support/fenced.js";
import { distributions, keysNearZero, keysOfQuarters, randomKeys } from "../support/keys.js";
import { expectSorted } from "../support/radix_case.js";
import { smallMsd } from "../support/small_msd.js";
import { describeOnSubgroups, fewerOnLavapipe, opened, selector } from "./device.js";

const subgroupSize = opened?.gpu.traits.subgroupSize.min ?? 0;

/**
 * Whole subgroups add up the values of the fallback's digits: 16, or 64 where subgroups have 32 invocations.
 */
const fallbackBits = subgroupSize > 16 ? 6 : 4;
const SIZES = [4, 8, 16, 32];

const workgroupSize = Math.max(32, 2 ** fallbackBits);
const tile = 2 * workgroupSize;
/** After as many spins, the other workgroups have begun, except rarely where the cores are busy. */
const LONG_SPIN = 2_000_000;
const fallback: FallbackTuning = { workgroupSize, keysPerInvocation: 2, workgroups: 5, spinLimit: 32 };
type Name = "u32" | "i32" | "f32" | "u64" | "i64" | "f64";
type Some = Partial<FallbackTuning> & { digitBits?: number };

describeOnSubgroups(SIZES, `a fallback that makes its moves in one dispatch, on ${selector}`, ({ gpu }) => {
  const tuningOf = ({ digitBits = 4, ...some }: Some = {}): SubgroupTuning => {
    const base = smallMsd(subgroupSize, 5, { digitBits }, { digitBits: fallbackBits, workgroupSize });
    return { ...base, msd: { ...base.msd!, fallback: { ...fallback, ...some } } };
  };
  /**
   * Sorts and checks keys.
   *
   * @returns whether the segments fit, so that no fallback was needed, how many workgroups participated, and
   *   how often each of them arrived at the barrier.
   */
  const run = async (name: Name, keys: KeyArray, options: Partial<SortOptions> = {}, some: Some = {}) => {
    const one = {
      type: elementType(name),
      keys,
      options: { descending: false, ...options },
      traits: gpu.traits,
      tuning: tuningOf(some),
    };
    const output = await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
    const [status, , participants = 0, arrivals = 0] = output.status!;
    return { fits: status === 1, participants, barriers: arrivals / participants };
  };
  const sort = async (...one: Parameters<typeof run>) => (await run(...one)).fits;
  const few = (name: Name, count: number) => generateKeys(distribution("few"), elementType(name), count, 3);

  it("takes one dispatch, or two if the scatter does not make the first move", () => {
    const options = { descending: false };
    const kernels = (some: Some, payload: 0 | 4) =>
      radixPlan(1000, elementType("u32"), { ...options, payload }, gpu.traits, tuningOf(some)).passes.map(
        ({ program }) => program.kernel,
      );
    const msd = ["msd_count", "msd_scatter", "msd_local"];
    expect(kernels({}, 0)).toEqual([...msd, "radix_fallback"]);
    expect(kernels({ digitBits: 5 }, 0)).toEqual([...msd, "radix_scatter", "radix_fallback"]);
    expect(kernels({}, 4)).toEqual([...msd, "radix_scatter", "radix_fallback"]);
  });

  /** A seventh of the keys are random, the others are of two values, so that their segments do not fit. */
  const skewed = (name: Name, count: number) => {
    const keys = randomKeys(elementType(name), count, 1);
    for (let i = 1; i < count; i++) if (i % 7 !== 0) keys.copyWithin(i, 7 * (i % 2), 7 * (i % 2) + 1);
    return keys;
  };

  /** Sorts such keys and returns how many workgroups participated. */
  const participants = async (name: Name, count: number, some: Some) => {
    const found = await run(name, skewed(name, count), {}, { spinLimit: LONG_SPIN, ...some });
    expect(found.fits).toBe(false);
    return found.participants;
  };

  it("sorts keys whose segments do not fit, in any number of tiles", async () => {
    let most = 0;
    // Each number of tiles takes each number of workgroups at one of its ends, and each type at another one.
    for (const [n, name] of fewerOnLavapipe<Name>(["u32", "f32", "u64"], ["u64"]).entries()) {
      for (const [t, tiles] of [6, 7, 11].entries()) {
        for (const more of [-1, 0, 1]) {
          const workgroups = [2, 3, 64][(n + t + more + 1) % 3]!;
          most = Math.max(most, await participants(name, tiles * tile + more, { workgroups }));
        }
      }
    }
    expect(most).toBeGreaterThan(1);
  });

  it("sorts by two workgroups that have one tile each", async () => {
    const long = { workgroupSize: 2 * workgroupSize, keysPerInvocation: 4, workgroups: 2 };
    let most = 0;
    for (let i = 0; i < 20 && (i < 3 || most < 2); i++) {
      most = Math.max(most, await participants("u32", 8 * tile - [0, 1, 100][i % 3]!, long));
    }
    expect(most).toBe(2);
  });

  it("sorts any distribution of any type in both directions", async () => {
    // Each distribution takes both directions, in turns with the types.
    for (const [turn, name] of fewerOnLavapipe<Name>(
      ["u32", "i32", "f32", "u64", "f64"],
      ["f32"],
    ).entries()) {
      for (const [i, make] of Object.values(distributions).entries()) {
        await sort(name, make(elementType(name), 3000), { descending: (turn + i) % 2 === 1 });
      }
    }
  });

  it("skips digits in which no keys differ, and leaves the keys where they belong", async () => {
    for (const [turn, name] of fewerOnLavapipe<Name>(["u32", "f32", "u64", "f64"], ["f64"]).entries()) {
      for (let quarters = 0; quarters < 16; quarters++) {
        const keys = keysOfQuarters(elementType(name), 3000, quarters);
        await sort(name, keys, {
          descending: (turn + quarters) % 2 === 1,
          payload: name === "u32" && quarters % 3 === 0 ? 4 : 0,
        });
      }
    }
  });

  it("sorts signed keys near 0 by the digits that their distance from 0 needs", async () => {
    for (const name of fewerOnLavapipe<Name>(["i32", "i64"], ["i64"])) {
      const { bytes } = elementType(name);
      for (const bits of [2, fallbackBits - 1, fallbackBits, 11, 20, 8 * bytes - 1]) {
        await sort(name, keysNearZero(elementType(name), 3000, bits, bits < 20 ? 2 ** 20 : 0));
        const keys = keysNearZero(elementType(name), 3000, bits);
        const descending = bits % 2 === 1;
        const payload = name === "i32" && descending ? 4 : 0;
        const { fits, barriers } = await run(name, keys, { descending, payload });
        expect(fits).toBe(false);
        // The scatter makes the first move. Each other one has two barriers, but the last one has one. Keys that
        // are counted anew take one more.
        const digits = Math.ceil((Math.max(fallbackBits, bits) + 1) / fallbackBits);
        const most = (8 * bytes) / fallbackBits;
        const moves = digits % 2 === most % 2 ? digits : digits + 1;
        expect(barriers, `${name} ${bits}`).toBeLessThanOrEqual(2 * (moves - 1) + 1);
      }
    }
  });

  it("sorts all keys by one member, in chunks whose counts need more than 16 bits", async () => {
    // Over 65,535 keys have the smaller value of each digit.
    const keys = new Uint32Array(140_000).map((_, i) => (i % 3 === 0 ? 0x1234_5678 : 0x0101_0101));
    expect(await sort("u32", keys, {}, { keysPerInvocation: 4, workgroups: 1 })).toBe(false);
  });

  it("sorts by whatever number of workgroups runs at a time", async () => {
    for (const workgroups of [1, 2, 3, 64]) {
      expect(await sort("u32", few("u32", 5000), {}, { workgroups })).toBe(false);
    }
    let most = 0;
    for (let i = 0; i < 20 && most < 2; i++) {
      const { participants } = await run(
        "u32",
        few("u32", 5000 + i),
        {},
        { workgroups: 2, spinLimit: LONG_SPIN },
      );
      most = Math.max(most, participants);
    }
    expect(most).toBe(2);
  });

  if (selector === "llvmpipe") return;

  it("moves values and indices stably", async () => {
    for (const [name, options] of [
      ["u32", { payload: 4 }],
      ["u32", { payload: 12 }],
      ["i32", { payload: "index", descending: true, keepInput: true }],
      ["i32", { payload: "index", dropKeys: true }],
      ["u32", { payload: 4, bits: { begin: 3, end: 32 } }],
    ] as const) {
      for (const count of [2601, 3000, 5003]) expect(await sort(name, few(name, count), options)).toBe(false);
    }
  });

  it("does nothing if the segments fit", async () => {
    for (const payload of [0, 4] as const) {
      expect(await sort("u32", randomKeys(elementType("u32"), 1500, 1), { payload })).toBe(true);
    }
    for (const count of [0, 1]) {
      expect(await sort("u32", new Uint32Array(count), { payload: "index" })).toBe(true);
    }
  });
});
