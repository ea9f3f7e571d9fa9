import { describe, expect, it } from "vitest";
import type { KernelCall, KernelName } from "../../../src/core/cpu/kernels.js";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { elementType } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import type { SortJob } from "../../../src/core/engines/engine.js";
import { InputError, VerifyError } from "../../../src/core/errors.js";
import { memorySink, memorySource } from "../../../src/core/streams/item_stream.js";
import { describeConformance } from "../../support/conformance.js";
import { engineSort } from "../../support/engine.js";
import { describeEngine } from "../../support/engine_conformance.js";
import { describeSelection } from "../../support/expected_output.js";
import { expectSame } from "../../support/keys.js";

const engine = new CpuEngine();
const u32 = elementType("u32");

function job(keyCount: number, type = u32): SortJob {
  return { type, keyCount, descending: false, algorithm: "auto", verify: true };
}

/** A sink that records every write. */
function recorder() {
  const writes: { offset: number; bytes: Uint8Array }[] = [];
  return {
    writes,
    write: async (from: Uint8Array, offset: number) => {
      writes.push({ offset, bytes: from.slice() });
    },
    end: async () => {},
  };
}

// The engine's own check is on: these tests fail if it reports -0 or a NaN as an inversion.
describeConformance("the CPU engine", engineSort(engine, "auto"), [0, 1, 2, 3, 255, 256, 1000]);

describe("the CPU engine", () => {
  describeEngine(engine, [0, 1, 2, 127, 1000], 200);
  describeSelection(engine, [0, 1, 2, 3, 127, 1000]);

  it("reports what it did, with all phases", async () => {
    const sink = recorder();
    const keys = new Uint8Array(Uint32Array.of(3, 0, 0).buffer);
    const report = await engine.sort(job(3), { read: async (into: Uint8Array) => into.set(keys) }, sink);
    expect(report).toMatchObject({
      device: "CPU",
      algorithm: "radix",
      keyCount: 3,
      verified: true,
      gpuMs: undefined,
      gpuClock: undefined,
    });
    expect(report.phases.map(({ name, bytes }) => [name, bytes])).toEqual([
      ["read", 12],
      ["convert", 0],
      ["sort", 0],
      ["write", 12],
    ]);
    expect(sink.writes).toHaveLength(1);
    expect([...new Uint32Array(sink.writes[0]!.bytes.buffer)]).toEqual([0, 0, 3]);
  });

  it("reports that it did not check a job without verify", async () => {
    const report = await engine.sort({ ...job(1), verify: false }, { read: async () => {} }, recorder());
    expect(report.verified).toBe(false);
  });

  it("does not write to the sink if the source fails, and rejects with the source's error", async () => {
    const sink = recorder();
    const failure = new InputError("the disk is gone");
    const source = { read: () => Promise.reject(failure) };
    await expect(engine.sort(job(4), source, sink)).rejects.toBe(failure);
    expect(sink.writes).toEqual([]);
  });

  it.each([
    ["keep", true],
    ["count", "counts"],
  ] as const)("does not write to the sink if it drops the wrong keys: %s", async (lazy, unique) => {
    class Lazy extends CallingThread {
      override async run(kernel: KernelName, calls: readonly KernelCall[]): Promise<void> {
        // One key fewer, so the last one is lost.
        const fewer = kernel.startsWith(lazy)
          ? calls.map(([at, n, ...rest]) => [at!, n! - 1, ...rest])
          : calls;
        await super.run(kernel, fewer);
      }
    }
    const broken = new CpuEngine(new Lazy());
    const source = { read: async (into: Uint8Array) => void into.set([2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]) };
    for (const head of [undefined, 1]) {
      const sink = recorder();
      const counts = unique === "counts" ? sink : undefined;
      const sorting = broken.sort({ ...job(3), unique, head }, source, sink, undefined, counts);
      await expect(sorting).rejects.toThrow(VerifyError);
      expect(sink.writes).toEqual([]);
    }
  });

  it("refuses more keys than fit in memory with an InputError", async () => {
    const sort = engine.sort(job(2 ** 40), { read: async () => {} }, recorder());
    await expect(sort).rejects.toThrow(InputError);
    await expect(sort).rejects.toThrow("1099511627776 u32 keys do not fit in this process's memory");
  });

  it("takes the memory per key that it says, and as many keys as fill 4 GiB so", async () => {
    let bytes = 0;
    class Measured extends CallingThread {
      override makeMemory(least: number, most?: number) {
        const memory = super.makeMemory(least, most);
        bytes = memory.buffer.byteLength;
        return memory;
      }
    }
    for (const name of ["u8", "u32", "u64"] as const) {
      for (const indices of [false, true]) {
        const type = elementType(name);
        const keys = memorySource(new type.array(2 ** 20));
        const into = memorySink(new Uint32Array(2 ** 21));
        await new CpuEngine(new Measured())[indices ? "argsort" : "sort"](job(2 ** 20, type), keys, into);
        // Besides, there are tables of counters.
        const perKey = engine.memoryPerKey(job(0, type), indices);
        expect(bytes / 2 ** 20 / perKey).toBeGreaterThanOrEqual(1);
        expect(bytes / 2 ** 20 / perKey).toBeLessThan(1.1);
        const most = 2 ** 32 / perKey;
        expect(engine.capacity(job(0, type), indices) / most).toBeGreaterThan(0.999);
        expect(engine.capacity(job(0, type), indices)).toBeLessThan(most);
      }
    }
    const withValues = { ...job(0), payloadBytes: 4 };
    expect(engine.capacity(withValues)).toBe(engine.capacity(job(0), true));
  });
});

describe("keys of which many are equal in their upper bits", () => {
  it.each(["u32", "i64", "f64"] as const)("are sorted, with their indices: %s", async (name) => {
    const type = elementType(name);
    for (const keyCount of [100, 1000, 3000, 20_000]) {
      for (const clusters of [2, 50]) {
        const keys = new type.array(keyCount);
        const words = new Uint32Array(keys.buffer);
        for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, 2654435761);
        // The topmost bits have few values, and the lowest ones any.
        const top = type.words - 1;
        for (let i = top; i < words.length; i += type.words) {
          const cluster = (i * 7919) % clusters;
          words[i] = (cluster << 25) | (type.words === 1 ? words[i]! & 0xff : 0);
        }
        const sorted = new type.array(keyCount);
        await engine.sort(job(keyCount, type), memorySource(keys), memorySink(sorted));
        expectSame(sorted, keys.slice().sort());
        const order = new Uint32Array(keyCount);
        await engine.argsort(job(keyCount, type), memorySource(keys), memorySink(order));
        expect(order.every((i, n) => keys[i] === sorted[n])).toBe(true);
        const stable = order.every((i, n) => n === 0 || keys[i] !== keys[order[n - 1]!] || i > order[n - 1]!);
        expect(stable).toBe(true);
      }
    }
  });
});
