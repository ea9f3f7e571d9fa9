import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KernelCall, KernelName } from "../../../src/core/cpu/kernels.js";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { VerifyError } from "../../../src/core/errors.js";
import { Float16Bits, float16Bits } from "../../../src/core/float16.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { checkTotals, type Evidence, type Totals } from "../../../src/core/sort/evidence.js";
import { inspectPlan, readTotals, type Side } from "../../../src/core/sort/inspect.js";
import { keyParts, type SortOptions } from "../../../src/core/sort/key.js";
import { keyOps } from "../../../src/demos/cpu/order.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { engineSort } from "../../support/engine.js";
import { distributions, expectedIndices, sortedCopy, valueAt, wordsOfKeys } from "../../support/keys.js";
import { expectedRuns } from "../../support/top_cases.js";

const u32 = elementType("u32");

function totalsOf(keys: KeyArray, type: ElementType, descending = false): Totals {
  const plan = inspectPlan(keys.length, type, { descending }, defaultTraits);
  return readTotals(runOnCpu(plan, { keys: wordsOfKeys(keys) }).totals!);
}

const anyWords = fc.uint32Array({ minLength: 1, maxLength: 60 });

describe("the totals of keys", () => {
  it.each(elementTypes)("find no inversion in sorted $name keys, in either direction", (type) => {
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

  it("have two different sums if one bit of one key changes", () => {
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

  it("have different sums for 64-bit keys whose words are paired differently", () => {
    const u64 = elementType("u64");
    const sums = (...keys: bigint[]) => totalsOf(new BigUint64Array(keys), u64).sums;
    expect(sums(1n << 32n)).not.toEqual(sums(1n));
    expect(sums((1n << 32n) | 2n, (3n << 32n) | 4n)).not.toEqual(sums((1n << 32n) | 4n, (3n << 32n) | 2n));
  });

  it("have different sums if a copy of one key replaces another", () => {
    expect(totalsOf(new Uint32Array([5, 5, 7]), u32).sums).not.toEqual(
      totalsOf(new Uint32Array([5, 7, 7]), u32).sums,
    );
  });

  it.each([0, 1, 48, 98])("find an inversion at index %i, for any type and direction", (at) => {
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

  it("count all inversions and give the index of the first", () => {
    const keys = new Uint32Array([1, 2, 9, 3, 4, 8, 5]);
    expect(totalsOf(keys, u32)).toMatchObject({ inversions: 2, firstInversion: 2 });
    expect(totalsOf(keys, u32, true)).toMatchObject({ inversions: 4, firstInversion: 0 });
  });

  it("count the distinct keys if only these are kept, and sum them up, in any windows", () => {
    for (const type of elementTypes) {
      for (const make of Object.values(distributions)) {
        for (const descending of [false, true]) {
          const keys = sortedCopy(make(type, 700), descending);
          const words = wordsOfKeys(keys);
          const ops = keyOps(8 * type.bytes, keyParts(type, { descending }).constants);
          let [distinct, low, high] = [0, 0, 0];
          keys.forEach((_: unknown, i: number) => {
            if (i > 0 && Object.is(valueAt(keys, i), valueAt(keys, i - 1))) return;
            distinct++;
            low = (low + ops.word(ops.read(words, i), 0)) >>> 0;
            if (type.words === 2) high = (high + ops.word(ops.read(words, i), 1)) >>> 0;
          });
          for (const bindable of [2 ** 27, 2 ** 12]) {
            const limits = { ...defaultTraits.limits, maxStorageBufferBindingSize: bindable };
            const traits = { ...defaultTraits, limits };
            const plan = inspectPlan(keys.length, type, { descending, unique: true }, traits);
            const totals = readTotals(runOnCpu(plan, { keys: words }).totals!);
            expect(totals, type.name).toMatchObject({ seen: 700, distinct, wordSums: [low, high] });
          }
        }
      }
    }
  });

  it("of distinct keys with their counts have the number of all keys and the second sum of all", () => {
    for (const type of elementTypes) {
      for (const make of Object.values(distributions)) {
        for (const bindable of [2 ** 27, 2 ** 12]) {
          const limits = { ...defaultTraits.limits, maxStorageBufferBindingSize: bindable };
          const traits = { ...defaultTraits, limits };
          const sorted = sortedCopy(make(type, 2100), false);
          const { keys, counts } = expectedRuns(sorted, false);
          const inspect = (keys: KeyArray, counting: "all" | "first", values?: Uint32Array) => {
            const options = { descending: false, unique: true, counting };
            const plan = inspectPlan(keys.length, type, options, traits);
            const inputs = { keys: wordsOfKeys(keys), ...(values ? { values } : {}) };
            return readTotals(runOnCpu(plan, inputs).totals!);
          };
          const all = inspect(sorted, "all");
          expect(inspect(keys, "first", counts).sums, type.name).toEqual([2100, all.sums[1]]);
          if (keys.length < 2) continue;
          // The sum of the counts stays the same.
          counts[0]! += 1;
          counts[1]! -= 1;
          const { sums } = inspect(keys, "first", counts);
          expect(sums[0], type.name).toBe(2100);
          expect(sums[1], type.name).not.toBe(all.sums[1]);
        }
      }
    }
  });

  it("count +0 before -0, and a NaN before a number, as inversions", () => {
    for (const type of [elementType("f32"), elementType("f64")]) {
      const first = (keys: number[]) => totalsOf(new type.array(keys as never), type).firstInversion;
      expect(first([-1, 0, -0, 1])).toBe(1);
      expect(first([-1, -0, 0, 1])).toBeUndefined();
      expect(first([1, Number.NaN, Number.POSITIVE_INFINITY])).toBe(1);
    }
  });
});

describe("the totals of keys and their values", () => {
  const KEYS = 600;

  interface Inspection {
    readonly options?: Partial<SortOptions>;
    readonly side?: Side;
    readonly bindable?: number;
  }

  function inspect(
    type: ElementType,
    keys: KeyArray,
    values: Uint32Array | undefined,
    inspection: Inspection = {},
  ): Totals {
    const { options = {}, side = "result", bindable = 2 ** 27 } = inspection;
    const limits = { ...defaultTraits.limits, maxStorageBufferBindingSize: bindable };
    const plan = inspectPlan(
      keys.length,
      type,
      { descending: false, ...options },
      { ...defaultTraits, limits },
      side,
    );
    const inputs = { keys: wordsOfKeys(keys), ...(values ? { values } : {}) };
    return readTotals(runOnCpu(plan, inputs).totals!);
  }

  /** Keys and values, unsorted and sorted. */
  function pairs(type: ElementType, words: number, descending: boolean) {
    const keys = distributions["few values"]!(type, KEYS);
    const values = new Uint32Array(KEYS * words).map((_, i) => Math.imul(i + 3, 0x9e3779b1));
    const order = expectedIndices(keys, type, { descending });
    const sorted = keys.map((_: unknown, i: number) => keys[order[i]!] as never) as KeyArray;
    const moved = values.map((_, i) => values[order[Math.floor(i / words)]! * words + (i % words)]!);
    return { keys, values, order, sorted, moved };
  }

  it.each([1, 2, 3])(
    "match values of %i words with their keys, and detect one flipped or swapped",
    (words) => {
      for (const type of elementTypes) {
        for (const descending of [false, true]) {
          for (const bindable of [2 ** 27, 4096]) {
            const inspection = { options: { descending, payload: 4 * words }, bindable };
            const { keys, values, order, sorted, moved } = pairs(type, words, descending);
            const before = inspect(type, keys, values, { ...inspection, side: "input" });
            const after = inspect(type, sorted, moved, inspection);
            expect([after.seen, after.sums, after.inversions]).toEqual([KEYS, before.sums, 0]);

            const flipped = moved.slice();
            flipped[KEYS * words - 1]! ^= 1 << 31;
            expect(inspect(type, sorted, flipped, inspection).sums).not.toEqual(before.sums);
            const other = order.findIndex((index) => keys[index] !== keys[order[0]!]);
            const swapped = moved.slice();
            for (let word = 0; word < words; word++) {
              [swapped[word], swapped[other * words + word]] = [moved[other * words + word]!, moved[word]!];
            }
            expect(inspect(type, sorted, swapped, inspection).sums).not.toEqual(before.sums);
          }
        }
      }
    },
  );

  it("match correct indices, and detect a wrong index or two unstable indices", () => {
    for (const type of elementTypes) {
      for (const descending of [false, true]) {
        const options = { descending, payload: "index" } as const;
        const { keys, order, sorted } = pairs(type, 1, descending);
        const before = inspect(type, keys, undefined, { options, side: "input" });
        const after = inspect(type, sorted, order, { options });
        expect([after.seen, after.sums, after.firstInversion]).toEqual([KEYS, before.sums, undefined]);

        const wrong = order.slice();
        wrong[17] = (wrong[17]! + 1) % KEYS;
        expect(inspect(type, sorted, wrong, { options }).sums).not.toEqual(before.sums);
        const unstable = order.slice();
        const at = order.findIndex((index, i) => i + 1 < KEYS && keys[index] === keys[order[i + 1]!]);
        [unstable[at], unstable[at + 1]] = [order[at + 1]!, order[at]!];
        expect(inspect(type, sorted, unstable, { options })).toMatchObject({
          sums: before.sums,
          inversions: expect.any(Number),
          firstInversion: at,
        });
      }
    }
  });

  it("hold all NaNs equal if their values show their order, and else order them by their bits", () => {
    for (const [name, nan, sign] of [
      ["f32", 0x7fc0_0001n, 1n << 31n],
      ["f64", 0x7ff8_0000_0000_0001n, 1n << 63n],
    ] as const) {
      const type = elementType(name);
      const wide = new BigUint64Array([nan | sign, nan, (nan + 5n) | sign, nan + 1n]);
      const bits = type.bytes === 8 ? wide : Uint32Array.from(wide, Number);
      const keys = new type.array(bits.buffer as ArrayBuffer) as KeyArray;
      for (const descending of [false, true]) {
        const indices = (...order: number[]) =>
          inspect(type, keys, new Uint32Array(order), { options: { descending, payload: "index" } });
        expect(indices(0, 1, 2, 3)).toMatchObject({ inversions: 0, varying: { begin: 0, end: 0 } });
        expect(indices(0, 2, 1, 3).firstInversion).toBe(1);
        const pairs = { options: { descending, payload: 4 } };
        expect(inspect(type, keys, new Uint32Array([3, 2, 1, 0]), pairs).inversions).toBe(0);
        expect(inspect(type, keys, undefined, { options: { descending } }).inversions).toBe(
          descending ? 1 : 2,
        );
      }
    }
  });

  it("compare keys only by the bits that the sort uses", () => {
    const options = { bits: { begin: 8, end: 16 } };
    const keys = new Uint32Array([0xff00_01ff, 0x0000_0100, 0x0000_0201, 0xffff_0200]);
    expect(inspect(u32, keys, undefined, { options }).inversions).toBe(0);
    expect(inspect(u32, keys.toReversed(), undefined, { options }).firstInversion).toBe(1);
    const wide = new BigUint64Array([5n << 60n, 1n << 40n, 3n << 40n, 2n << 40n]);
    const high = { options: { bits: { begin: 36, end: 44 } } };
    expect(inspect(elementType("u64"), wide, undefined, high)).toMatchObject({
      inversions: 1,
      firstInversion: 2,
    });
  });

  it("are the same in windows as in one binding, and include an inversion between two windows", () => {
    for (const type of elementTypes) {
      const many = distributions.uniform!(type, 9001);
      expect(inspect(type, many, undefined, { bindable: 4096 })).toEqual(inspect(type, many, undefined));
    }
    const crossing = new Uint32Array(3000).map((_, i) => (i < 768 ? i + 5000 : i));
    expect(inspect(u32, crossing, undefined, { bindable: 256 * 4 + 4 })).toMatchObject({
      seen: 3000,
      inversions: 1,
      firstInversion: 767,
    });
  });

  it("give the narrowest range of bits in which the ordered forms differ", () => {
    const cases = fc.record({
      type: fc.constantFrom(...elementTypes),
      descending: fc.boolean(),
      size: fc.integer({ min: 1, max: 20 }),
      spread: fc.tuple(fc.nat(63), fc.nat(63)),
      seed: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      noise: fc.array(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { minLength: 20, maxLength: 20 }),
    });
    fc.assert(
      fc.property(cases, ({ type, descending, size, spread, seed, noise }) => {
        const width = BigInt(8 * type.bytes);
        const [from, to] = spread.map((bit) => BigInt(bit) % width).toSorted((a, b) => Number(a - b));
        const some = (1n << (to! + 1n)) - (1n << from!);
        const all = (1n << width) - 1n;
        const ops = keyOps(8 * type.bytes, keyParts(type, { descending }).constants);
        const words = new Uint32Array(Math.ceil((size * type.bytes) / 4));
        const forms = noise.slice(0, size).map((bits) => ((seed & ~some) | (bits & some)) & all);
        forms.forEach((form, i) => {
          ops.write(words, i, ops.fromOrdered(type.bytes === 8 ? form : Number(form)));
        });
        const keys = new type.array(words.buffer, 0, size) as KeyArray;
        const { varying } = inspect(type, keys, undefined, { options: { descending } });
        const differing = forms.reduce((sum, form) => sum | (form ^ forms[0]!), 0n);
        const digits = differing.toString(2);
        const expected =
          differing === 0n
            ? { begin: 0, end: 0 }
            : { begin: digits.length - 1 - digits.lastIndexOf("1"), end: digits.length };
        expect(varying).toEqual(expected);
      }),
      { numRuns: 250 },
    );
  });
});

describe("a check of totals", () => {
  const KEYS = 100;
  const before: Evidence = { seen: KEYS, sums: [1, 2], inversions: 7, firstInversion: 3 };
  const good: Evidence = { seen: KEYS, sums: [1, 2], inversions: 0, firstInversion: undefined };

  it("accepts the input's keys in order, whatever their order in the input", () => {
    expect(() => checkTotals(KEYS, before, good, "GPU")).not.toThrow();
  });

  it("refuses totals of too few keys, such as those of a device that does nothing", () => {
    const nothing: Evidence = { seen: 0, sums: [0, 0], inversions: 0, firstInversion: undefined };
    expect(() => checkTotals(KEYS, nothing, nothing, "GPU")).toThrow(VerifyError);
    expect(() => checkTotals(KEYS, before, { ...good, seen: 99 }, "GPU")).toThrow(VerifyError);
  });

  it.each([[[9, 2] as const], [[1, 9] as const]])(
    "refuses different sums, %j, and names the device",
    (sums) => {
      expect(() => checkTotals(KEYS, before, { ...good, sums }, "Some GPU")).toThrow(VerifyError);
      expect(() => checkTotals(KEYS, before, { ...good, sums }, "Some GPU")).toThrow(
        /^Some GPU changed the keys/,
      );
    },
  );

  it.each([0, 41])("refuses an inversion at index %i and gives its index", (firstInversion) => {
    const wrong = { ...good, inversions: 12, firstInversion };
    expect(() => checkTotals(KEYS, before, wrong, "Some GPU")).toThrow(VerifyError);
    expect(() => checkTotals(KEYS, before, wrong, "Some GPU")).toThrow(
      `Some GPU sorted wrongly: 12 pairs of neighbours are out of order, first at index ${firstInversion}`,
    );
  });
});

describe("the check of the CPU engine", () => {
  /** An engine whose kernels sort other elements, or by other bits. */
  function brokenEngine(change: (call: number[], memory: Uint8Array) => void): CpuEngine {
    class Broken extends CallingThread {
      #memory: WebAssembly.Memory | undefined;
      override makeMemory(bytes: number): WebAssembly.Memory {
        this.#memory = super.makeMemory(bytes);
        return this.#memory;
      }
      override async run(kernel: KernelName, calls: readonly KernelCall[]): Promise<void> {
        const changed = calls.map((call) => [...call]);
        if (kernel.startsWith("sort_"))
          for (const call of changed) change(call, new Uint8Array(this.#memory!.buffer));
        await super.run(kernel, changed);
      }
    }
    return new CpuEngine(new Broken());
  }

  /** The place of a call's argument `end` in assembly/index.ts. */
  const END = 5;

  it("counts the same inversions as the CPU kernel", async () => {
    const engine = brokenEngine((call) => {
      call[END] = 0; // no bit is left to sort by
    });
    const cases = fc.record({
      type: fc.constantFrom(...elementTypes),
      descending: fc.boolean(),
      keyCount: fc.integer({ min: 2, max: 100 }),
      distribution: fc.constantFrom(...Object.keys(distributions)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, descending, keyCount, distribution }) => {
        const keys = distributions[distribution]!(type, keyCount);
        const { inversions } = totalsOf(keys, type, descending);
        const sort = engineSort(engine, "auto")(keys, type, descending);
        if (inversions === 0) await sort;
        else await expect(sort).rejects.toThrow(`${inversions} pairs of neighbours are out of order`);
      }),
      { numRuns: 150 },
    );
  });

  it.each(elementTypes)("detects a change of any one bit of $name keys", async (type) => {
    const keys = numbers(type, 9).reverse() as KeyArray;
    for (let bit = 0; bit < 8 * type.bytes; bit++) {
      const engine = brokenEngine(([from], memory) => {
        memory[from! + Math.floor(bit / 8)]! ^= 1 << (bit % 8);
      });
      const sort = engineSort(engine, "auto")(keys, type, false);
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

/**
 * Replaces every NaN by the same NaN. The kernel orders NaNs by their bits, but `TypedArray.prototype.sort`
 * does not; with one NaN they agree.
 */
function distinctBits(keys: KeyArray): KeyArray {
  if (keys instanceof Float16Bits) return keys.map((_, i) => float16Bits(valueAt(keys, i) as number));
  return keys.map(((key: number | bigint) => (Number.isNaN(key) ? Number.NaN : key)) as never) as KeyArray;
}
