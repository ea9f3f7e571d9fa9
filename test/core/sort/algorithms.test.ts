import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes } from "../../../src/core/elements.js";
import { InputError } from "../../../src/core/errors.js";
import type { Binding, Plan } from "../../../src/core/plan/plan.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import {
  algorithm,
  algorithms,
  chooseAlgorithm,
  requireSupported,
} from "../../../src/core/sort/algorithms.js";
import { MAX_KEYS, type SortOptions } from "../../../src/core/sort/key.js";
import { fits } from "../../../src/core/sort/limits.js";
import { firstKeysPlan } from "../../../src/core/sort/select/select.js";
import { wholeWordTypes } from "../../support/conformance.js";

function device(maxStorageBufferBindingSize: number, maxBufferSize: number): DeviceTraits {
  return {
    ...defaultTraits,
    limits: { ...defaultTraits.limits, maxStorageBufferBindingSize, maxBufferSize },
  };
}

describe("an algorithm", () => {
  it.each(algorithms)("is found by its name: $name", ({ name }) => {
    expect(algorithm(name).name).toBe(name);
  });

  it("named auto makes the same plan as the fastest algorithm for the job", () => {
    for (const type of elementTypes) {
      for (const keyCount of [100, 1_000_000]) {
        for (const options of [{ descending: true }, { descending: false, payload: 4 }]) {
          const { name } = chooseAlgorithm(keyCount, type, options, defaultTraits);
          const plans = ["auto", name].map((one) =>
            algorithm(one).plan(keyCount, type, options, defaultTraits),
          );
          expect(plans[0]).toEqual(plans[1]);
        }
      }
    }
  });

  it("selects 50 of the logits of a vocabulary in two dispatches, with subgroups and without", () => {
    const type = elementType("f32");
    const subgroups = { subgroups: true, subgroupSize: { min: 32, max: 32 }, lockstep: true };
    for (const traits of [defaultTraits, { ...defaultTraits, ...subgroups }]) {
      for (const keyCount of [32_000, 128_256, 151_936, 262_144]) {
        for (const payload of [0, "index"] as const) {
          const options = { descending: true, payload, top: 50 };
          const plan = firstKeysPlan(algorithm("auto").plan, keyCount, type, options, traits);
          expect(plan.passes.map(({ program }) => program.kernel)).toEqual([
            "select_segments",
            "select_segments",
          ]);
        }
      }
    }
  });

  it("is chosen as the fastest only for jobs that it supports", () => {
    const more = [{ bits: { begin: 0, end: 3 } }, { payload: 8 }, { keepInput: true }, { counted: true }];
    for (const type of elementTypes) {
      for (const keyCount of [0, 2, 4096]) {
        for (const extra of [{}, ...more]) {
          const options = { descending: false, ...extra };
          const chosen = chooseAlgorithm(keyCount, type, options, defaultTraits);
          expect(() => requireSupported(chosen, type, options)).not.toThrow();
          expect(() => chosen.plan(keyCount, type, options, defaultTraits)).not.toThrow();
        }
      }
    }
  });

  it("for plain sorts only refuses other jobs, and the error names the algorithm", () => {
    const refused = (type: string, options: SortOptions) => () =>
      requireSupported(algorithm("bitonic"), elementType(type), options);
    expect(refused("u32", { descending: true })).not.toThrow();
    expect(refused("u32", { descending: true, payload: 4 })).toThrow(InputError);
    expect(refused("u32", { descending: true, bits: { begin: 0, end: 32 } })).toThrow(/^the bitonic sort/);
    expect(refused("i16", { descending: true })).toThrow(InputError);
    for (const type of elementTypes) {
      const options = { descending: false, payload: "index", keepInput: true } as const;
      expect(() => requireSupported(algorithm("radix"), type, options)).not.toThrow();
    }
  });

  it("with an unknown name is refused, and the hint lists the known names", () => {
    let error: unknown;
    try {
      algorithm("bogo");
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).message).toBe("unknown algorithm 'bogo'");
    for (const { name } of algorithms) expect((error as InputError).hint).toContain(name);
  });
});

describe("whether a plan fits a device", () => {
  const program = { kernel: "gather", variants: {}, constants: {} } as const;
  const buffers = { a: { bytes: 512 }, b: { bytes: 1024 } };
  const of = (...bindings: Binding[]): Plan => ({
    buffers,
    passes: [{ program, bindings, params: [], grid: [1, 1, 1] }],
    result: "a",
  });

  it.each([
    ["a", "b", 1024, 1024, true],
    ["a", "b", 1023, 1024, false],
    ["a", "b", 1024, 1023, false],
    ["a", "a", 512, 1024, true], // a buffer that no pass binds may be longer than a binding
    ["a", "a", 511, 1024, false],
    ["a", { buffer: "b", offset: 256, bytes: 600 }, 600, 1024, true],
    ["a", { buffer: "b", offset: 256, bytes: 600 }, 599, 1024, false],
  ] as const)("that binds %j and %j, if bindings have %i bytes and buffers %i: %s", (...given) => {
    const [one, other, binding, buffer, expected] = given;
    expect(fits(of(one, other), device(binding, buffer))).toBe(expected);
  });
});

