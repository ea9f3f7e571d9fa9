import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Gpu } from "../../../src/core/device/gpu.js";
import { KernelCache } from "../../../src/core/device/kernels.js";
import { BufferUsage } from "../../../src/core/device/usage.js";
import { DeviceError, InputError, KernelError } from "../../../src/core/errors.js";
import { defaultLimits } from "../../../src/core/plan/grid.js";
import { shaderSource } from "../../../src/core/shaders/linked.js";
import type { Program } from "../../../src/core/shaders/program.js";

type Message = Pick<GPUCompilationMessage, "type" | "lineNum" | "linePos" | "message">;

/** A fake device that can fail in every way that a device can. */
function fakeDevice() {
  const scopes: GPUErrorFilter[] = [];
  const errors: Partial<Record<GPUErrorFilter, string>> = {};
  const compiled: string[] = [];
  const complaints: Message[] = [];
  let lose!: (info: { reason: GPUDeviceLostReason; message: string }) => void;
  const lost = new Promise((resolve) => {
    lose = resolve;
  });
  const device = {
    limits: defaultLimits,
    adapterInfo: { subgroupMinSize: 32, subgroupMaxSize: 32, isFallbackAdapter: false },
    features: new Set<string>(),
    lost,
    onuncapturederror: undefined as unknown as (event: { error: { message: string } }) => void,
    pushErrorScope: (filter: GPUErrorFilter) => {
      scopes.push(filter);
    },
    popErrorScope: async () => {
      const message = errors[scopes.pop()!];
      return message === undefined ? null : { message };
    },
    createBuffer: (descriptor: GPUBufferDescriptor) => ({ ...descriptor }),
    createShaderModule: ({ code }: { code: string }) => {
      compiled.push(code);
      return { getCompilationInfo: async () => ({ messages: complaints }) };
    },
    createComputePipelineAsync: async ({ label }: { label: string }) => {
      if (complaints.some(({ type }) => type === "error")) throw new Error("the pipeline is invalid");
      return { label };
    },
    destroy: () => lose({ reason: "destroyed", message: "it was destroyed" }),
  };
  const report = (message: string) => device.onuncapturederror({ error: { message } });
  return { device: device as unknown as GPUDevice, scopes, errors, compiled, complaints, lose, report };
}

function fakeGpu() {
  const fake = fakeDevice();
  return { ...fake, gpu: new Gpu(fake.device) };
}

