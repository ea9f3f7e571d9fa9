import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { InputError } from "../../../src/core/errors.js";
import { memorySink, memorySource } from "../../../src/core/streams/item_stream.js";
import { cpuEngine } from "../../../src/threads/cpu_engine.js";
import { crew } from "../../../src/threads/crew.js";

// So small that a few thousand keys are divided again and again, as hundreds of millions are.
vi.mock("../../../src/core/cpu/tuning.js", async (original) => ({
  ...(await original<typeof import("../../../src/core/cpu/tuning.js")>()),
  largestPart: () => 64,
}));

const u32 = elementType("u32");
const job = (keyCount: number) => ({
  ...{ type: u32, keyCount, descending: false, algorithm: "auto", verify: true },
});

async function expectSorted(engine: CpuEngine, keys: Uint32Array<ArrayBuffer>) {
  const sorted = new Uint32Array(keys.length);
  await engine.sort(job(keys.length), memorySource(keys), memorySink(sorted));
  expect(Buffer.compare(Buffer.from(sorted.buffer), Buffer.from(keys.slice().sort().buffer))).toBe(0);
}

describe("a range that is divided many times", () => {
  it("is sorted although large parts lie between more small ones than leave findings at a time", async () => {
    const large = Array.from({ length: 60 }, (_, i) => Array<number>(100).fill(i << 26));
    const small = Array.from({ length: 60 }, (_, i) => (i << 26) + (1 << 25));
    await expectSorted(new CpuEngine(), Uint32Array.from([...large.flat(), ...small].reverse()));
  });

  it("is sorted whatever its keys are", async () => {
    const engine = new CpuEngine();
    const keys = fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 300 }), fc.nat(31)), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(keys, async (values) => {
        const all = values.flatMap(([key, count, shift]) => Array<number>(count).fill((key << shift) >>> 0));
        await expectSorted(engine, Uint32Array.from(all.reverse()));
      }),
      { numRuns: 100 },
    );
  });

  it("is sorted if all keys are equal but for their order of bits that do not decide", async () => {
    const engine = new CpuEngine();
    const keys = new Uint32Array(10_000).map((_, i) => ((i * 7919) % 10_000) << 8);
    const sorted = new Uint32Array(keys.length);
    const bits = { begin: 0, end: 8 };
    await engine.sort({ ...job(keys.length), bits }, memorySource(keys), memorySink(sorted));
    expect(sorted).toEqual(keys);
  });
});

describe("an engine that was closed", () => {
  it.each([1, 2])(
    "sorts nothing more, on %i threads, also what was waiting, and keeps no thread",
    async (threads) => {
      const keys = new Uint32Array(3_000_000).map((_, i) => Math.imul(i, 2654435761));
      const engine = cpuEngine(threads);
      const sorts = [1, 2, 3].map(() =>
        engine.sort(job(keys.length), memorySource(keys), memorySink(new Uint32Array(keys.length))),
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
      engine.close();
      const outcomes = await Promise.allSettled(sorts);
      const last = outcomes.at(-1) as PromiseRejectedResult;
      expect(last.reason).toBeInstanceOf(InputError);
      expect(last.reason.message).toBe("the engine was closed");
      await expect(engine.sort(job(0), memorySource(keys), memorySink(keys))).rejects.toThrow("closed");
      expect(crew.running).toBe(0);
    },
  );
});

describe("values that cannot be read", () => {
  it("leave the keys where they were", async () => {
    const keys = Uint32Array.of(3, 1, 2);
    const written: number[] = [];
    const sink = { write: async (from: Uint8Array) => void written.push(from.length), end: async () => {} };
    const source = { read: () => Promise.reject(new Error("gone")) };
    const sorting = new CpuEngine().sort({ ...job(3), payloadBytes: 4 }, memorySource(keys), sink, {
      source,
      sink,
    });
    await expect(sorting).rejects.toThrow("gone");
    expect(written).toEqual([]);
  });
});
