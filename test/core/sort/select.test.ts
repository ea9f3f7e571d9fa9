import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { defaultLimits } from "../../../src/core/plan/grid.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import type { TopOptions } from "../../../src/core/sort/key.js";
import { selectPlan, selects } from "../../../src/core/sort/select/select.js";
import { bindable, FEW_BYTES } from "../../support/compact_case.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { distinctKeys } from "../../support/expected_output.js";
import { distributions, randomKeys } from "../../support/keys.js";
import { expectSelected, misleadingKeys } from "../../support/select_case.js";

// So small that a few thousand keys are selected, as millions are.
const SPARE = 40;
vi.mock("../../../src/core/sort/select/select_tuning.js", () => ({
  LEAST_KEYS: { hardware: 5000, hardwareSorting: 5000, software: 50 },
  LEAST_REFINED_KEYS: 100,
  LEAST_RATIO: 4,
  FIRST_KEYS: { least: 2 ** 31, most: 0 },
  SPARE_KEYS: 40,
  SAMPLES: { hardware: 256, software: 128 },
  REFINED_TILES: [64, 1024],
  MOST_REFINED_BY_ONE: 3500,
}));

const wideTypes = elementTypes.filter(({ bytes }) => bytes >= 4);
const inputs: typeof distributions = { ...distributions, distinct: distinctKeys };

const compatible = {
  ...defaultLimits,
  maxComputeInvocationsPerWorkgroup: 128,
  maxComputeWorkgroupSizeX: 128,
};
const devices: readonly DeviceTraits[] = [
  defaultTraits,
  { ...defaultTraits, software: true },
  { ...defaultTraits, limits: compatible },
  { ...defaultTraits, subgroups: true, subgroupSize: { min: 32, max: 32 }, lockstep: true },
];

const some: readonly Omit<TopOptions, "descending" | "top">[] = [
  {},
  { unsorted: true },
  { payload: 4 },
  { payload: "index", unsorted: true },
  { payload: 12, bits: { begin: 5, end: 29 } },
  { payload: "index" },
  { bits: { begin: 3, end: 3 } },
];