const never = new Promise<never>(() => {});
/** Waits until all pending promise callbacks have run. */
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe("waiting for a device", () => {
  it("returns the value of the device's promise", async () => {
    expect(await fakeGpu().gpu.settle(Promise.resolve(7), "reading")).toBe(7);
  });

  it("goes on after the device was lost until its promise settles, so that no buffer is destroyed before", async () => {
    const { gpu, lose } = fakeGpu();
    let end!: () => void;
    let hasEnded = false;
    const mapping = new Promise<void>((resolve) => {
      end = resolve;
    });
    const waiting = gpu.settle(mapping, "reading").finally(() => {
      hasEnded = true;
    });
    lose({ reason: "unknown", message: "GPU hung" });
    await tick();
    expect(hasEnded).toBe(false);
    end();
    await expect(waiting).rejects.toThrow(DeviceError);
  });

  it("ends when the device is lost, even if its promise never settles", async () => {
    const { gpu, lose } = fakeGpu();
    const waiting = gpu.settle(never, "reading");
    lose({ reason: "unknown", message: "GPU hung\nat some place" });
    await expect(waiting).rejects.toThrow(DeviceError);
    await expect(waiting).rejects.toThrow(/^the device was lost: GPU hung$/);
    await expect(waiting).rejects.toHaveProperty("options", ["device"]);
  });

  it("ends when the device reports an error that no scope caught", async () => {
    const { gpu, report } = fakeGpu();
    const waiting = gpu.settle(never, "reading");
    report("dispatch is too large\n - while encoding");
    await expect(waiting).rejects.toThrow(DeviceError);
    await expect(waiting).rejects.toThrow(/^the device reported an error: dispatch is too large$/);
  });

  it.each(["loss", "error"])("rejects after a device's %s, even if the work succeeded", async (how) => {
    const { gpu, lose, report } = fakeGpu();
    if (how === "loss") lose({ reason: "unknown", message: "gone" });
    else report("wrong");
    await tick();
    await expect(gpu.settle(Promise.resolve("a result"), "reading")).rejects.toThrow(DeviceError);
    await expect(gpu.checked("allocating", () => "a buffer")).rejects.toThrow(DeviceError);
  });

  it("rejects if the device fails in the same turn in which the work ends", async () => {
    const { gpu, report } = fakeGpu();
    const work = Promise.resolve().then(() => {
      report("wrong");
      return "a result";
    });
    await expect(gpu.settle(work, "reading")).rejects.toThrow("the device reported an error: wrong");
  });

  it("reports the first failure, because later ones are its consequences", async () => {
    const { gpu, lose, report } = fakeGpu();
    report("the cause");
    lose({ reason: "unknown", message: "the consequence" });
    await tick();
    await expect(gpu.settle(never, "reading")).rejects.toThrow("the device reported an error: the cause");
  });

  it("reports the device's failure rather than the rejection that it caused", async () => {
    const { gpu, report } = fakeGpu();
    report("the cause");
    const consequence = Promise.reject(new Error("mapping was aborted"));
    await expect(gpu.settle(consequence, "reading")).rejects.toThrow("the cause");
  });

  it("does not treat a device that was destroyed on purpose as failed", async () => {
    const { gpu } = fakeGpu();
    gpu.destroy();
    await tick();
    expect(await gpu.settle(Promise.resolve(7), "reading")).toBe(7);
  });

  it("leaves no unhandled rejection if nothing waits when the device fails", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const { lose } = fakeGpu();
    lose({ reason: "unknown", message: "gone" });
    await tick();
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
  });

  it("says what was being done when a promise of the device rejects", async () => {
    const cause = new Error("mapping failed\nfor some reason");
    const waiting = fakeGpu().gpu.settle(Promise.reject(cause), "reading the result");
    await expect(waiting).rejects.toThrow(DeviceError);
    await expect(waiting).rejects.toThrow(/^reading the result failed: mapping failed$/);
    await expect(waiting).rejects.toHaveProperty("cause", cause);
  });

  it("rethrows gpusort's own errors unchanged", async () => {
    const own = new InputError("too many keys");
    await expect(fakeGpu().gpu.settle(Promise.reject(own), "reading")).rejects.toBe(own);
  });
});

setFlagsFromString("--expose-gc");
/** Collects garbage, after all pending promise callbacks have run. */
async function collect(): Promise<void> {
  for (let i = 0; i < 3; i++) await tick().then(runInNewContext("gc"));
}

describe("a device that lives long", () => {
  /** How many bytes more are in use after some calls. */
  async function growthOf(calls: () => Promise<void>): Promise<number> {
    const used = async () => {
      await collect();
      return process.memoryUsage().heapUsed;
    };
    await calls();
    const before = await used();
    await calls();
    return (await used()) - before;
  }

  it("keeps nothing of what was waited for", async () => {
    const { gpu } = fakeGpu();
    const growth = await growthOf(async () => {
      for (let i = 0; i < 20_000; i++) await gpu.settle(Promise.resolve(i), "reading");
    });
    expect(growth).toBeLessThan(2 ** 19);
  });

  it("keeps nothing of what was submitted", async () => {
    const { device } = fakeDevice();
    Object.assign(device, { queue: { submit: () => {} } });
    const gpu = new Gpu(device, { shared: true });
    const encoder = { finish: () => ({}) } as GPUCommandEncoder;
    const growth = await growthOf(async () => {
      for (let i = 0; i < 20_000; i++) gpu.submit(encoder);
      await gpu.settle(Promise.resolve(), "reading");
    });
    expect(growth).toBeLessThan(2 ** 19);
  });
});

