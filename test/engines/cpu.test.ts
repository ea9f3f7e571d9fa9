import { describe, expect, it } from "vitest";
import { type ElementType, elementType } from "../../src/elements.js";
import { CpuEngine } from "../../src/engines/cpu.js";
import type { SortJob } from "../../src/engines/engine.js";
import { InputError, VerifyError } from "../../src/errors.js";
import { describeConformance } from "../support/conformance.js";
import { engineSort } from "../support/engine.js";
import { itIsAnEngine } from "../support/engine_conformance.js";

const engine = new CpuEngine();
const u32 = elementType("u32");

function job(keyCount: number, type = u32): SortJob {
  return { type, keyCount, descending: false, algorithm: "auto", verify: true };
}

/** A sink that remembers whether and what it was given. */
function recorder() {
  const writes: { offset: number; bytes: Uint8Array }[] = [];
  return {
    writes,
    write: async (from: Uint8Array, offset: number) => {
      writes.push({ offset, bytes: from.slice() });
    },
  };
}

// With its check on, so that a check which takes -0 or a NaN for an inversion fails here.
describeConformance("the CPU engine", engineSort(engine, "auto"), [0, 1, 2, 3, 255, 256, 1000]);

describe("the CPU engine", () => {
  itIsAnEngine(engine, [0, 1, 2, 127, 1000], 200);

  it("reports what it did, and every phase of it", async () => {
    const sink = recorder();
    const report = await engine.sort(job(3), { read: async (into: Uint8Array) => into.set([3]) }, sink);
    expect(report).toMatchObject({
      device: "CPU",
      algorithm: "TypedArray.prototype.sort",
      keyCount: 3,
      verified: true,
      gpuMs: undefined,
      gpuClock: undefined,
    });
    expect(report.phases.map(({ name, bytes }) => [name, bytes])).toEqual([
      ["read", 12],
      ["verify", 0],
      ["sort", 0],
      ["write", 12],
    ]);
    expect(sink.writes).toHaveLength(1);
    expect([...new Uint32Array(sink.writes[0]!.bytes.buffer)]).toEqual([0, 0, 3]);
  });

  it("says so when it did not check", async () => {
    const report = await engine.sort({ ...job(1), verify: false }, { read: async () => {} }, recorder());
    expect(report.verified).toBe(false);
    expect(report.phases.map(({ name }) => name)).not.toContain("verify");
  });

  it("leaves the sink unwritten when the source fails, and hands on its error", async () => {
    const sink = recorder();
    const failure = new InputError("the disk is gone");
    const source = { read: () => Promise.reject(failure) };
    await expect(engine.sort(job(4), source, sink)).rejects.toBe(failure);
    expect(sink.writes).toEqual([]);
  });

  it("leaves the sink unwritten when the result fails its check", async () => {
    const lazy = class extends Uint32Array {
      override sort(): this {
        return this;
      }
    };
    const type = { ...u32, array: lazy as unknown as ElementType["array"] };
    const sink = recorder();
    const source = { read: async (into: Uint8Array) => void into.set([2, 0, 0, 0, 1, 0, 0, 0]) };
    await expect(engine.sort(job(2, type), source, sink)).rejects.toThrow(VerifyError);
    expect(sink.writes).toEqual([]);
    await engine.sort({ ...job(2, type), verify: false }, source, sink);
    expect(sink.writes).toHaveLength(1);
  });

  it("refuses more keys than memory holds as an error of the input's", async () => {
    const sort = engine.sort(job(2 ** 40), { read: async () => {} }, recorder());
    await expect(sort).rejects.toThrow(InputError);
    await expect(sort).rejects.toThrow("1099511627776 u32 keys do not fit this process's memory");
  });
});
