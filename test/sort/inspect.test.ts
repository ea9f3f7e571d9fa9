import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../src/elements.js";
import { CpuEngine } from "../../src/engines/cpu.js";
import { VerifyError } from "../../src/errors.js";
import { defaultTraits } from "../../src/plan/traits.js";
import { checkTotals, type Evidence, inspectPlan, readTotals, type Totals } from "../../src/sort/inspect.js";
import { runOnTwins } from "../../src/twins/run.js";
import { engineSort } from "../support/engine.js";
import { distributions, sortedCopy, wordsOfKeys } from "../support/keys.js";

const u32 = elementType("u32");

function totalsOf(keys: KeyArray, type: ElementType, descending = false): Totals {
  const plan = inspectPlan(keys.length, type, { descending }, defaultTraits);
  return readTotals(runOnTwins(plan, { keys: wordsOfKeys(keys) }).totals!);
}

const anyWords = fc.uint32Array({ minLength: 1, maxLength: 60 });

describe("the totals of keys", () => {
  it.each(elementTypes)("find no inversion in sorted $name keys, either way", (type) => {
    for (const make of Object.values(distributions)) {
      for (const size of [0, 1, 2, 257]) {
        for (const descending of [false, true]) {
          const sorted = distinctBits(sortedCopy(make(type, size), descending));
          const { inversions, firstInversion } = totalsOf(sorted, type, descending);
          expect([inversions, firstInversion]).toEqual([0, undefined]);
        }
      }
    }
  });

  it("have equal sums for the same keys in any order", () => {
    fc.assert(
      fc.property(anyWords, fc.infiniteStream(fc.nat()), (words, random) => {
        const shuffled = words.slice();
        for (let i = words.length - 1; i > 0; i--) {
          const j = random.next().value! % (i + 1);
          [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
        }
        expect(totalsOf(shuffled, u32).sums).toEqual(totalsOf(words, u32).sums);
      }),
    );
  });

  it("have other sums, both of them, when any one key changes by any bit", () => {
    const cases = fc.tuple(anyWords, fc.nat(), fc.integer({ min: 0, max: 31 }));
    fc.assert(
      fc.property(cases, ([words, at, bit]) => {
        const changed = words.slice();
        changed[at % words.length]! ^= 1 << bit;
        const [before, after] = [totalsOf(words, u32), totalsOf(changed, u32)];
        expect(after.sums[0]).not.toBe(before.sums[0]);
        expect(after.sums[1]).not.toBe(before.sums[1]);
      }),
    );
  });

  it("tell 64-bit keys from the same words paired otherwise", () => {
    const u64 = elementType("u64");
    const sums = (...keys: bigint[]) => totalsOf(new BigUint64Array(keys), u64).sums;
    expect(sums(1n << 32n)).not.toEqual(sums(1n));
    expect(sums((1n << 32n) | 2n, (3n << 32n) | 4n)).not.toEqual(sums((1n << 32n) | 4n, (3n << 32n) | 2n));
  });

  it("miss no key: dropping one for the double of another shows", () => {
    expect(totalsOf(new Uint32Array([5, 5, 7]), u32).sums).not.toEqual(
      totalsOf(new Uint32Array([5, 7, 7]), u32).sums,
    );
  });

  it.each([0, 1, 48, 98])("find an inversion at index %i, of any type and either way", (at) => {
    for (const type of elementTypes) {
      for (const descending of [false, true]) {
        const keys = numbers(type, 100);
        if (descending) keys.reverse();
        [keys[at], keys[at + 1]] = [keys[at + 1]!, keys[at]!];
        const { inversions, firstInversion } = totalsOf(keys, type, descending);
        expect([type.name, inversions, firstInversion]).toEqual([type.name, 1, at]);
      }
    }
  });

  it("count all inversions and name the least", () => {
    const keys = new Uint32Array([1, 2, 9, 3, 4, 8, 5]);
    expect(totalsOf(keys, u32)).toMatchObject({ inversions: 2, firstInversion: 2 });
    expect(totalsOf(keys, u32, true)).toMatchObject({ inversions: 4, firstInversion: 0 });
  });

  it("see that +0 stands before -0, and a NaN before a number", () => {
    for (const type of [elementType("f32"), elementType("f64")]) {
      const first = (keys: number[]) => totalsOf(new type.array(keys as never), type).firstInversion;
      expect(first([-1, 0, -0, 1])).toBe(1);
      expect(first([-1, -0, 0, 1])).toBeUndefined();
      expect(first([1, Number.NaN, Number.POSITIVE_INFINITY])).toBe(1);
    }
  });
});

describe("a check of totals", () => {
  const KEYS = 100;
  const before: Evidence = { seen: KEYS, sums: [1, 2], inversions: 7, firstInversion: 3 };
  const good: Evidence = { seen: KEYS, sums: [1, 2], inversions: 0, firstInversion: undefined };

  it("passes the input's keys in order, whatever the input's own order was", () => {
    expect(() => checkTotals(KEYS, before, good, "GPU")).not.toThrow();
  });

  it("refuses totals of fewer keys than there are, as of a device that does nothing", () => {
    const nothing: Evidence = { seen: 0, sums: [0, 0], inversions: 0, firstInversion: undefined };
    expect(() => checkTotals(KEYS, nothing, nothing, "GPU")).toThrow(VerifyError);
    expect(() => checkTotals(KEYS, before, { ...good, seen: 99 }, "GPU")).toThrow(VerifyError);
  });

  it.each([[[9, 2] as const], [[1, 9] as const]])("refuses other sums, %j, and names the device", (sums) => {
    expect(() => checkTotals(KEYS, before, { ...good, sums }, "Some GPU")).toThrow(VerifyError);
    expect(() => checkTotals(KEYS, before, { ...good, sums }, "Some GPU")).toThrow(
      /^Some GPU changed the keys/,
    );
  });

  it.each([0, 41])("refuses an inversion at index %i and says where it is", (firstInversion) => {
    const wrong = { ...good, inversions: 12, firstInversion };
    expect(() => checkTotals(KEYS, before, wrong, "Some GPU")).toThrow(VerifyError);
    expect(() => checkTotals(KEYS, before, wrong, "Some GPU")).toThrow(
      `Some GPU sorted wrongly: 12 neighbours are out of order, first at index ${firstInversion}`,
    );
  });
});

describe("the CPU engine's own check", () => {
  /** A type whose array pretends to sort. */
  function brokenType(type: ElementType, sort: (keys: KeyArray) => void): ElementType {
    const array = class extends (type.array as Uint32ArrayConstructor) {
      override sort(): this {
        sort(this as unknown as KeyArray);
        return this;
      }
    };
    return { ...type, array: array as unknown as ElementType["array"] };
  }

  it("counts the inversions that the kernel's twin counts, and finds the same first one", async () => {
    const cases = fc.record({
      type: fc.constantFrom(...elementTypes),
      descending: fc.boolean(),
      keyCount: fc.integer({ min: 2, max: 100 }),
      distribution: fc.constantFrom(...Object.keys(distributions)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, descending, keyCount, distribution }) => {
        const keys = distinctBits(distributions[distribution]!(type, keyCount));
        const unsorted = descending ? keys.slice().reverse() : keys;
        const { inversions, firstInversion } = totalsOf(unsorted, type, descending);
        const sort = engineSort(new CpuEngine(), "auto")(
          keys,
          brokenType(type, () => {}),
          descending,
        );
        if (firstInversion === undefined) await sort;
        else {
          await expect(sort).rejects.toThrow(
            `${inversions} neighbours are out of order, first at index ${firstInversion}`,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(elementTypes)("sees any one bit of $name keys change", async (type) => {
    for (let bit = 0; bit < 8 * type.bytes; bit++) {
      const flip = (keys: KeyArray) => {
        new Uint8Array(keys.buffer)[Math.floor(bit / 8)]! ^= 1 << (bit % 8);
      };
      const sort = engineSort(new CpuEngine(), "auto")(numbers(type, 9), brokenType(type, flip), false);
      await expect(sort, `bit ${bit}`).rejects.toThrow(VerifyError);
    }
  });
});

/** The numbers 0, 1, … as keys. */
function numbers(type: ElementType, count: number): KeyArray {
  const keys = new type.array(count);
  for (let i = 0; i < count; i++)
    keys[i] = (keys instanceof BigUint64Array || keys instanceof BigInt64Array ? BigInt(i) : i) as never;
  return keys;
}

/** The kernel orders NaNs by their bits and `TypedArray.prototype.sort` does not; with one NaN they agree. */
function distinctBits(keys: KeyArray): KeyArray {
  return keys.map(((key: number | bigint) => (Number.isNaN(key) ? Number.NaN : key)) as never) as KeyArray;
}
