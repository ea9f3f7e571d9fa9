import { afterEach, describe, expect, it, vi } from "vitest";
import { DeviceError } from "../../src/core/errors.js";
import type { AdapterSummary } from "../../src/dawn/choose_adapter.js";

import type { HostGpu } from "../../src/dawn/host_gpus.js";

/** What the fake Dawn and the fake embedded driver do in a test. */
const world = vi.hoisted(() => ({
  names: [] as string[],
  driverFails: undefined as Error | undefined,
  driverAdds: undefined as string | undefined,
  gpus: [] as HostGpu[],
}));

vi.mock("../../src/dawn/host_gpus.js", async (original) => ({
  ...(await original<typeof import("../../src/dawn/host_gpus.js")>()),
  hostGpus: () => world.gpus,
}));

vi.mock("../../src/dawn/embedded.js", async (original) => ({
  ...(await original<typeof import("../../src/dawn/embedded.js")>()),
  embeddedDawn: async () => {
    if (world.driverFails) throw world.driverFails;
    return world.driverAdds && fakeDawn([world.driverAdds]);
  },
}));

vi.mock("../../src/dawn/vulkan_loader.js", () => ({ loadVulkanLoader: () => true }));

vi.mock("webgpu", () => ({ create: (options: string[]) => fakeDawn(world.names).create(options) }));

/** @param names those of its adapters. */
const fakeDawn = (names: readonly string[]) => ({
  create: (options: string[]) => ({
    requestAdapter: async () => {
      const wanted = options.find((option) => option.startsWith("adapter="))?.slice(8);
      if (wanted !== undefined && !names.includes(wanted)) {
        throw new Error(names.map((name) => `backend: 'Vulkan', name: '${name}'`).join("\n"));
      }
      const name = wanted ?? names[0];
      return name === undefined ? null : adapter(name);
    },
  }),
});

const adapter = (name: string) => ({
  features: new Set(),
  limits: {},
  info: {
    device: name,
    vendor: name.startsWith("NVIDIA") ? "nvidia" : "vendor7",
    architecture: "arch7",
    description: "driver 25.0.7",
    isFallbackAdapter: !name.startsWith("NVIDIA"),
  },
  requestDevice: async () => {
    throw new Error("the limit is\u001b[2J too high\n - While validating");
  },
});

const { listAdapters, openDevice } = await import("../../src/dawn/adapter.js");
const { chooseAdapter } = await import("../../src/dawn/choose_adapter.js");
const { openEngine } = await import("../../src/dawn/open_engine.js");

afterEach(() => {
  world.names = [];
  world.driverFails = undefined;
  world.driverAdds = undefined;
  world.gpus = [];
});

describe("the notice of an engine", () => {
  it("says that there is no adapter only if there is none", async () => {
    const { engine, notice } = await openEngine("auto");
    expect(engine.device).toBe("CPU");
    expect(notice).toMatch(
      /^no GPU adapter was found, so this runs on the CPU; .*@sparticuz\/chromium@143\.0\.4$/,
    );
    expect((await openEngine("cpu")).notice).toBeUndefined();
  });

  it("names the adapter that did not open, and why, on one line", async () => {
    world.names = ["Acme 7"];
    const { engine, notice } = await openEngine("auto");
    expect(engine.device).toBe("CPU");
    expect(notice).toBe(
      "the adapter 'Acme 7' did not open a device: the limit is\\u001b[2J too high, so this runs on the CPU",
    );
  });

  it("says why the embedded driver could not be used", async () => {
    world.driverFails = new DeviceError("the driver cannot be unpacked");
    expect((await openEngine("auto")).notice).toBe("the driver cannot be unpacked, so this runs on the CPU");
    await expect(openDevice("swift")).rejects.toThrow(
      "no adapter like 'swift' was found; the driver cannot be unpacked",
    );
  });
});