describe("a radix select", () => {
  it.each(wideTypes)(
    "finds the first keys, sorts them, and takes along what belongs to them: $name",
    async (type) => {
      let turn = wideTypes.indexOf(type);
      for (const [m, make] of Object.values(inputs).entries()) {
        for (const size of [1, 2, 300, 2049]) {
          const keys = make(type, size);
          // Each type and input take every third number, the next ones others.
          for (const [i, top] of [1, Math.ceil(size / 3), size - 1, size, size + 1].entries()) {
            if (top === 0 || (i + m + wideTypes.indexOf(type)) % 3 > 0) continue;
            const options = { ...some[turn % some.length]!, top, descending: turn % 2 === 1 };
            await expectSelected(runOnCpu, { type, keys, options, traits: devices[turn % devices.length]! });
            turn++;
          }
        }
      }
    },
  );

  it("finds the first of any keys", async () => {
    const u32 = elementType("u32");
    const keysOf = fc.oneof(
      fc.uint32Array({ minLength: 1, maxLength: 400 }),
      fc.array(fc.constantFrom(0, 1, 2, 2 ** 21, 2 ** 32 - 1), { minLength: 1, maxLength: 400 }),
    );
    const property = fc.asyncProperty(
      keysOf,
      fc.nat(410),
      fc.boolean(),
      fc.constantFrom(...some),
      fc.option(fc.nat(500), { nil: undefined }),
      async (numbers, top, descending, more, count) => {
        const keys = Uint32Array.from(numbers);
        const counted = count === undefined ? {} : { counted: true };
        const options = { ...more, ...counted, top: top + 1, descending };
        await expectSelected(runOnCpu, {
          type: u32,
          keys,
          options,
          traits: defaultTraits,
          count: count ?? 0,
        });
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it.each(["f32", "i64"])("binds many keys in windows: %s", async (name) => {
    const type = elementType(name);
    const keys = randomKeys(type, 20_011, 3);
    const traits = bindable(defaultTraits, FEW_BYTES);
    for (const more of some) {
      for (const count of [undefined, 0, 5, 12_345, 30_000]) {
        const counted = count === undefined ? {} : { counted: true, countAt: count % 3 };
        const options = { ...more, ...counted, top: 1000, descending: false };
        await expectSelected(runOnCpu, { type, keys, options, traits, count: count ?? 0 });
      }
    }
  });

  it("stops to count as soon as few keys are left, and takes the first of too many equal keys", async () => {
    const type = elementType("u64");
    const options = { payload: "index", top: 10, descending: false } as const;
    // A sample finds another bound, but none of keys that are bound in windows.
    const traits = bindable(defaultTraits, 2 ** 14);
    const found = (keys: KeyArray) => expectSelected(runOnCpu, { type, keys, options, traits });
    const near = new BigUint64Array(3000).map((_, i) => BigInt(i) << 55n);
    // A digit has 10 bits here, so it tells all 512 different keys apart.
    expect(await found(near)).toMatchObject({ isWhole: true, bound: [0xffff_ffff, expect.any(Number)] });
    const ties = near.map((key, i) => (i < 5 ? key : 7n << 60n));
    const { isWhole, count, bound } = await found(ties);
    expect({ isWhole, count, bound }).toEqual({ isWhole: false, count: 10, bound: [0, 0x7000_0000] });
    const few = await found(near.fill(3n, SPARE + 10));
    expect(few.isWhole).toBe(false);
  });

  const gpuLike = { ...defaultTraits, subgroups: true, subgroupSize: { min: 32, max: 32 }, lockstep: true };

  it.each(["before", "after"] as const)("is right if all samples are %s the other keys", async (misled) => {
    const refusedWord = 11;
    for (const [turn, name] of ["u32", "u64", "f32"].entries()) {
      const type = elementType(name);
      for (const traits of [defaultTraits, gpuLike, { ...defaultTraits, software: true }]) {
        // So many keys are selected by one workgroup, or by all.
        for (const [size, top] of [
          [3400, 850],
          [12_001, 850],
          [12_001, 2900],
        ] as const) {
          // Each size takes all of these, each by one type.
          for (const [o, more] of some.slice(0, 6).entries()) {
            if (o % 3 !== turn) continue;
            // Without a sort, other devices count all digits.
            if (more.unsorted && (traits.software || top > 1000)) continue;
            const keys = misleadingKeys(type, size, top, traits, misled);
            const bits = more.bits && { begin: 0, end: 31 };
            const options = { ...more, bits, top, descending: false };
            let refused: number | undefined;
            const run = async (...[plan, inputs]: Parameters<typeof runOnCpu>) => {
              const output = runOnCpu(plan, inputs);
              expect(plan.passes[0]!.program.kernel).toBe("select_sample");
              refused = output.selection![refusedWord];
              return output;
            };
            await expectSelected(run, { type, keys, options, traits });
            expect(refused, JSON.stringify([name, size, options])).toBe(1);
          }
        }
      }
    }
  });

  it("needs no digits of all keys if many equal the bound", async () => {
    const type = elementType("u32");
    const size = 9000;
    for (const traits of [defaultTraits, gpuLike]) {
      for (const [fewer, isWhole] of [
        [10, false],
        [400, true],
      ] as const) {
        const keys = new Uint32Array(size).map((_, i) => (i % Math.floor(size / fewer) === 7 ? i : 50_000));
        let words = new Uint32Array();
        const run = async (...[plan, inputs]: Parameters<typeof runOnCpu>) => {
          const output = runOnCpu(plan, inputs);
          words = output.selection!;
          return output;
        };
        const options = { top: 300, descending: false, payload: "index" } as const;
        const selected = await expectSelected(run, { type, keys, options, traits });
        expect(words[11]).toBe(0);
        expect(selected.isWhole).toBe(isWhole);
        if (isWhole) expect(keys.filter((key) => key <= selected.bound[0])).toHaveLength(selected.count);
      }
    }
  });

  it.each(["u32", "i32", "u64"])("sorts evenly spread %s keys most significant digit first", async (name) => {
    const type = elementType(name);
    const bits = 8 * type.bytes;
    const size = 26_000;
    const random = randomKeys(type, size, 5);
    const cases = [
      [1700, 0, false],
      [2000, 0, true],
      [2300, 11, false],
      [2600, 11, true],
      [2900, bits - 20, false],
      [3200, bits - 20, true],
      [5600, 3, false],
      [6200, 3, true],
    ] as const;
    // One type takes all of them, one those in ascending order, and one the others.
    const taken = cases.filter(([, , descending]) => name === "u32" || descending === (name === "i32"));
    for (const [top, shift, descending] of taken) {
      const keys = (random as Uint32Array).map((key) =>
        type.words === 2 ? ((BigInt(key) >> BigInt(shift)) as never) : key >> shift,
      );
      let fits: number | undefined;
      const run = async (...[plan, inputs]: Parameters<typeof runOnCpu>) => {
        const output = runOnCpu(plan, inputs);
        fits = output.top_status?.[0];
        return output;
      };
      await expectSelected(run, { type, keys, options: { top, descending }, traits: gpuLike });
      expect(fits, JSON.stringify([name, top, shift, descending])).toBe(1);
    }
  });

  it("counts all digits where that moves fewer bytes than a sort of the candidates", () => {
    const u64 = elementType("u64");
    const passes = (keyCount: number, options: Omit<TopOptions, "descending">, type: ElementType = u64) =>
      selectPlan(keyCount, type, { ...options, descending: false }, defaultTraits).passes.length;
    // One to begin, two for each of six digits, three to copy.
    expect(passes(4800, { top: 1100, unsorted: true })).toBe(16);
    expect(passes(4800, { top: 1100 })).toBeGreaterThan(16);
    expect(passes(1_000_000, { top: 1100, unsorted: true })).toBe(passes(1_000_000, { top: 1100 }));
  });

  it("is only for many keys of 32 or 64 bits, of which few are requested", () => {
    const able = (keyCount: number, name: string, top: number | undefined, traits: DeviceTraits = gpuLike) =>
      selects(keyCount, elementType(name), { descending: false, top }, traits);
    expect(able(512, "u32", 128)).toBe(true);
    expect(able(50, "u32", 10, { ...defaultTraits, software: true })).toBe(true);
    expect(able(5000, "u32", 1100)).toBe(true);
    expect(able(4999, "u32", 500, defaultTraits)).toBe(false);
    expect(able(5000, "u32", 500, defaultTraits)).toBe(true);
    for (const [keys, type, top] of [
      [4999, "u32", 1100],
      [512, "u16", 1],
      [512, "u8", 1],
      [99, "u32", 1],
      [512, "u32", 129],
      [511, "u32", 128],
      [512, "u32", 0],
      [512, "u32", undefined],
    ] as const) {
      expect(able(keys, type, top), `${keys} ${type} ${top}`).toBe(false);
    }
    const limits = { ...defaultLimits, maxStorageBufferBindingSize: 4 * 100 };
    expect(able(5000, "u32", 60, { ...gpuLike, limits })).toBe(true);
    expect(able(5000, "u32", 61, { ...gpuLike, limits })).toBe(false);
  });
});
