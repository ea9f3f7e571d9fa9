import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Gpu } from "../src/device/gpu.js";
import { KernelCache, shaderSource } from "../src/device/kernels.js";
import { BufferUsage } from "../src/device/usage.js";
import { DeviceError, InputError, KernelError } from "../src/errors.js";
import { defaultLimits } from "../src/plan/grid.js";
import type { Program } from "../src/plan/plan.js";

type Message = Pick<GPUCompilationMessage, "type" | "lineNum" | "linePos" | "message">;

/** Just enough of a device to fail in every way that one can. */
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
/** For everything that is on its way through promises to arrive. */
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe("waiting for a device", () => {
  it("gives what the device gives", async () => {
    expect(await fakeGpu().gpu.settle(Promise.resolve(7), "reading")).toBe(7);
  });

  it("ends when the device is lost, though its promise never settles", async () => {
    const { gpu, lose } = fakeGpu();
    const waiting = gpu.settle(never, "reading");
    lose({ reason: "unknown", message: "GPU hung\nat some place" });
    await expect(waiting).rejects.toThrow(DeviceError);
    await expect(waiting).rejects.toThrow(/^the device was lost: GPU hung$/);
    await expect(waiting).rejects.toHaveProperty("hint", expect.stringContaining("--device"));
  });

  it("ends when the device reports an error that no scope caught", async () => {
    const { gpu, report } = fakeGpu();
    const waiting = gpu.settle(never, "reading");
    report("dispatch is too large\n - while encoding");
    await expect(waiting).rejects.toThrow(DeviceError);
    await expect(waiting).rejects.toThrow(/^the device reported an error: dispatch is too large$/);
  });

  it.each(["loss", "error"])(
    "gives nothing after a device's %s, however well the work ended",
    async (how) => {
      const { gpu, lose, report } = fakeGpu();
      if (how === "loss") lose({ reason: "unknown", message: "gone" });
      else report("wrong");
      await tick();
      await expect(gpu.settle(Promise.resolve("a result"), "reading")).rejects.toThrow(DeviceError);
      await expect(gpu.checked("allocating", () => "a buffer")).rejects.toThrow(DeviceError);
    },
  );

  it("gives nothing when the failure comes in the very turn in which the work ends", async () => {
    const { gpu, report } = fakeGpu();
    const work = Promise.resolve().then(() => {
      report("wrong");
      return "a result";
    });
    await expect(gpu.settle(work, "reading")).rejects.toThrow("the device reported an error: wrong");
  });

  it("tells the first failure, of which the others are consequences", async () => {
    const { gpu, lose, report } = fakeGpu();
    report("the cause");
    lose({ reason: "unknown", message: "the consequence" });
    await tick();
    await expect(gpu.settle(never, "reading")).rejects.toThrow("the device reported an error: the cause");
  });

  it("prefers the device's failure to the rejection that it brought about", async () => {
    const { gpu, report } = fakeGpu();
    report("the cause");
    const consequence = Promise.reject(new Error("mapping was aborted"));
    await expect(gpu.settle(consequence, "reading")).rejects.toThrow("the cause");
  });

  it("does not take a device's being destroyed on purpose for a failure", async () => {
    const { gpu } = fakeGpu();
    gpu.destroy();
    await tick();
    expect(await gpu.settle(Promise.resolve(7), "reading")).toBe(7);
  });

  it("is not needed for a failure: nobody waiting is no crash", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const { lose } = fakeGpu();
    lose({ reason: "unknown", message: "gone" });
    await tick();
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
  });

  it("says what was being done when a promise of the device's rejects", async () => {
    const cause = new Error("mapping failed\nfor some reason");
    const waiting = fakeGpu().gpu.settle(Promise.reject(cause), "reading the result");
    await expect(waiting).rejects.toThrow(DeviceError);
    await expect(waiting).rejects.toThrow(/^reading the result failed: mapping failed$/);
    await expect(waiting).rejects.toHaveProperty("cause", cause);
  });

  it("hands on gpusort's own errors as they are", async () => {
    const own = new InputError("too many keys");
    await expect(fakeGpu().gpu.settle(Promise.reject(own), "reading")).rejects.toBe(own);
  });
});

