import { describe, expect, it } from "vitest";
import { elementType, elementTypes } from "../../src/elements.js";
import { InputError } from "../../src/errors.js";
import { type DeviceTraits, defaultTraits } from "../../src/plan/traits.js";
import { algorithm, algorithms, capacity, fastest, fits } from "../../src/sort/algorithms.js";

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
    const u32 = elementType("u32");
    for (const keyCount of [100, 1_000_000]) {
      const traits = { ...defaultTraits, software: true };
      const { name } = fastest(keyCount, traits);
      const plans = ["auto", name].map((one) =>
        algorithm(one).plan(keyCount, u32, { descending: false }, traits),
      );
      expect(plans[0]).toEqual(plans[1]);
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
  const plan = { buffers: { a: { bytes: 100 }, b: { bytes: 200 } }, passes: [], result: "a" };

  it.each([
    [200, 200, true],
    [199, 200, false],
    [200, 199, false],
  ])("with bindings up to %i bytes and buffers up to %i: %s", (binding, buffer, expected) => {
    expect(fits(plan, device(binding, buffer))).toBe(expected);
  });
});

describe.each(algorithms)("the capacity of $name", (one) => {
  it.each([
    [10_000_000, 2 ** 20],
    [2 ** 27, 2 ** 28],
    [2 ** 28, 2 ** 27],
    [2 ** 30 + 12_345, 2 ** 32 - 1],
    [2 ** 31 - 4, 2 ** 31 - 4],
    [2 ** 32 - 4, 2 ** 40],
  ])("is the most keys that fit, with bindings up to %i bytes and buffers up to %i", (binding, buffer) => {
    const traits = device(binding, buffer);
    for (const type of elementTypes) {
      const plan = (keyCount: number) => one.plan(keyCount, type, { descending: false }, traits);
      const most = capacity(one, type, traits);
      expect(fits(plan(most), traits)).toBe(true);
      expect(fits(plan(most + 1), traits)).toBe(false);
      // Slack must not cost a noticeable part of the device.
      expect(most * type.bytes).toBeGreaterThan(0.99 * Math.min(binding, buffer) - 1024);
    }
  });

  it("stays below 2^32 keys, which no kernel can number, on a device of any size", () => {
    for (const bytes of [2 ** 34, 2 ** 36, 2 ** 40]) {
      expect(capacity(one, elementType("u32"), device(bytes, bytes))).toBeLessThan(2 ** 32);
    }
  });
});