describe("a wrong argument", () => {
  it.each([5, null, ["cpu"]] as never[])("%s for a selector is refused", async (selector) => {
    const why = /^the selector of a device is (5|null|Array)$/;
    await expect(openDevice(selector)).rejects.toThrow(why);
    await expect(openEngine(selector)).rejects.toThrow(why);
  });

  it("of openEngine is refused", async () => {
    await expect(openEngine("cpu", { thread: 2 } as never)).rejects.toThrow("has no option 'thread'");
  });
});

describe("a selector that chooses nothing", () => {
  const hint = (selector: string) => openDevice(selector).catch((error) => (error as DeviceError).hint);

  it("gets the ones that would", async () => {
    world.names = ["Acme 7", "llvmpipe (LLVM 15.0.6, 256 bits)"];
    expect(await hint("nvidia")).toBe(
      [
        "choose auto, software, cpu, or one by its number or a part of its name:",
        "0 Acme 7 (software), 1 llvmpipe (LLVM 15.0.6, 256 bits) (software)",
      ].join(" "),
    );
  });

  it("is told that a number is a whole one, and is given no word of a name", async () => {
    world.names = ["llvmpipe (LLVM 15.0.6, 256 bits)"];
    for (const selector of ["1.5", "-1", "0.0"]) {
      expect(await hint(selector)).toMatch(
        /^the number of a device is a whole number from 0 on; choose auto, software, cpu, or one by its number/,
      );
    }
    expect(await hint("16")).toMatch(/^choose auto/);
    expect(await hint("12345")).toMatch(/^choose auto/);
  });

  it("is told to install what helps: no software adapter for who wants a GPU", async () => {
    expect(await hint("gpu")).toBe("install the driver of a GPU, or choose auto or cpu");
    expect(await hint("software")).toMatch(
      /npm package @sparticuz\/chromium@143\.0\.4 .*, or choose auto or cpu$/,
    );
    world.names = ["Acme 7"];
    expect(await hint("gpu")).toMatch(
      /^install the driver of a GPU, or choose auto, software, cpu, or one by its number/,
    );
  });
});

it("the adapter of the embedded driver is the last one in every list of a process", async () => {
  world.names = ["llvmpipe (LLVM 15.0.6, 256 bits)"];
  world.driverAdds = "SwiftShader Device (Subzero)";
  const listed = async () =>
    (await listAdapters()).map(({ number, name, origin }) => `${number} ${name} ${origin}`);
  const expected = ["0 llvmpipe (LLVM 15.0.6, 256 bits) system", "1 SwiftShader Device (Subzero) embedded"];
  expect(await listed()).toEqual(expected);
  expect(await listed()).toEqual(expected);
  await expect(openDevice("swift")).rejects.toThrow(
    "the adapter 'SwiftShader Device (Subzero)' did not open",
  );
});

describe("a selector that is part of an adapter", () => {
  const named = (name: string) =>
    ({ name, driver: "Mesa 25.0.7", vendor: "acme", architecture: "volta" }) as AdapterSummary;
  const adapters = ["llvmpipe (LLVM 15.0.6, 256 bits)", "NVIDIA GeForce RTX 4090"].map(named);
  const chosen = (selector: string) => chooseAdapter(adapters, selector)?.name;

  it("is part of its name, not of its driver, vendor or architecture", () => {
    expect(chosen("geforce")).toBe("NVIDIA GeForce RTX 4090");
    expect(chosen("LLVM")).toBe("llvmpipe (LLVM 15.0.6, 256 bits)");
    for (const selector of ["mesa", "acme", "volta", "25.0.7"]) expect(chosen(selector)).toBeUndefined();
    for (const { name } of adapters) expect(chosen(name)).toBe(name);
  });

  it("is a whole word of it if it has no letter", () => {
    expect(chosen("4090")).toBe("NVIDIA GeForce RTX 4090");
    expect(chosen("256")).toBe("llvmpipe (LLVM 15.0.6, 256 bits)");
    for (const selector of ["7", "0", "15", "409", " ", "", "("]) expect(chosen(selector)).toBeUndefined();
  });
});

