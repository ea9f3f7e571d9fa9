import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** What the fake machine has. */
const world = vi.hoisted(() => ({
  dawn: "loads" as "loads" | "does not load" | "fails",
  isGpu: false,
  asked: 0,
}));

vi.mock("../../src/dawn/gpu_files.js", () => ({ mayHaveGpu: () => true }));
vi.mock("../../src/dawn/vulkan_loader.js", () => ({ loadVulkanLoader: () => true }));
vi.mock("webgpu", () => ({
  get create() {
    world.asked++;
    if (world.dawn === "fails") throw new Error("Dawn failed\nin its own words");
    return () => ({
      requestAdapter: async () =>
        world.isGpu ? { ...adapter, info: { ...adapter.info, isFallbackAdapter: false } } : adapter,
    });
  },
}));

const adapter = {
  features: new Set(),
  limits: {},
  info: { device: "Acme 7", vendor: "acme", architecture: "", description: "", isFallbackAdapter: true },
  requestDevice: async () => {
    throw new Error("no memory");
  },
};

const { createSorter } = await import("../../src/dawn/create_sorter.js");

const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
beforeEach(() => {
  Object.assign(world, { dawn: "loads", isGpu: false, asked: 0 });
});
afterEach(() => warning.mockClear());

/** Expects a sorter on the CPU that works. */
async function expectOnCpu(sorter: Awaited<ReturnType<typeof createSorter>>): Promise<void> {
  expect(sorter.name).toBe("CPU");
  expect([...(await sorter.sort(new Int8Array([3, -1, 2])))]).toEqual([-1, 2, 3]);
  sorter.destroy();
}

describe("a sorter that no device was named for", () => {
  it("sorts on the CPU without a word where there is no GPU", async () => {
    await expectOnCpu(await createSorter());
    expect(world.asked).toBe(1);
    expect(warning).not.toHaveBeenCalled();
  });

  it("says why it sorts on the CPU where there is a GPU that does not open", async () => {
    world.isGpu = true;
    const failures: string[] = [];
    await expectOnCpu(await createSorter("auto", { onFailure: ({ message }) => failures.push(message) }));
    expect(failures).toEqual(["the adapter 'Acme 7' did not open a device: no memory"]);
  });

  it("refuses a listener that is no function", async () => {
    const listener = { onFailure: 5 as never };
    await expect(createSorter("cpu", listener)).rejects.toThrow("onFailure is 5");
  });

  it("leaves standard error alone, whoever listens", async () => {
    world.isGpu = true;
    await expectOnCpu(await createSorter());
    expect(warning).not.toHaveBeenCalled();
  });

  it("says why where Dawn fails, whatever it throws", async () => {
    world.dawn = "fails";
    const failures: string[] = [];
    await expectOnCpu(await createSorter("auto", { onFailure: ({ message }) => failures.push(message) }));
    expect(failures).toEqual(["Dawn failed"]);
  });
});