describe("checked calls", () => {
  it("return their value if the device reports no error", async () => {
    const { gpu, scopes } = fakeGpu();
    expect(await gpu.checked("binding", () => "bound")).toBe("bound");
    expect(scopes).toEqual([]);
  });

  it.each(["validation", "internal"] as const)(
    "fail with the device's message on a %s error",
    async (filter) => {
      const { gpu, errors, scopes } = fakeGpu();
      errors[filter] = "size is too large\nin createBuffer";
      const calling = gpu.checked("binding the buffers", () => "bound");
      await expect(calling).rejects.toThrow(DeviceError);
      await expect(calling).rejects.toThrow(/^binding the buffers failed: size is too large$/);
      expect(scopes).toEqual([]);
    },
  );

  it("report that memory ran out rather than any other error", async () => {
    const { gpu, errors } = fakeGpu();
    errors["out-of-memory"] = "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    errors.validation = "the buffer is invalid";
    const calling = gpu.buffer("keys", 64, BufferUsage.storage);
    await expect(calling).rejects.toThrow(DeviceError);
    await expect(calling).rejects.toThrow(
      "allocating 64 bytes of device memory for keys failed: the device is out of memory",
    );
    await expect(calling).rejects.toHaveProperty("options", ["memoryBytes", "device"]);
  });

  it("become a DeviceError if they throw, and leave no error scope open", async () => {
    const { gpu, scopes } = fakeGpu();
    const cause = new RangeError("createBuffer failed");
    const calling = gpu.checked("allocating", () => {
      throw cause;
    });
    await expect(calling).rejects.toThrow(DeviceError);
    await expect(calling).rejects.toThrow("allocating failed: createBuffer failed");
    await expect(calling).rejects.toHaveProperty("cause", cause);
    expect(scopes).toEqual([]);
  });

  it("create a buffer with the given label, size and usage", async () => {
    const made = await fakeGpu().gpu.buffer("keys", 64, BufferUsage.storage, true);
    expect(made).toEqual({ label: "keys", size: 64, usage: BufferUsage.storage, mappedAtCreation: true });
  });
});

