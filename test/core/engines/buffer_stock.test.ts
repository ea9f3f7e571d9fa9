import { describe, expect, it } from "vitest";
import type { Gpu } from "../../../src/core/device/gpu.js";
import { BufferUsage } from "../../../src/core/device/usage.js";
import { BufferStock } from "../../../src/core/engines/buffer_stock.js";

/** A device that only counts the bytes of its buffers. */
function fakeGpu(maxBufferSize = 2 ** 30) {
  const alive = new Set<GPUBuffer>();
  const buffer = async (label: string, size: number, usage: number) => {
    const made = { label, size, usage, destroy: () => alive.delete(made) } as unknown as GPUBuffer;
    alive.add(made);
    return made;
  };
  return { gpu: { device: { limits: { maxBufferSize } }, buffer } as unknown as Gpu, alive };
}

describe("a stock of buffers", () => {
  it("lends a buffer again where it is long enough, and doubles it where it is not", async () => {
    const { gpu, alive } = fakeGpu();
    const stock = new BufferStock(gpu);
    const first = await stock.take("keys", { bytes: 1000 });
    expect(first.size).toBe(1000);
    expect(await stock.take("keys", { bytes: 16 })).toBe(first);
    const grown = await stock.take("keys", { bytes: 1004 });
    expect(grown.size).toBe(2000);
    expect(await stock.take("keys", { bytes: 2000 })).toBe(grown);
    expect((await stock.take("keys", { bytes: 8000 })).size).toBe(8000);
    expect(alive.size).toBe(1);
  });

  it("makes no buffer over the device's limit, nor one that is much longer than needed", async () => {
    const stock = new BufferStock(fakeGpu(1502).gpu);
    await stock.take("keys", { bytes: 1000 });
    expect((await stock.take("keys", { bytes: 1004 })).size).toBe(1500);
    const large = new BufferStock(fakeGpu().gpu);
    await large.take("keys", { bytes: 2 ** 28 });
    expect((await large.take("keys", { bytes: 2 ** 28 + 4 })).size).toBe(2 ** 28 + 4 + 2 ** 26);
  });

  it("gives buffers of parameters their usage, and frees what a plan does not need", async () => {
    const { gpu, alive } = fakeGpu();
    const stock = new BufferStock(gpu);
    const params = await stock.take("params", { bytes: 256, uniform: true });
    expect(params.usage & BufferUsage.uniform).not.toBe(0);
    await stock.take("keys", { bytes: 16 });
    stock.keepOnly({ buffers: { params: { bytes: 4 } }, passes: [], result: "params" });
    expect([...alive]).toEqual([params]);
    stock.destroy();
    expect(alive.size).toBe(0);
  });
});
