import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { distribution, distributions, generateKeys } from "../../src/testdata/distributions.js";
import { stream, zipfRank } from "../../src/testdata/random.js";
import { valueAt, valuesOf } from "../support/keys.js";

const u32 = elementType("u32");
const names = distributions.map(({ name }) => name);
const make = (name: string, type = u32, count = 10_000, seed = 1) =>
  generateKeys(distribution(name), type, count, seed);
const bytesOf = (keys: KeyArray) => new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
const sameOrder = (a: KeyArray, b: KeyArray) =>
  a.length === b.length && a.every((_: unknown, i: number) => Object.is(valueAt(a, i), valueAt(b, i)));
const sortedCopy = (keys: KeyArray) => keys.slice().sort();
const isNumber = (key: number | bigint) => typeof key === "bigint" || Number.isFinite(key);

describe.each(elementTypes)("of $name keys, a distribution", (type) => {
  const possible = distributions.filter(({ floatsOnly }) => !floatsOnly || type.order === "float");
  it.each(possible.map(({ name }) => name))(
    "depends on the seed alone, and is the same made whole or in parts: %s",
    (name) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), fc.nat(0xffffffff), (count, cut, seed) => {
          const whole = make(name, type, count, seed);
          const parts = new type.array(count);
          const at = Math.min(cut, count);
          distribution(name).fill(parts.subarray(0, at), type, 0, count, seed);
          distribution(name).fill(parts.subarray(at), type, at, count, seed);
          expect(bytesOf(parts)).toEqual(bytesOf(whole));
        }),
        { numRuns: 30 },
      );
      expect(bytesOf(make(name, type, 300, 1))).not.toEqual(bytesOf(make(name, type, 300, 2)));
    },
  );

  it("named sorted ascends over nearly all values, without NaNs", () => {
    const keys = make("sorted", type);
    expect(sameOrder(keys, sortedCopy(keys))).toBe(true);
    expect(valuesOf(keys).every(isNumber)).toBe(true);
    const spread = valuesOf(sortedCopy(make("uniform", type))).filter(isNumber);
    for (const share of [0.01, 0.25, 0.5, 0.75, 0.99]) {
      const at = (values: (number | bigint)[], part: number) =>
        Number(values[Math.floor(values.length * part)]);
      expect(at(valuesOf(keys), share)).toBeGreaterThanOrEqual(at(spread, Math.max(0, share - 0.02)));
      expect(at(valuesOf(keys), share)).toBeLessThanOrEqual(at(spread, Math.min(0.9999, share + 0.02)));
    }
  });

  it("named reversed is the sorted keys in reverse order", () => {
    expect(bytesOf(make("reversed", type).reverse() as KeyArray)).toEqual(bytesOf(make("sorted", type)));
  });

  it("named nearly-sorted differs from sorted at about one place in 100", () => {
    const [sorted, nearly] = [make("sorted", type), make("nearly-sorted", type)];
    const moved = nearly.filter((_: unknown, i: number) => !Object.is(nearly[i], sorted[i])).length;
    expect(moved).toBeGreaterThan(60);
    expect(moved).toBeLessThan(140);
  });

  it("named constant has one distinct key, and named few has 16", () => {
    const constant = new Set<number | bigint>(make("constant", type) as Iterable<number | bigint>);
    expect(constant.size).toBe(1);
    const times = new Map<number | bigint, number>();
    for (const key of make("few", type)) times.set(key, (times.get(key) ?? 0) + 1);
    expect(times.size).toBe(16);
    expect(Math.max(...times.values())).toBeLessThan(800);
  });

  it.each([
    ["uniform", 1 / 2],
    ["entropy-0.811", 1 / 4],
    ["entropy-0.544", 1 / 8],
    ["entropy-0.337", 1 / 16],
    ["entropy-0.201", 1 / 32],
  ])("has set bits with the probability that gives the entropy in its name: %s, %d", (name, share) => {
    const bytes = bytesOf(make(name, type));
    for (let bit = 0; bit < 8; bit++) {
      for (let lane = 0; lane < type.bytes; lane++) {
        let set = 0;
        for (let i = lane; i < bytes.length; i += type.bytes) set += (bytes[i]! >> bit) & 1;
        expect(Math.abs(set / 10_000 - share), `bit ${bit} of byte ${lane}`).toBeLessThan(0.025);
      }
    }
    const entropy = -share * Math.log2(share) - (1 - share) * Math.log2(1 - share);
    if (name !== "uniform") expect(entropy.toFixed(3)).toBe(name.replace("entropy-", ""));
  });
});