describe.each(algorithms)("the capacity of $name", (one) => {
  const types = one.plainOnly ? wholeWordTypes : elementTypes;
  /** Plans near the capacity have many windows, and depend on the width of keys; a search takes all types. */
  const typeOfEachWidth = [...new Map(types.map((type) => [type.bytes, type])).values()];
  const ascending = { descending: false };
  /** Bytes per key of the plan's longest buffer. Keys of 16 bits take a word each between passes. */
  const bytesPerKey = ({ bytes }: ElementType) => (bytes === 2 ? 4 : bytes);

  it.each([
    [10_000_000, 2 ** 20],
    [2 ** 27, 2 ** 28],
    [2 ** 27, 2 ** 32 - 4],
    [2 ** 28, 2 ** 27],
    [2 ** 30 + 12_345, 2 ** 32 - 4],
    [2 ** 31 - 4, 2 ** 31 - 4],
    [2 ** 32 - 4, 2 ** 40],
  ])("is the maximum that fits, with bindings up to %i bytes and buffers up to %i", (binding, buffer) => {
    for (const traits of [
      device(binding, buffer),
      { ...device(binding, buffer), software: true, subgroupSize: { min: 8, max: 8 } },
      { ...device(binding, buffer), subgroups: true, subgroupSize: { min: 32, max: 32 } },
    ]) {
      for (const type of typeOfEachWidth) {
        const plan = (keyCount: number) => one.plan(keyCount, type, ascending, traits);
        const most = one.capacity(type, ascending, traits);
        expect(fits(plan(most), traits)).toBe(true);
        if (most === MAX_KEYS) continue;
        expect(fits(plan(most + 1), traits)).toBe(false);
        // Slack must not waste a noticeable part of the memory. The binding limit does not apply to buffers
        // that are bound in windows.
        const maxBytes = one.plainOnly ? Math.min(binding, buffer) : buffer;
        expect(most * bytesPerKey(type)).toBeGreaterThan(0.99 * maxBytes - 1024);
      }
    }
  });

  it("is what a search over plans finds, for all options", () => {
    const cases = fc.record({
      type: fc.constantFrom(...types),
      buffer: fc.integer({ min: 2 ** 24, max: 2 ** 33 }),
      share: fc.integer({ min: 1, max: 8 }),
      kind: fc.constantFrom(
        {},
        { software: true, subgroupSize: { min: 8, max: 8 } },
        {
          subgroups: true,
          subgroupSize: { min: 32, max: 32 },
        },
        { subgroups: true, subgroupSize: { min: 8, max: 8 } },
      ),
      moreOptions: fc.constantFrom<Omit<SortOptions, "descending">>(
        ...(one.plainOnly
          ? [{}]
          : [
              {},
              { payload: 4 },
              { payload: 12 },
              { payload: "index" as const },
              { keepInput: true },
              { counted: true },
              { bits: { begin: 1, end: 7 } },
            ]),
      ),
    });
    fc.assert(
      fc.property(cases, ({ type, buffer, share, kind, moreOptions }) => {
        const traits = { ...device(Math.floor(buffer / share / 4) * 4, buffer), ...kind };
        const options = { ...moreOptions, descending: true };
        const isFitting = (keyCount: number) => {
          try {
            return fits(one.plan(keyCount, type, options, traits), traits);
          } catch {
            return false; // a counted sort cannot use windows
          }
        };
        const most = one.capacity(type, options, traits);
        expect(isFitting(most), `${most} keys`).toBe(true);
        if (most < MAX_KEYS) expect(isFitting(most + 1), `${most + 1} keys`).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it("is smaller if values move with the keys and must fit as well", () => {
    if (one.plainOnly) return;
    const traits = device(2 ** 27, 2 ** 28);
    const most = (payload: number) =>
      one.capacity(elementType("u32"), { descending: false, payload }, traits);
    expect(most(4)).toBe(2 ** 26);
    expect(most(16)).toBe(2 ** 24);
  });

  it("stays below 2^32 keys, whose indices no kernel can compute, on a device of any size", () => {
    for (const bytes of [2 ** 34, 2 ** 36, 2 ** 40]) {
      expect(one.capacity(elementType("u32"), ascending, device(bytes, bytes))).toBeLessThan(2 ** 32);
    }
  });
});