describe("checked calls", () => {
  it("give what they give when the device has no objection", async () => {
    const { gpu, scopes } = fakeGpu();
    expect(await gpu.checked("binding", () => "bound")).toBe("bound");
    expect(scopes).toEqual([]);
  });

  it.each(["validation", "internal"] as const)(
    "fail with the device's words on a %s error",
    async (filter) => {
      const { gpu, errors, scopes } = fakeGpu();
      errors[filter] = "size is too large\nin createBuffer";
      const calling = gpu.checked("binding the buffers", () => "bound");
      await expect(calling).rejects.toThrow(DeviceError);
      await expect(calling).rejects.toThrow(/^binding the buffers failed: size is too large$/);
      expect(scopes).toEqual([]);
    },
  );

  it("say that memory ran out, and what to do, whatever else is wrong", async () => {
    const { gpu, errors } = fakeGpu();
    errors["out-of-memory"] = "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    errors.validation = "the buffer is invalid";
    const calling = gpu.buffer("keys", 64, BufferUsage.storage);
    await expect(calling).rejects.toThrow(DeviceError);
    await expect(calling).rejects.toThrow(
      "allocating 64 bytes of device memory for keys failed: the device is out of memory",
    );
    await expect(calling).rejects.toHaveProperty("hint", expect.stringContaining("--device cpu"));
  });

  it("that throw become device errors, and leave no scope open", async () => {
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

  it("ask the device for the buffer that was asked for", async () => {
    const made = await fakeGpu().gpu.buffer("keys", 64, BufferUsage.storage, true);
    expect(made).toEqual({ label: "keys", size: 64, usage: BufferUsage.storage, mappedAtCreation: true });
  });
});

describe("a kernel", () => {
  const program: Program = {
    kernel: "bitonic_local",
    uses: ["key32", "order32", "grid"],
    constants: { WORKGROUP_SIZE: 64, TILE_BITS: 9, ORDER: 0, DESCENDING: 1 },
  };
  const files = ["shared/key32", "shared/order32", "shared/grid", "bitonic_local"].map((name) => ({
    name: `wgsl/${name}.wgsl`,
    text: readFileSync(new URL(`../wgsl/${name}.wgsl`, import.meta.url), "utf8"),
  }));

  function failing(...messages: Message[]) {
    const { device, complaints, scopes } = fakeDevice();
    complaints.push(...messages);
    return { compiling: new KernelCache(device).pipeline(program), scopes };
  }

  it("is its constants, the shared files in their order, and its own file", () => {
    expect(shaderSource(program)).toBe(
      "const WORKGROUP_SIZE: u32 = 64u;\nconst TILE_BITS: u32 = 9u;\nconst ORDER: u32 = 0u;\n" +
        `const DESCENDING: u32 = 1u;\n${files.map(({ text }) => text).join("")}`,
    );
  });

  it.each(files)(
    "that does not compile names the line of $name, its first and its last",
    async ({ name, text }) => {
      const source = shaderSource(program);
      const before = source.slice(0, source.indexOf(text)).split("\n").length - 1;
      const lines = text.trimEnd().split("\n").length;
      for (const line of [1, 2, lines]) {
        const { compiling } = failing({
          type: "error",
          lineNum: before + line,
          linePos: 17,
          message: "no such type",
        });
        await expect(compiling).rejects.toThrow(KernelError);
        await expect(compiling).rejects.toThrow(
          `the kernel 'bitonic_local' did not compile: ${name}:${line}:17: no such type`,
        );
      }
    },
  );

  it("that fails names itself as data, and keeps the driver's error as the cause", async () => {
    const { compiling, scopes } = failing({ type: "error", lineNum: 1, linePos: 1, message: "bad" });
    await expect(compiling).rejects.toMatchObject({
      name: "KernelError",
      kernel: "bitonic_local",
      message: "the kernel 'bitonic_local' did not compile: constants:1:1: bad",
      cause: new Error("the pipeline is invalid"),
    });
    expect(scopes).toEqual([]);
  });

  it("that fails tells the first error, not a warning before it", async () => {
    const { compiling } = failing(
      { type: "warning", lineNum: 2, linePos: 1, message: "unused" },
      { type: "error", lineNum: 3, linePos: 1, message: "first" },
      { type: "error", lineNum: 4, linePos: 1, message: "second" },
    );
    await expect(compiling).rejects.toThrow("constants:3:1: first");
  });

  it("that the driver refuses without a word about the source fails with the driver's", async () => {
    const { device } = fakeDevice();
    device.createComputePipelineAsync = () => Promise.reject(new Error("too many registers"));
    await expect(new KernelCache(device).pipeline(program)).rejects.toThrow(
      "the kernel 'bitonic_local' did not compile: Error: too many registers",
    );
  });

  it("is compiled once for the same constants, and anew for others", async () => {
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
});
