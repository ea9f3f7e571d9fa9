import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { bytesOf } from "../../../src/core/bytes.js";
import type { KernelCall, KernelName } from "../../../src/core/cpu/kernels.js";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { type ElementType, elementType, elementTypes } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import type { Engine, SortJob, ValueStreams } from "../../../src/core/engines/engine.js";
import { VerifyError } from "../../../src/core/errors.js";
import { createSorter } from "../../../src/core/sorter/create.js";
import type { ItemSink, ItemSource } from "../../../src/core/streams/item_stream.js";
import { cpuEngine } from "../../../src/threads/cpu_engine.js";
import { describeConformance } from "../../support/conformance.js";
import { engineSort } from "../../support/engine.js";
import { describeEngine } from "../../support/engine_conformance.js";
import { expectSame, randomKeys, sortedCopy } from "../../support/keys.js";

/**
 * The time, which stands still unless a test moves it: after 20 ms without a turn of the event loop, sorts let
 * that come first.
 */
let now: MockInstance<() => number>;
beforeEach(() => {
  now = vi.spyOn(performance, "now").mockReturnValue(0);
});
afterEach(() => now.mockRestore());

/** An engine that sorts at once whatever it is given, so it fails if the other one does not. */
function atOnce(cpu: CpuEngine): Engine {
  const run = async (
    indices: boolean,
    job: SortJob,
    source: ItemSource,
    sink: ItemSink,
    streams?: ValueStreams,
  ) => {
    const keys = new Uint8Array(job.keyCount * job.type.bytes);
    const from = new Uint8Array(job.keyCount * (job.payloadBytes ?? 0));
    await Promise.all([source.read(keys, 0), streams?.source.read(from, 0)]);
    const into = indices ? new Uint8Array(4 * job.keyCount) : keys; // the result replaces the input
    const arrays = { keys, into, values: streams && { from, into: from } };
    expect(cpu.sortSync(job, arrays, indices)).toBe(true);
    await Promise.all([sink.write(into, 0), streams?.sink.write(from, 0)]);
    const { keyCount, verify } = job;
    const report = { device: "CPU", algorithm: "radix", keyCount, verified: verify, phases: [], totalMs: 0 };
    return { ...report, written: keyCount, gpuMs: undefined, gpuClock: undefined };
  };
  return {
    device: cpu.device,
    gpuClock: undefined,
    algorithmFor: () => cpu.algorithmFor(),
    capacity: (job, indices) => cpu.capacity(job, indices),
    memoryPerKey: (job, indices) => cpu.memoryPerKey(job, indices),
    sort: (job, source, sink, values) => run(false, job, source, sink, values),
    argsort: (job, source, sink) => run(true, job, source, sink),
    close: () => cpu.close(),
  };
}

const sizes = [0, 1, 2, 33, 256, 2048, 2049];
for (const [name, cpu, most] of [
  ["at once", new CpuEngine(), 40_000],
  ["at once, in memory that threads share", cpuEngine(3), 8193],
] as const) {
  describeConformance(name, engineSort(atOnce(cpu), "auto"), [...sizes, most]);
  describe(name, () => describeEngine(atOnce(cpu), [0, 1, 2, 127, 1000], 100));
}

const u32 = elementType("u32");

function jobOf(type: ElementType, keyCount: number): SortJob {
  return { type, keyCount, descending: false, algorithm: "auto", verify: true };
}

