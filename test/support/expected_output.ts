import { expect, it } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import type { Engine, SortJob, SortReport } from "../../src/core/engines/engine.js";
import { memorySink, memorySource } from "../../src/core/streams/item_stream.js";
import { bytesOf, distributions, expectedIndices, expectSame, inOrder } from "./keys.js";
import { runsOf } from "./top_cases.js";

/** Keys that are all different, in no order. */
export function distinctKeys(type: ElementType, keyCount: number): KeyArray {
  const most = Math.min(keyCount, 2 ** Math.min(30, 8 * type.bytes));
  const words = Array.from({ length: most }, (_, i) => (i * 7919) % most);
  const big = type.bytes === 8;
  return new type.array(words.map((word) => (big && type.order !== "float" ? BigInt(word) : word)) as never);
}

/** The keys that a job writes, by plain code: sorted by their bits, then without duplicates, then the first. */
export function expectedKeys(
  keys: KeyArray,
  type: ElementType,
  { descending, unique, head = Number.POSITIVE_INFINITY }: Pick<SortJob, "descending" | "unique" | "head">,
): Uint8Array {
  return bytesOf(expectedRunsOf(keys, type, descending, unique).keys).slice(0, head * type.bytes);
}

/** Keys sorted by their bits, or the first of equal ones and how often each occurs. */
function expectedRunsOf(keys: KeyArray, type: ElementType, descending: boolean, unique: SortJob["unique"]) {
  const order = expectedIndices(keys, type, { descending }, "by their bits");
  const sorted = new type.array(inOrder(keys, type.bytes, order).buffer) as KeyArray;
  return unique ? runsOf(sorted) : { keys: sorted, counts: undefined };
}

/** A sink that expects its bytes in order, and to be ended once. */
function orderedSink() {
  const pieces: Uint8Array[] = [];
  let end = 0;
  let ended = 0;
  return {
    write: async (from: Uint8Array, offset: number) => {
      if (offset !== end) expect.fail(`bytes ${offset} follow bytes ${end}`);
      end += from.length;
      pieces.push(from.slice());
    },
    end: async () => void ended++,
    written: (name: string) => {
      expect(ended, name).toBe(1);
      return new Uint8Array(Buffer.concat(pieces));
    },
  };
}

/** Sorts with an engine, and expects the bits of the keys that the job selects, and counts if requested. */
export async function expectOutput(
  engine: Engine,
  type: ElementType,
  keys: KeyArray,
  some: Partial<SortJob>,
  where = "",
): Promise<SortReport> {
  const job = { type, keyCount: keys.length, descending: false, algorithm: "auto", verify: true, ...some };
  const sink = orderedSink();
  const counts = job.unique === "counts" ? orderedSink() : undefined;
  const report = await engine.sort(job, memorySource(bytesOf(keys)), sink, undefined, counts);
  const { descending, unique, head } = job;
  const name = JSON.stringify([where, type.name, keys.length, { descending, unique, head }]);
  const expected = expectedKeys(keys, type, job);
  expectSame(sink.written(name), expected, name);
  if (counts) {
    const found = new Uint32Array(counts.written(name).buffer);
    const all = expectedRunsOf(keys, type, descending, unique).counts!;
    expectSame(found, all.slice(0, head), `counts ${name}`);
  }
  expect(report, name).toMatchObject({
    keyCount: keys.length,
    written: expected.length / type.bytes,
    verified: job.verify,
  });
  return report;
}

/** Sorts indices with an engine, and expects exactly the first ones. */
export async function expectFirstIndices(
  engine: Engine,
  type: ElementType,
  keys: KeyArray,
  some: Partial<SortJob> & { readonly head: number },
  where = "",
): Promise<SortReport> {
  const job = { type, keyCount: keys.length, descending: false, algorithm: "auto", verify: true, ...some };
  const expected = expectedIndices(keys, type, job).slice(0, job.head);
  const found = new Uint8Array(expected.byteLength);
  const report = await engine.argsort(job, memorySource(bytesOf(keys)), memorySink(found));
  const { descending, bits, head } = job;
  const name = JSON.stringify([where, type.name, keys.length, { descending, bits, head }]);
  expectSame(new Uint32Array(found.buffer), expected, name);
  expect(report.written, name).toBe(expected.length);
  return report;
}

/**
 * Tests which keys an engine writes with `unique` and `head`.
 *
 * @param headTypes only every `headTypes`-th type is tested with `head`.
 */
export function describeSelection(
  engine: Engine,
  sizes: readonly number[],
  headTypes = 1,
  types: readonly ElementType[] = elementTypes,
): void {
  const inputs: typeof distributions = { ...distributions, distinct: distinctKeys };

  it.each(types)("writes the first of equal keys, and how many equal them: $name", async (type) => {
    for (const [name, make] of Object.entries(inputs)) {
      for (const size of sizes) {
        for (const descending of [false, true]) {
          const verify = size % 2 === 0 || descending;
          for (const unique of [true, "counts"] as const) {
            await expectOutput(engine, type, make(type, size), { unique, descending, verify }, name);
          }
        }
      }
    }
  });

  const some = types.filter((_, i) => i % headTypes === 0);
  it.each(some)("writes the first keys, and the first distinct ones: $name", async (type) => {
    for (const name of ["few values", "specials", "distinct"]) {
      for (const size of sizes) {
        const keys = inputs[name]!(type, size);
        for (const head of new Set([0, 1, Math.max(0, size - 1), size, size + 1])) {
          const descending = head % 2 === 1;
          await expectOutput(engine, type, keys, { head, descending }, name);
          const unique = head === 1 ? true : "counts";
          await expectOutput(engine, type, keys, { head, descending: !descending, unique }, name);
        }
      }
    }
  });

  it.each(some)("writes the indices of the first keys: $name", async (type) => {
    for (const name of ["few values", "specials", "distinct"]) {
      for (const size of sizes) {
        for (const head of new Set([0, 1, Math.max(0, size - 1), size + 1])) {
          const bits = size % 2 === 0 ? undefined : { begin: 1, end: 8 * type.bytes - 2 };
          const job = { head, bits, descending: head % 2 === 1 };
          await expectFirstIndices(engine, type, inputs[name]!(type, size), job, name);
        }
      }
    }
  });

  it("refuses to write only some keys where values or some bits show the order of equal keys", async () => {
    const type = elementType("u32");
    const job = { type, keyCount: 1, descending: false, algorithm: "auto", verify: true };
    const source = memorySource(new Uint8Array(4));
    const sink = { write: async () => {}, end: async () => {} };
    const unique = { ...job, unique: true };
    await expect(async () => engine.argsort(unique, source, sink)).rejects.toThrow(TypeError);
    const bits = { begin: 0, end: 8 };
    await expect(async () => engine.sort({ ...unique, bits }, source, sink)).rejects.toThrow(TypeError);
    await expect(async () => engine.sort(unique, source, sink, undefined, sink)).rejects.toThrow(TypeError);
    const counts = { ...job, unique: "counts" } as const;
    await expect(async () => engine.sort(counts, source, sink)).rejects.toThrow(TypeError);
    for (const some of [{ unique: true }, { head: 1 }]) {
      const values = { source, sink };
      const moved = { ...job, ...some, payloadBytes: 4 };
      await expect(async () => engine.sort(moved, source, sink, values)).rejects.toThrow(TypeError);
    }
  });
}
