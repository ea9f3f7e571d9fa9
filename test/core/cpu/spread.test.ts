import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { elementType } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { memorySink, memorySource } from "../../../src/core/streams/item_stream.js";
import { describeConformance } from "../../support/conformance.js";
import { engineSort } from "../../support/engine.js";
import { describeEngine } from "../../support/engine_conformance.js";
import { expectSame } from "../../support/keys.js";

// So small that a few hundred keys are read in several windows, and divided by digits meanwhile, and that a
// sample has few of them.
vi.mock("../../../src/core/cpu/tuning.js", async (original) => ({
  ...(await original<typeof import("../../../src/core/cpu/tuning.js")>()),
  windowKeys: () => 60,
  spreadBits: () => 5,
  SAMPLE_KEYS: 128,
  SAMPLE_PLACES: 16,
  PIECE_BYTES: 64,
  largestPart: () => 40,
}));

/** Counts the calls of each kind of kernel. */
class Counting extends CallingThread {
  readonly calls: Record<string, number> = {};

  override async run(...given: Parameters<CallingThread["run"]>): Promise<void> {
    const kind = given[0].replace(/_\d.*/, "");
    this.calls[kind] = (this.calls[kind] ?? 0) + given[1].length;
    await super.run(...given);
  }
}

const engine = new CpuEngine();
describeConformance("keys divided while they are read", engineSort(engine, "auto"), [0, 1, 61, 256, 700]);

describe("keys divided while they are read", () => {
  describeEngine(engine, [0, 1, 127, 1000], 100);

  const u32 = elementType("u32");

  async function sorted(keys: Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>, type = u32) {
    const runner = new Counting();
    const job = { type, keyCount: keys.length, descending: false, algorithm: "auto", verify: true };
    const into = new type.array(keys.length);
    await new CpuEngine(runner).sort(job, memorySource(keys), memorySink(into));
    expectSame(into, keys.slice().sort());
    return runner.calls;
  }

  it("are not divided again if no digit has many", async () => {
    const keys = Uint32Array.from({ length: 500 }, (_, i) => Math.imul(i, 2654435761));
    const calls = await sorted(keys);
    expect(calls).toMatchObject({ sort_spread: expect.any(Number) });
    expect(calls).not.toHaveProperty("scatter");
    expect(calls).not.toHaveProperty("collect");
  });

  it("are divided again if one digit has many", async () => {
    const keys = Uint32Array.from({ length: 500 }, (_, i) =>
      i % 10 === 0 ? (500 - i) << 22 : (i * 7919) % 501,
    );
    expect(await sorted(keys)).toMatchObject({ collect: expect.any(Number), scatter: expect.any(Number) });
  });

  it("are divided once more if keys that the sample lacks differ in higher bits", async () => {
    const keys = Uint32Array.from({ length: 500 }, (_, i) => (i * 7919) % 501);
    keys[499] = 2 ** 31;
    const calls = await sorted(keys);
    expect(calls).toMatchObject({ scatter: expect.any(Number) });
    expect(calls).not.toHaveProperty("sort_spread");
  });

  it.each(["u32", "f64"] as const)(
    "are divided evenly if they are %s that grow along the file",
    async (name) => {
      const type = elementType(name);
      const keys = new type.array(500);
      for (let i = 0; i < 500; i++) keys[i] = 2 ** 20 + i * 1000 + ((i * 7919) % 3001);
      const calls = await sorted(keys as Uint32Array<ArrayBuffer>, type);
      expect(calls).toMatchObject({ sort_spread: expect.any(Number) });
      expect(calls).not.toHaveProperty("scatter");
      expect(calls).not.toHaveProperty("collect");
    },
  );

  it("are divided evenly by buckets if they are floats of few exponents", async () => {
    for (const name of ["f32", "f64"] as const) {
      const type = elementType(name);
      const keys = new type.array(500);
      for (let i = 0; i < 500; i++) keys[i] = Math.tan(Math.PI * (((i * 0.618034) % 1) - 0.5));
      const calls = await sorted(keys as Float64Array<ArrayBuffer>, type);
      expect(calls).toMatchObject({ sort_spread: expect.any(Number) });
      expect(calls).not.toHaveProperty("scatter");
    }
  });

  it("are not divided if a sample of them is in order", async () => {
    const calls = await sorted(Uint32Array.from({ length: 500 }, (_, i) => (i < 498 ? i : 900 - i)));
    expect(calls).not.toHaveProperty("sort_spread");
  });

  it("are sorted if they are in order, but were not when the sample was read", async () => {
    const keys = Uint32Array.from({ length: 1000 }, (_, i) => 1000 * i);
    const then = memorySource(keys.slice().reverse());
    const job = { type: u32, keyCount: keys.length, descending: false, algorithm: "auto", verify: true };
    const into = new Uint32Array(keys.length);
    await engine.sort(job, { ...memorySource(keys), sample: then }, memorySink(into));
    expectSame(into, keys);
  });

  it("are sorted whatever they are", async () => {
    const runs = fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 300 }), fc.nat(31)), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(runs, async (values) => {
        const all = values.flatMap(([key, count, shift]) => Array<number>(count).fill((key << shift) >>> 0));
        await sorted(Uint32Array.from(all.reverse()));
      }),
      { numRuns: 50 },
    );
  });
});