describe("a kernel", async () => {
  const program: Program = {
    kernel: "bitonic_local",
    variants: { key: "32", order: "32" },
    constants: { WORKGROUP_SIZE: 64, TILE_BITS: 9, KEY_BITS: 32, ORDER: 0, DESCENDING: 1 },
  };
  const source = await shaderSource(program);
  const files = ["shared/key", "shared/order", "shared/grid", "bitonic/bitonic_local"].map((name) => ({
    name: `wgsl/${name}.wgsl`,
    text: readFileSync(new URL(`../../../wgsl/${name}.wgsl`, import.meta.url), "utf8"),
  }));

  const unit = { sections: [{ source: "" }] };

  function failing(...messages: Message[]) {
    const { device, complaints, scopes } = fakeDevice();
    complaints.push(...messages);
    return { compiling: new KernelCache(device).pipeline(program), scopes };
  }

  it("consists of its constants, the modules that it imports in order, and its own file", () => {
    expect(source).toMatch(/^const WORKGROUP_SIZE: u32 = 64u;\nconst TILE_BITS: u32 = 9u;\n/);
    const landmarks = ["alias Key = u32;", "fn to_ordered", "fn linear_workgroup", "fn main"];
    const places = landmarks.map((text) => source.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it.each(files)("that does not compile names $name and the line in that file", async ({ name, text }) => {
    const lines = text.split("\n").map((line) => line.replace(/\s*\/\/.*/, ""));
    // Those of other variants are not in the program.
    const declarations = lines.filter(
      (line) => /^(fn|const|alias|var|struct) /.test(line) && source.includes(`\n${line}\n`),
    );
    expect(declarations.length).toBeGreaterThan(0);
    for (const declared of declarations) {
      const before = source.slice(0, source.indexOf(`\n${declared}\n`) + 1).split("\n").length - 1;
      const { compiling } = failing({
        type: "error",
        lineNum: before + 1,
        linePos: 17,
        message: "no such type",
      });
      const error = await compiling.catch((caught) => caught);
      expect(error).toBeInstanceOf(KernelError);
      const [start, line] = error.message.split(/:(\d+):17: /);
      expect(start).toBe(`the kernel 'bitonic_local' did not compile: ${name}`);
      expect(lines[Number(line) - 1]).toBe(declared);
    }
  });

  it("whose WGSL does not load is a LoadError, and is loaded again by the next call", async () => {
    const { device } = fakeDevice();
    const kernels = new KernelCache(device);
    let calls = 0;
    const family = { kernels: { odd: { ...unit, path: "odd.wgsl" } }, modules: {} };
    const load = async () => {
      calls++;
      if (calls === 1) throw new TypeError("Failed to fetch dynamically imported module");
      return { family };
    };
    kernels.add({ kernels: { odd: load }, layouts: {} });
    const odd: Program = { kernel: "odd", variants: {}, constants: {} };
    await expect(kernels.pipeline(odd)).rejects.toMatchObject({
      name: "LoadError",
      message: "the WGSL of the kernel 'odd' did not load: Failed to fetch dynamically imported module",
      hint: expect.stringContaining("call again"),
      cause: new TypeError("Failed to fetch dynamically imported module"),
    });
    expect(await kernels.pipeline(odd)).toMatchObject({ label: "odd" });
    expect(await kernels.pipeline(odd)).toMatchObject({ label: "odd" });
    expect(calls).toBe(2);
  });

  it("that does not compile has its name in the error, and the driver's error as the cause", async () => {
    const { compiling, scopes } = failing({ type: "error", lineNum: 1, linePos: 1, message: "bad" });
    await expect(compiling).rejects.toMatchObject({
      name: "KernelError",
      kernel: "bitonic_local",
      message: "the kernel 'bitonic_local' did not compile: constants:1:1: bad",
      cause: new Error("the pipeline is invalid"),
    });
    expect(scopes).toEqual([]);
  });

  it("that does not compile reports the first error, not a warning before it", async () => {
    const { compiling } = failing(
      { type: "warning", lineNum: 2, linePos: 1, message: "unused" },
      { type: "error", lineNum: 3, linePos: 1, message: "first" },
      { type: "error", lineNum: 4, linePos: 1, message: "second" },
    );
    await expect(compiling).rejects.toThrow("constants:3:1: first");
  });

  it("that the driver rejects without a compilation message fails with the driver's error", async () => {
    const { device } = fakeDevice();
    const compile = device.createComputePipelineAsync;
    device.createComputePipelineAsync = () => Promise.reject(new Error("out of memory"));
    const cache = new KernelCache(device);
    await expect(cache.pipeline(program)).rejects.toThrow(
      "the kernel 'bitonic_local' did not compile: Error: out of memory",
    );
    // The failure is forgotten: the next call compiles it anew.
    device.createComputePipelineAsync = compile;
    expect(await cache.pipeline(program)).toMatchObject({ label: "bitonic_local" });
  });

  it("is compiled once for the same constants, and again for other constants", async () => {
    const { device, compiled, scopes } = fakeDevice();
    const cache = new KernelCache(device);
    const again = { ...program, constants: { ...program.constants } };
    const [first, second] = await Promise.all([cache.pipeline(program), cache.pipeline(again)]);
    expect(second).toBe(first);
    expect(compiled).toHaveLength(1);
    await cache.pipeline({ ...program, constants: { ...program.constants, TILE_BITS: 12 } });
    expect(compiled).toHaveLength(2);
    expect(scopes).toEqual([]);
  });

  it("is compiled again once 256 others were used since it was", async () => {
    const { device, compiled } = fakeDevice();
    const cache = new KernelCache(device);
    const numbered = (KEY_BITS: number) =>
      cache.pipeline({ ...program, constants: { ...program.constants, KEY_BITS } });
    for (let i = 0; i < 256; i++) await numbered(i);
    await numbered(0);
    expect(compiled).toHaveLength(256);
    await numbered(256); // number 1 is the one that was used least recently
    await numbered(0);
    expect(compiled).toHaveLength(257);
    await numbered(1);
    expect(compiled).toHaveLength(258);
  });

  it("that fails after it was dropped leaves the one that was compiled since", async () => {
    const { device, compiled } = fakeDevice();
    const compile = device.createComputePipelineAsync;
    let fail!: (error: Error) => void;
    device.createComputePipelineAsync = () =>
      new Promise((_, reject) => {
        fail = reject;
      });
    const cache = new KernelCache(device);
    const numbered = (KEY_BITS: number) =>
      cache.pipeline({ ...program, constants: { ...program.constants, KEY_BITS } });
    const failing = numbered(0);
    while (!fail) await tick();
    device.createComputePipelineAsync = compile;
    for (let i = 1; i <= 256; i++) await numbered(i);
    const again = numbered(0);
    expect(again).not.toBe(failing);
    await again;
    expect(compiled).toHaveLength(258);
    fail(new Error("out of memory"));
    await expect(failing).rejects.toThrow(KernelError);
    await numbered(0);
    expect(compiled).toHaveLength(258);
  });

  it("is not kept by a device that lives longer than what has compiled it", async () => {
    const { device } = fakeDevice();
    const gpu = new Gpu(device, { shared: true });
    const kernel = new WeakRef(gpu.kernels.pipeline(program));
    await kernel.deref();
    gpu.destroy();
    await collect();
    expect(kernel.deref()).toBeUndefined();
    expect(device).toBeDefined();
  });

  it("is compiled once by a device that is left to the end of the process", async () => {
    const { gpu, compiled } = fakeGpu();
    gpu.keepUntilExit();
    for (let i = 0; i < 2; i++) {
      await gpu.kernels.pipeline(program);
      gpu.destroy();
    }
    expect(compiled).toHaveLength(1);
  });
});
