import fc from "fast-check";
import { expect, it } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import type { Engine, SortJob, SortReport } from "../../src/core/engines/engine.js";
import { memorySink, memorySource } from "../../src/core/streams/item_stream.js";
import {
  bytesOf,
  comparable,
  difference,
  distributions,
  expectedIndices,
  expectSame,
  inOrder,
} from "./keys.js";

/** The results of a job. */
interface Outcome {
  readonly report: SortReport;
  readonly keys: Uint8Array;
  readonly values: Uint8Array;
}

async function run(
  engine: Engine,
  type: ElementType,
  input: KeyArray,
  some: Partial<SortJob>,
  values: Uint8Array<ArrayBuffer> = new Uint8Array(0),
): Promise<Outcome> {
  const job = {
    type,
    keyCount: input.length,
    descending: false,
    algorithm: "auto",
    verify: true,
    ...some,
  };
  const keys = new Uint8Array(input.byteLength);
  const moved = new Uint8Array(values.length);
  const streams = values.length > 0 ? { source: memorySource(values), sink: memorySink(moved) } : undefined;
  const report = await engine.sort(job, memorySource(bytesOf(input)), memorySink(keys), streams);
  return { report, keys, values: moved };
}

/** Distinct values of `bytes` bytes each. */
function valuesFor(keyCount: number, bytes: number): Uint8Array<ArrayBuffer> {
  return bytesOf(new Uint32Array((keyCount * bytes) / 4).map((_, i) => Math.imul(i + 1, 0x9e3779b1)));
}

/**
 * Tests that an engine must pass in addition to `describeConformance`, which tests sorts of keys without
 * values.
 *
 * @param types those whose keys are sorted by any of their bits, and where they differ in a few only.
 */