describe("GPUs that are known by their files", () => {
  const gpu = (number: number, model = "NVIDIA H200"): HostGpu => ({
    maker: "nvidia",
    model,
    uuid: `GPU-${number}${number}`,
    pciAddress: `0000:0${number}:00.0`,
    files: [`/dev/nvidia${number}`],
  });
  const listed = async () =>
    (await listAdapters()).map(({ number, name, uuid, pciAddress }) => [number, name, uuid, pciAddress]);

  it("are listed one by one although Dawn gives them one name, and before all others", async () => {
    world.names = ["llvmpipe", "NVIDIA H200", "NVIDIA T4", "NVIDIA H200"];
    world.gpus = [gpu(1), gpu(2, "NVIDIA T4"), gpu(3)];
    expect(await listed()).toEqual([
      [0, "NVIDIA H200", "GPU-11", "0000:01:00.0"],
      [1, "NVIDIA T4", "GPU-22", "0000:02:00.0"],
      [2, "NVIDIA H200", "GPU-33", "0000:03:00.0"],
      [3, "llvmpipe", undefined, undefined],
    ]);
  });

  it("keep their numbers if one has no adapter, and have none that is a guess", async () => {
    world.names = ["NVIDIA T4", "llvmpipe"];
    world.gpus = [gpu(1), gpu(2, "NVIDIA T4")];
    expect((await listed()).map(([number, name]) => [number, name])).toEqual([
      [1, "NVIDIA T4"],
      [2, "llvmpipe"],
    ]);
    world.names = ["NVIDIA by another name", "NVIDIA H200"];
    world.gpus = [gpu(1), { ...gpu(2), model: undefined }, { ...gpu(3), model: undefined }];
    expect(await listed()).toEqual([
      [0, "NVIDIA H200", "GPU-11", "0000:01:00.0"],
      [3, "NVIDIA by another name", undefined, undefined],
    ]);
  });

  it("are opened by their identity, if no other has their name", async () => {
    world.names = ["NVIDIA T4", "NVIDIA H200"];
    world.gpus = [gpu(1), gpu(2, "NVIDIA T4")];
    await expect(openDevice("uuid:1")).rejects.toThrow("the adapter 'NVIDIA H200' did not open a device");
    await expect(openDevice("1")).rejects.toThrow("the adapter 'NVIDIA T4' did not open a device");
    world.gpus = [gpu(2, "NVIDIA T4")];
    await expect(openDevice("uuid:GPU-2")).rejects.toThrow("the adapter 'NVIDIA T4' did not open a device");
  });

  it("are not taken for the adapter of another maker, although there is no other GPU", async () => {
    world.names = ["NVIDIA H200"];
    world.gpus = [{ maker: "amd", pciAddress: "0000:07:00.0", files: ["/dev/dri/renderD128"] }];
    expect(await listed()).toEqual([[1, "NVIDIA H200", undefined, undefined]]);
    for (const selector of ["0", "pci:07:00.0"]) {
      await expect(openDevice(selector)).rejects.toThrow("no Vulkan driver offers the GPU pci:0000:07:00.0");
    }
  });

  it("are an error that says how to start a program, if others have their name", async () => {
    world.names = ["NVIDIA H200", "NVIDIA H200"];
    world.gpus = [gpu(1), gpu(2)];
    await expect(openDevice("uuid:GPU-22")).rejects.toThrow(
      expect.objectContaining({
        message:
          "a process that sees 2 equal GPUs cannot choose uuid:GPU-22 of them: their adapters have one name",
        hint: expect.stringContaining("mount -o bind /dev/null /dev/nvidia1 && exec PROGRAM"),
      }),
    );
  });

  it("are an error if they have no adapter, or are not there", async () => {
    world.names = ["llvmpipe"];
    world.gpus = [gpu(1)];
    await expect(openDevice("0")).rejects.toThrow("no Vulkan driver offers the GPU uuid:GPU-11");
    await expect(openDevice("uuid:77")).rejects.toThrow("there is no GPU whose UUID begins with '77'");
    await expect(openDevice("7")).rejects.toThrow("no adapter 7 in the list of gpusort devices was found");
    await expect(openDevice("1")).rejects.toThrow("the adapter 'llvmpipe' did not open a device");
  });
});