describe("an engine that sorts at once", () => {
  it.each(elementTypes)("sorts $name keys up to 512 KiB of elements, and no more", async (type) => {
    const cpu = new CpuEngine();
    const most = 2 ** 19 / Math.max(4, type.bytes);
    const keys = randomKeys(type, most + 1, 1);
    const into = new type.array(most);
    const fits = { keys: bytesOf(keys.subarray(0, most)), into: bytesOf(into) };
    expect(cpu.sortSync(jobOf(type, most), fits, false)).toBe(true);
    expectSame(into, sortedCopy(keys.subarray(0, most) as typeof keys, false));
    const exceeds = { keys: bytesOf(keys), into: new Uint8Array(keys.byteLength) };
    expect(cpu.sortSync(jobOf(type, most + 1), exceeds, false)).toBe(false);
    expect(exceeds.into.every((byte) => byte === 0)).toBe(true);
  });

  it("leaves keys with long values to others", () => {
    const values = { from: new Uint8Array(2 ** 20), into: new Uint8Array(2 ** 20) };
    const arrays = { keys: new Uint8Array(8), into: new Uint8Array(8), values };
    expect(new CpuEngine().sortSync({ ...jobOf(u32, 2), payloadBytes: 2 ** 19 }, arrays, false)).toBe(false);
  });

  it("leaves what comes while another sort runs or waits, or after it is closed, to others", async () => {
    const cpu = new CpuEngine();
    const arrays = { keys: new Uint8Array(8), into: new Uint8Array(8) };
    let read = () => {};
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    const sink = { write: async () => {}, end: async () => {} };
    const sorting = cpu.sort(jobOf(u32, 2), { read: () => reading }, sink);
    expect(cpu.sortSync(jobOf(u32, 2), arrays, false)).toBe(false);
    read();
    await sorting;
    expect(cpu.sortSync(jobOf(u32, 2), arrays, false)).toBe(true);
    cpu.close();
    expect(cpu.sortSync(jobOf(u32, 2), arrays, false)).toBe(false);
  });

  it("writes nothing if the result fails its check", async () => {
    class Lazy extends CallingThread {
      override runSync(kernel: KernelName, calls: readonly KernelCall[]): void {
        if (!kernel.startsWith("sort")) super.runSync(kernel, calls);
      }
    }
    const broken = new CpuEngine(new Lazy());
    const keys = Uint32Array.of(2, 1);
    const arrays = { keys: bytesOf(keys), into: bytesOf(keys) };
    expect(() => broken.sortSync(jobOf(u32, 2), arrays, false)).toThrow(VerifyError);
    expect(keys).toEqual(Uint32Array.of(2, 1));
    expect(broken.sortSync({ ...jobOf(u32, 2), verify: false }, arrays, false)).toBe(true);
  });
});

describe("a sorter of few keys", () => {
  it("sorts before the call returns, and after the sorts that were called before", async () => {
    const sorter = await createSorter("cpu");
    const keys = Uint32Array.of(3, 1, 2);
    const first = sorter.sort(keys, { into: keys });
    expect(keys).toEqual(Uint32Array.of(1, 2, 3));
    await first;
    const large = randomKeys(u32, 2 ** 18, 2);
    const ended: string[] = [];
    await Promise.all([
      sorter.sort(large, { into: large }).then(() => ended.push("large")),
      sorter.argsort(Float32Array.of(2, Number.NaN, 1)).then((order) => ended.push(`${order}`)),
    ]);
    expect(ended).toEqual(["large", "2,0,1"]);
    expectSame(large, sortedCopy(large, false));
    sorter.destroy();
  });

  it("lets other work be done after 20 ms, however many sorts are awaited", async () => {
    const sorter = await createSorter("cpu");
    const keys = Float64Array.of(2, 1, Number.NaN);
    let isDone = false;
    setImmediate(() => {
      isDone = true;
    });
    for (let sorts = 0; sorts < 1000; sorts++) await sorter.sort(keys);
    now.mockReturnValue(20);
    await sorter.sort(keys);
    expect(isDone).toBe(false);
    now.mockReturnValue(21);
    await sorter.sort(keys);
    expect(isDone).toBe(true);
    sorter.destroy();
  });

  it("rejects after an abort or its end, and writes nothing", async () => {
    const sorter = await createSorter("cpu");
    const keys = Uint32Array.of(2, 1);
    const signal = AbortSignal.abort("enough");
    await expect(sorter.sort(keys, { into: keys, signal })).rejects.toBe("enough");
    sorter.destroy();
    await expect(sorter.sort(keys, { into: keys })).rejects.toThrow("the sorter was destroyed");
    expect(keys).toEqual(Uint32Array.of(2, 1));
  });
});
