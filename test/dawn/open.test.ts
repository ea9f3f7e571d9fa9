import { afterEach, describe, expect, it, vi } from "vitest";
import { DeviceError } from "../../src/core/errors.js";
import type { AdapterSummary } from "../../src/dawn/adapter_summary.js";

/** What the fake Dawn and the fake embedded driver do in a test. */
const world = vi.hoisted(() => ({
  names: [] as string[],
  driverFails: undefined as Error | undefined,
}));

vi.mock("../../src/dawn/embedded.js", () => ({
  enableDriver: () => {},
  embeddedDriver: async () => {
    if (world.driverFails) throw world.driverFails;
    return undefined;
  },
}));

vi.mock("../../src/dawn/vulkan_loader.js", () => ({ loadVulkanLoader: () => true }));

vi.mock("webgpu", () => ({
  create: (options: string[]) => ({
    requestAdapter: async () => {
      const wanted = options.find((option) => option.startsWith("adapter="))?.slice(8);
      if (wanted !== undefined && !world.names.includes(wanted)) {
        throw new Error(world.names.map((name) => `backend: 'Vulkan', name: '${name}'`).join("\n"));
      }
      const name = wanted ?? world.names[0];
      return name === undefined ? null : adapter(name);
    },
  }),
}));

const adapter = (name: string) => ({
  features: new Set(),
  limits: {},
  info: {
    device: name,
    vendor: "vendor7",
    architecture: "arch7",
    description: "driver 25.0.7",
    isFallbackAdapter: true,
  },
  requestDevice: async () => {
    throw new Error("the limit is\u001b[2J too high\n - While validating");
  },
});

const { openDevice } = await import("../../src/dawn/adapter.js");
const { chooseAdapter } = await import("../../src/dawn/choose_adapter.js");
const { openEngine } = await import("../../src/dawn/open_engine.js");

afterEach(() => {
  world.names = [];
  world.driverFails = undefined;
});

describe("the notice of an engine", () => {
  it("says that there is no adapter only if there is none", async () => {
    const { engine, notice } = await openEngine("auto");
    expect(engine.device).toBe("CPU");
    expect(notice).toMatch(/^no GPU adapter was found, so this runs on the CPU; .*@sparticuz\/chromium$/);
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

  it("is told to install what helps: no software adapter for who wants a GPU", async () => {
    expect(await hint("gpu")).toBe("install the driver of a GPU, or choose auto or cpu");
    expect(await hint("software")).toMatch(/npm package @sparticuz\/chromium .*, or choose auto or cpu$/);
    world.names = ["Acme 7"];
    expect(await hint("gpu")).toMatch(
      /^install the driver of a GPU, or choose auto, software, cpu, or one by its number/,
    );
  });
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
