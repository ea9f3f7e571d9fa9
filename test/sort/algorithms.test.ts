import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes } from "../../src/elements.js";
import { InputError } from "../../src/errors.js";
import type { Binding, Plan } from "../../src/plan/plan.js";
import { type DeviceTraits, defaultTraits } from "../../src/plan/traits.js";
import { algorithm, algorithms, capacity, fastest, fits, requireAble } from "../../src/sort/algorithms.js";
import { MAX_KEYS, type SortOptions } from "../../src/sort/key.js";
import { wholeWordTypes } from "../support/conformance.js";

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

  it("is the fastest for the job when none is named", () => {
    for (const type of elementTypes) {
      for (const keyCount of [100, 1_000_000]) {
        for (const options of [{ descending: true }, { descending: false, payload: 4 }]) {
          const { name } = fastest(keyCount, type, options, defaultTraits);
          const plans = ["auto", name].map((one) =>
            algorithm(one).plan(keyCount, type, options, defaultTraits),
          );
          expect(plans[0]).toEqual(plans[1]);
        }
      }
    }
  });

  it("is never the fastest where it cannot do the job", () => {
    const more = [{ bits: { begin: 0, end: 3 } }, { payload: 8 }, { keepInput: true }, { counted: true }];
    for (const type of elementTypes) {
      for (const keyCount of [0, 2, 4096]) {
        for (const extra of [{}, ...more]) {
          const options = { descending: false, ...extra };
          const chosen = fastest(keyCount, type, options, defaultTraits);
          expect(() => requireAble(chosen, type, options)).not.toThrow();
          expect(() => chosen.plan(keyCount, type, options, defaultTraits)).not.toThrow();
        }
      }
    }
  });

  it("that does the plain only refuses the rest, by its name", () => {
    const refused = (type: string, options: SortOptions) => () =>
      requireAble(algorithm("bitonic"), elementType(type), options);
    expect(refused("u32", { descending: true })).not.toThrow();
    expect(refused("u32", { descending: true, payload: 4 })).toThrow(InputError);
    expect(refused("u32", { descending: true, bits: { begin: 0, end: 32 } })).toThrow(/^the bitonic sort/);
    expect(refused("i16", { descending: true })).toThrow(InputError);
    for (const type of elementTypes) {
      const options = { descending: false, payload: "index", keepInput: true } as const;
      expect(() => requireAble(algorithm("radix"), type, options)).not.toThrow();
    }
  });

  it("that is unknown is refused, and those that there are are named", () => {
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

describe("a plan fits a device", () => {
  const program = { kernel: "vecadd", uses: [], constants: {} } as const;
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
    ["a", "a", 512, 1024, true], // what no pass binds may be longer than any binding
    ["a", "a", 511, 1024, false],
    ["a", { buffer: "b", offset: 256, bytes: 600 }, 600, 1024, true],
    ["a", { buffer: "b", offset: 256, bytes: 600 }, 599, 1024, false],
  ] as const)("that binds %j and %j, with bindings up to %i bytes and buffers up to %i: %s", (...given) => {
    const [one, other, binding, buffer, expected] = given;
    expect(fits(of(one, other), device(binding, buffer))).toBe(expected);
  });
});

describe.each(algorithms)("the capacity of $name", (one) => {
  const types = one.plainOnly ? wholeWordTypes : elementTypes;
  const ascending = { descending: false };
  /** Bytes that the longest of its buffers holds a key: keys of 16 bits are a word each on their way. */
  const stretch = ({ bytes }: ElementType) => (bytes === 2 ? 4 : bytes);

  it.each([
    [10_000_000, 2 ** 20],
    [2 ** 27, 2 ** 28],
    [2 ** 27, 2 ** 32 - 4],
    [2 ** 28, 2 ** 27],
    [2 ** 30 + 12_345, 2 ** 32 - 4],
    [2 ** 31 - 4, 2 ** 31 - 4],
    [2 ** 32 - 4, 2 ** 40],
  ])("is the most keys that fit, with bindings up to %i bytes and buffers up to %i", (binding, buffer) => {
    for (const traits of [
      device(binding, buffer),
      { ...device(binding, buffer), software: true, subgroupSize: { min: 8, max: 8 } },
      { ...device(binding, buffer), subgroups: true, subgroupSize: { min: 32, max: 32 } },
    ]) {
      for (const type of types) {
        const plan = (keyCount: number) => one.plan(keyCount, type, ascending, traits);
        const most = capacity(one, type, traits);
        expect(fits(plan(most), traits)).toBe(true);
        if (most === MAX_KEYS) continue;
        expect(fits(plan(most + 1), traits)).toBe(false);
        // Slack must not cost a noticeable part of the device. What is bound in windows ends with the buffer only.
        const ending = one.plainOnly ? Math.min(binding, buffer) : buffer;
        expect(most * stretch(type)).toBeGreaterThan(0.99 * ending - 1024);
      }
    }
  });

  it("is less where values travel and must fit as well", () => {
    if (one.plainOnly) return;
    const traits = device(2 ** 27, 2 ** 28);
    const most = (payload: number) =>
      capacity(one, elementType("u32"), traits, { descending: false, payload });
    expect(most(4)).toBe(2 ** 26);
    expect(most(16)).toBe(2 ** 24);
  });

  it("stays below 2^32 keys, which no kernel can number, on a device of any size", () => {
    for (const bytes of [2 ** 34, 2 ** 36, 2 ** 40]) {
      expect(capacity(one, elementType("u32"), device(bytes, bytes))).toBeLessThan(2 ** 32);
    }
  });
});
