import { expect, it } from "vitest";
import { Execution } from "../../src/core/device/execute.js";
import { runPlan } from "../../src/core/device/run.js";
import { Staging } from "../../src/core/device/staging.js";
import { Timer } from "../../src/core/device/timer.js";
import { BufferUsage } from "../../src/core/device/usage.js";
import { elementType } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { DeviceError, InputError } from "../../src/core/errors.js";
import { bitonicPlan } from "../../src/core/sort/bitonic.js";
import { inspectPlan, readTotals } from "../../src/core/sort/inspect.js";
import { memorySink } from "../../src/core/streams/item_stream.js";
import { listAdapters, openDevice } from "../../src/dawn/adapter.js";
import { chooseAdapter } from "../../src/dawn/choose_adapter.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { engineSort } from "../support/engine.js";
import { distributions, randomKeys } from "../support/keys.js";
import { describeOnDevice, selector } from "./device.js";

/** Dawn lists a GPU as "NVIDIA H200", which calls itself "nvidia-h200". */
const plain = (name: string) => name.toLowerCase().replace(/[ -]+/g, " ");

describeOnDevice(`on ${selector}`, ({ gpu, adapter }) => {
  const u32 = elementType("u32");
  const clock = { begin: () => {}, end: () => {} };

  it("is listed with the traits of the device", async () => {
    const adapters = await listAdapters();
    const found = chooseAdapter(adapters, selector)!;
    expect(plain(found.name)).toBe(plain(adapter.name));
    expect(found.subgroupSize).toEqual(gpu.traits.subgroupSize);
    expect(found.limits.maxStorageBufferBindingSize).toBe(gpu.device.limits.maxStorageBufferBindingSize);
    expect(found.software).toBe(gpu.traits.software);
    expect(chooseAdapter(adapters, found.software ? "software" : "gpu")).toBeDefined();
    expect(chooseAdapter(adapters, "cpu")).toBeUndefined();
  });

  it("refuses an unknown adapter, and names the available ones", async () => {
    const error = await openDevice("no such adapter").catch((error) => error);
    expect(error).toBeInstanceOf(DeviceError);
    expect(plain(error.hint)).toContain(plain(adapter.name));
  });

  it("inspects any number of keys like the CPU kernel", async () => {
    for (const type of [u32, elementType("f64")]) {
      for (const keyCount of [0, 1, 2, 255, 256, 257, 5000]) {
        const keys = new Uint32Array(distributions.specials!(type, keyCount).buffer as ArrayBuffer);
        const counts = new Uint32Array(keyCount).map((_, i) => Math.imul(i + 1, 0x9e3779b1));
        for (const counting of [undefined, "all", "first"] as const) {
          const options = { descending: true, unique: counting !== undefined, counting };
          const plan = inspectPlan(keyCount, type, options, gpu.traits);
          const inputs = { keys, ...(counting === "first" ? { values: counts } : {}) };
          const expected = readTotals(runOnCpu(plan, inputs).totals!);
          const where = `${keyCount} ${type.name} ${counting}`;
          expect(readTotals(await runPlan(gpu, plan, inputs)), where).toEqual(expected);
        }
      }
    }
  });

  it("reads back what a buffer holds, and not what an earlier submission copied of it and nobody read", async () => {
    const staging = new Staging(gpu);
    const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
    const buffer = await gpu.buffer("keys", 8, usage);
    const clock = { begin: () => {}, end: () => {} };
    const upload = (byte: number) =>
      staging.upload(buffer, 8, async (window) => void window.fill(byte), clock);
    await upload(1);
    await staging.expectReadback(8);
    const encoder = gpu.device.createCommandEncoder();
    staging.encodeReadback(encoder, buffer, 8);
    gpu.submit(encoder);
    await upload(2);
    const found: number[] = [];
    await staging.readback(buffer, 8, async (window) => void found.push(...window), clock);
    expect(found).toEqual(new Array(8).fill(2));
    staging.destroy();
    buffer.destroy();
  });

  it("moves bytes through its staging windows unchanged, even more than fit all windows", async () => {
    const staging = new Staging(gpu);
    const words = 5 * (32 << 18) + 1; // five windows and a word
    const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
    const target = await gpu.buffer("target", words * 4, usage);
    const pattern = (word: number) => Math.imul(word, 0x9e3779b1) >>> 0;
    await staging.upload(
      target,
      words * 4,
      async (window, offset) => {
        const view = new Uint32Array(window.buffer, window.byteOffset, window.length / 4);
        for (let i = 0; i < view.length; i++) view[i] = pattern(offset / 4 + i);
      },
      clock,
    );
    const offsets: number[] = [];
    let wrong = 0;
    await staging.readback(
      target,
      words * 4,
      async (window, offset) => {
        offsets.push(offset);
        const view = new Uint32Array(window.buffer, window.byteOffset, window.length / 4);
        for (let i = 0; i < view.length; i++) if (view[i] !== pattern(offset / 4 + i)) wrong++;
      },
      clock,
    );
    expect(wrong).toBe(0);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    staging.destroy();
    target.destroy();
  });

  it("times a pass with finer timestamps than a browser's", async () => {
    const timer = (await Timer.create(gpu))!;
    const plan = bitonicPlan(1000, u32, { descending: false }, gpu.traits);
    const execution = await Execution.prepare(gpu, plan);
    const ms: number[] = [];
    for (let run = 0; run < 8; run++) {
      const encoder = gpu.device.createCommandEncoder();
      execution.encode(encoder, timer);
      timer.resolve(encoder);
      gpu.submit(encoder);
      ms.push(await timer.readMs());
    }
    expect(Math.min(...ms)).toBeGreaterThan(0);
    expect(ms.some((one) => Math.round(one * 1e6) % 65_536 !== 0)).toBe(true);
    execution.destroy();
    timer.destroy();
  });

  it("sorts resident keys repeatedly, each time from the same input", async () => {
    const engine = new GpuEngine(gpu, selector);
    const keys = distributions.uniform!(u32, 3000);
    const bytes = new Uint8Array(keys.buffer);
    const job = { type: u32, keyCount: keys.length, descending: false, algorithm: "auto", verify: false };
    const resident = await engine.resident!(job, {
      read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
    });
    for (const repeats of [0, 3]) {
      expect(await resident.run(repeats)).toBeGreaterThan(0);
      const output = new Uint8Array(bytes.length);
      await resident.read(memorySink(output));
      expect(new Uint32Array(output.buffer)).toEqual(keys.slice().sort());
    }
    resident.destroy();
  });

  it("sorts concurrent jobs one after the other, with a resident job among them", async () => {
    const engine = new GpuEngine(gpu, selector);
    const sort = engineSort(engine, "auto");
    const inputs = [1, 2, 3, 4].map((seed) => randomKeys(u32, 5000, seed));
    const bytes = new Uint8Array(inputs[0]!.buffer);
    const job = { type: u32, keyCount: 5000, descending: false, algorithm: "auto", verify: false };
    const resident = await engine.resident!(job, {
      read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
    });
    const kept = new Uint32Array(5000);
    const [, ...sorted] = await Promise.all([
      resident.run(2),
      ...inputs.map((keys) => sort(keys, u32, false)),
      resident.read(memorySink(kept)),
    ]);
    inputs.forEach((keys, i) => {
      expect(sorted[i]).toEqual(keys.slice().sort());
    });
    expect(kept).toEqual(inputs[0]!.slice().sort());
    resident.destroy();
  });

  it("refuses more keys than its capacity, and reports the capacity", async () => {
    const engine = new GpuEngine(gpu, selector);
    const job = { type: u32, keyCount: 0, descending: false, algorithm: "auto", verify: true };
    const most = engine.capacity(job);
    const nothing = async () => {};
    const tooMany = engine.sort(
      { ...job, keyCount: most + 1 },
      { read: nothing },
      { write: nothing, end: nothing },
    );
    await expect(tooMany).rejects.toThrow(InputError);
    await expect(tooMany).rejects.toThrow(String(most));
  });

  it("passes on a source's error, writes nothing, and sorts the next job", async () => {
    const engine = new GpuEngine(gpu, selector);
    const job = { type: u32, keyCount: 1000, descending: false, algorithm: "auto", verify: true };
    let written = 0;
    const sink = {
      write: async (from: Uint8Array) => {
        written += from.length;
      },
      end: async () => {},
    };
    const broken = { read: () => Promise.reject(new Error("the disk is gone")) };
    await expect(engine.sort(job, broken, sink)).rejects.toThrow("the disk is gone");
    expect(written).toBe(0);
    await engine.sort(job, { read: async (into) => void into.fill(7) }, sink);
    expect(written).toBe(4000);
  });

  it("throws a DeviceError if the device refuses a call", async () => {
    const tooLarge = gpu.device.limits.maxBufferSize + 4;
    await expect(gpu.buffer("much too large", tooLarge, BufferUsage.storage)).rejects.toThrow(DeviceError);
  });

  // This test is the last one, since the device does not work afterwards.
  it("never returns a result after an error outside all error scopes", async () => {
    const plan = bitonicPlan(10, u32, { descending: false }, gpu.traits);
    const small = gpu.device.createBuffer({ size: 16, usage: BufferUsage.copyDestination });
    const encoder = gpu.device.createCommandEncoder();
    encoder.copyBufferToBuffer(small, 0, small, 0, 64); // out of range, and the buffer is not a copy source
    gpu.device.queue.submit([encoder.finish()]);
    await expect(runPlan(gpu, plan, { keys: new Uint32Array(10) })).rejects.toThrow(DeviceError);
    await expect(runPlan(gpu, plan, { keys: new Uint32Array(10) })).rejects.toThrow(DeviceError);
  });
});