export function describeEngine(
  engine: Engine,
  sizes: readonly number[],
  numRuns: number,
  types: readonly ElementType[] = elementTypes,
): void {
  for (const name of ["u8", "i16", "u32", "f32", "i64", "f64"]) {
    const type = elementType(name);

    it(`moves values with ${name} keys, stably`, async () => {
      for (const keyCount of sizes) {
        for (const [payloadBytes, distribution] of [
          [4, "few values"],
          [12, "few values"],
          [4, "specials"],
          [12, "specials"],
        ] as const) {
          const descending = payloadBytes === 12;
          const keys = distributions[distribution]!(type, keyCount);
          const values = valuesFor(keyCount, payloadBytes);
          const outcome = await run(engine, type, keys, { descending, payloadBytes }, values);
          const order = expectedIndices(keys, type, { descending });
          expectSame(outcome.keys, inOrder(keys, type.bytes, order));
          expectSame(outcome.values, inOrder(values, payloadBytes, order));
          expect(outcome.report).toMatchObject({ keyCount, verified: true });
        }
      }
    });

    it(`finds the stable order of ${name} keys`, async () => {
      for (const keyCount of sizes) {
        for (const [distribution, descending] of [
          ["few values", false],
          ["sorted", false],
          ["uniform", false],
          ["specials", false],
          ["specials", true],
        ] as const) {
          const keys = distributions[distribution]!(type, keyCount);
          const indices = new Uint8Array(4 * keyCount);
          const job = { type, keyCount, descending, algorithm: "auto", verify: true };
          await engine.argsort(job, memorySource(bytesOf(keys)), memorySink(indices));
          expectSame(new Uint32Array(indices.buffer), expectedIndices(keys, type, job), distribution);
        }
      }
    });
  }

  it("sorts by any bits of keys of any type, in both directions, with values and without", async () => {
    const cases = fc.record({
      type: fc.constantFrom(...types),
      keyCount: fc.constantFrom(...sizes),
      descending: fc.boolean(),
      bits: fc.tuple(fc.nat(64), fc.nat(64)),
      payloadBytes: fc.constantFrom(undefined, 4, 8),
      distribution: fc.constantFrom("uniform", "specials"),
      verify: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, keyCount, bits: two, distribution, ...some }) => {
        const width = 8 * type.bytes;
        const [begin, end] = two.map((bit) => bit % (width + 1)).toSorted((a, b) => a - b) as [
          number,
          number,
        ];
        const bits = { begin, end };
        const keys = distributions[distribution]!(type, keyCount);
        const values = valuesFor(keyCount, some.payloadBytes ?? 0);
        const outcome = await run(engine, type, keys, { ...some, bits }, values);
        const order = expectedIndices(keys, type, { descending: some.descending, bits });
        expectSame(outcome.keys, inOrder(keys, type.bytes, order));
        expectSame(outcome.values, inOrder(values, some.payloadBytes ?? 0, order));
      }),
      { numRuns },
    );
  });

  for (const name of ["f16", "f32", "f64"]) {
    it(`keeps the input order of ${name} NaNs, whatever their sign and payload`, async () => {
      const type = elementType(name);
      // Numbers between the NaNs, so that a sort has something to do.
      for (const many of [3, 130, 5001]) {
        const keys = nanKeys(type, many);
        for (const descending of [false, true]) {
          const order = stableOrder([...comparable(keys)] as number[], descending);
          const indices = new Uint8Array(4 * many);
          const job = { type, keyCount: many, descending, algorithm: "auto", verify: true };
          await engine.argsort(job, memorySource(bytesOf(keys)), memorySink(indices));
          expectSame(new Uint32Array(indices.buffer), new Uint32Array(order), `${many} ${descending}`);
          for (const payloadBytes of [4, 8]) {
            const values = valuesFor(many, payloadBytes);
            const outcome = await run(engine, type, keys, { descending, payloadBytes }, values);
            const places = new Uint32Array(order);
            expectSame(outcome.keys, inOrder(keys, type.bytes, places));
            expectSame(outcome.values, inOrder(values, payloadBytes, places));
          }
        }
      }
    });
  }

  it("does not move keys that are in order, nor their values", async () => {
    for (const name of ["u8", "u32", "f64"]) {
      const type = elementType(name);
      for (const keyCount of sizes) {
        const keys = distributions.sorted!(type, keyCount);
        const values = valuesFor(keyCount, 4);
        const outcome = await run(engine, type, keys, { payloadBytes: 4 }, values);
        expectSame(
          outcome.keys,
          inOrder(keys, type.bytes, expectedIndices(keys, type, { descending: false })),
        );
        const alone = await run(engine, type, keys, {});
        const sorted = new type.array(alone.keys.buffer as ArrayBuffer) as KeyArray;
        expect(difference(keys, sorted, false)).toBeUndefined();
      }
    }
  });

  it("sorts keys that differ in only a few bits", async () => {
    for (const type of types) {
      const width = 8 * type.bytes;
      for (const shift of new Set([0, width - 5])) {
        for (const descending of [false, true]) {
          // With the larger shift, some keys of signed types and floats are negative.
          const bits = Array.from({ length: 3000 }, (_, i) => BigInt((i * 7919) % 23) << BigInt(shift));
          const keys = fromBits(type, bits);
          const { keys: sorted } = await run(engine, type, keys, { descending });
          const array = new type.array(sorted.buffer as ArrayBuffer) as KeyArray;
          expect(difference(keys, array, descending), `${type.name} ${shift}`).toBeUndefined();
          const values = valuesFor(keys.length, 4);
          const pairs = await run(engine, type, keys, { descending, payloadBytes: 4 }, values);
          const order = expectedIndices(keys, type, { descending });
          expectSame(pairs.values, inOrder(values, 4, order), `${type.name} ${shift}`);
        }
      }
    }
  });
}

/** NaNs of both signs with different payloads, and a few numbers. */
function nanKeys(type: ElementType, count: number): KeyArray {
  const infinity = type.bytes === 8 ? 0x7ffn << 52n : type.bytes === 4 ? 0xffn << 23n : 0x1fn << 10n;
  const sign = 1n << BigInt(8 * type.bytes - 1);
  const bits = Array.from({ length: count }, (_, i) => {
    const random = BigInt(Math.imul(i + 1, 0x9e3779b1) >>> (type.bytes === 2 ? 23 : 9));
    if (i % 5 === 2) return ((random % 3n) * infinity) / 2n;
    return infinity | (random + 1n) | (random % 2n === 0n ? sign : 0n);
  });
  return fromBits(type, bits);
}

/** The order of NumPy's stable argsort, by comparisons: NaNs last, or first if it is descending. */
function stableOrder(keys: readonly number[], descending: boolean): number[] {
  const compare = (a: number, b: number) =>
    a < b ? -1 : a > b ? 1 : Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  const indices = keys.map((_, i) => i);
  return indices.sort((a, b) => (descending ? compare(keys[b]!, keys[a]!) : compare(keys[a]!, keys[b]!)));
}

function fromBits(type: ElementType, bits: readonly bigint[]): KeyArray {
  const array = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[type.bytes];
  const words = new array(bits.length);
  bits.forEach((key, i) => {
    words[i] = (type.bytes === 8 ? key : Number(key)) as never;
  });
  return new type.array(words.buffer as ArrayBuffer) as KeyArray;
}