describe("zipf", () => {
  it("gives rank r with a probability proportional to 1/r", () => {
    const draws = 200_000;
    const rank = zipfRank(stream(7, 0), 100);
    const times = new Array(101).fill(0);
    for (let i = 0; i < draws; i++) times[rank(i)]++;
    const harmonic = Array.from({ length: 100 }, (_, i) => 1 / (i + 1)).reduce((sum, one) => sum + one);
    expect(times[0]).toBe(0);
    let chiSquare = 0;
    for (let r = 1; r <= 100; r++) {
      const expected = draws / r / harmonic;
      chiSquare += (times[r] - expected) ** 2 / expected;
    }
    expect(chiSquare).toBeLessThan(149); // 99 degrees of freedom, P = 0.001
  });

  it("has a most frequent key with a share of about 1/ln(2^20), and many keys that occur once", () => {
    const times = new Map<number, number>();
    for (const key of make("zipf") as Uint32Array) times.set(key, (times.get(key) ?? 0) + 1);
    expect(Math.max(...times.values()) / 10_000).toBeCloseTo(1 / 14.44, 1);
    expect(times.size).toBeGreaterThan(4000);
  });
});

describe("a stream of random words", () => {
  it("has as many repeated words as independent words have", () => {
    const words = Array.from({ length: 2 ** 17 }, (_, i) => stream(3, 1)(i));
    const repeated = words.length - new Set(words).size; // 2 are expected, by the birthday problem
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThan(10);
  });

  it("has equally frequent values in every byte and every stream, also beyond index 2^32", () => {
    for (const [number, start] of [
      [0, 0],
      [1, 0],
      [0, 2 ** 32 - 32_768],
      [5, 2 ** 40],
    ] as const) {
      const words = stream(11, number);
      for (const shift of [0, 8, 16, 24]) {
        const times = new Array(256).fill(0);
        for (let i = 0; i < 65_536; i++) times[(words(start + i) >>> shift) & 255]++;
        const chiSquare = times.reduce((sum, count) => sum + (count - 256) ** 2 / 256, 0);
        expect(chiSquare).toBeLessThan(360); // 255 degrees of freedom, P < 0.0001
      }
    }
    expect(stream(1, 0)(5)).not.toBe(stream(1, 0)(5 + 2 ** 32));
  });
});

it("a sorted key is never beyond the greatest value, even if rounding would reach it", () => {
  const [u64, count] = [elementType("u64"), 2 ** 52];
  const keys = new BigUint64Array(1000);
  distribution("sorted").fill(keys, u64, count - 1000, count, 1);
  expect(keys.every((key) => key > 2n ** 63n)).toBe(true);
});

describe("the distributions", () => {
  it("have different names, which the hint for an unknown name lists", () => {
    expect(new Set(names).size).toBe(names.length);
    expect(() => distribution("gauss")).toThrow(InputError);
    expect(() => distribution("gauss")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("zipf") }),
    );
  });

  it("are all named by docs/benchmark.md, but for entropies between others", () => {
    const page = readFileSync(new URL("../../docs/benchmark.md", import.meta.url), "utf8");
    const [, listed = ""] = /`--dist` takes (.*?)\n\n/s.exec(page) ?? [];
    const named = new Set(listed.match(/[a-z][\w.-]+/g));
    const between = ["entropy-0.544", "entropy-0.337"];
    expect(names.filter((name) => !named.has(name) && !between.includes(name))).toEqual([]);
  });
});
