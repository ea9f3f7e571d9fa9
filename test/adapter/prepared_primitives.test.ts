import { afterAll, expect, it } from "vitest";
import { BufferUsage } from "../../src/core/device/usage.js";
import {
  createSorter,
  prepareCompaction,
  prepareHistogram,
  prepareScan,
  type SuppliedRange,
} from "../../src/index.js";
import { deviceBuffers } from "../support/device_buffers.js";
import { flagsOf, valuesOf } from "../support/primitive_cases.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`prepared scans, compactions and histograms on ${selector}`, async ({ gpu: { device } }) => {
  const sorter = await createSorter(device);
  const { upload, download, submit } = deviceBuffers(device);
  afterAll(() => sorter.destroy());

  const wordsAt = async (buffer: GPUBuffer, offset: number, length: number) =>
    new Uint32Array(await download({ buffer, offset, bytes: 4 * length }));
  const at = (buffer: GPUBuffer, offset: number): SuppliedRange => ({ buffer, offset });

  it("compact what a shader has flagged, and sort it, in one pass and without a readback", async () => {
    const capacity = 30_011;
    const depths = new Float32Array(valuesOf("f32", capacity).buffer as ArrayBuffer);
    const flags = upload(new Uint32Array(capacity));
    const drawArguments = device.createBuffer({
      size: 16,
      usage:
        BufferUsage.storage | BufferUsage.indirect | BufferUsage.copySource | BufferUsage.copyDestination,
    });
    device.queue.writeBuffer(drawArguments, 0, Uint32Array.of(6, 77, 5, 9));
    using visible = await prepareCompaction(sorter, {
      ...{ capacity, flags, values: upload(depths), indices: true },
      total: at(drawArguments, 4),
    });
    expect(visible.total).toEqual({ buffer: drawArguments, offset: 4, bytes: 4 });
    using backToFront = await sorter.prepare({
      ...{ type: "f32", capacity, descending: true, count: visible.total },
      ...{ keys: visible.values!, payload: 4, values: visible.indices! },
    });
    for (const share of [0.3, 0, 1]) {
      const some = flagsOf(capacity, share);
      device.queue.writeBuffer(flags, 0, some);
      submit((encoder) => {
        const pass = encoder.beginComputePass();
        visible.encode(pass);
        backToFront.encode(pass);
        pass.end();
      });
      const kept = [...some.entries()].flatMap(([i, flag]) => (flag === 0 ? [] : [i]));
      const expected = kept.sort((a, b) => depths[b]! - depths[a]! || a - b);
      expect(await wordsAt(drawArguments, 0, 4)).toEqual(Uint32Array.of(6, kept.length, 5, 9));
      const { buffer, offset } = backToFront.values!;
      expect(await wordsAt(buffer, offset, kept.length)).toEqual(Uint32Array.from(expected));
    }
  });

  it("scan the counts of bins, which says where each bin begins", async () => {
    const keys = valuesOf("u32", 5000);
    using histogram = await prepareHistogram(sorter, {
      ...{ capacity: 5000, keys: upload(keys as Uint32Array<ArrayBuffer>), bits: { begin: 22, end: 32 } },
    });
    expect(histogram.counts.bytes).toBe(4096);
    using scan = await prepareScan(sorter, { type: "u32", capacity: 1024, values: histogram.counts });
    submit((encoder) => {
      histogram.encode(encoder);
      scan.encode(encoder);
    });
    const sorted = [...keys].map((key) => key >>> 22).sort((a, b) => a - b);
    const begins = Uint32Array.from({ length: 1024 }, (_, bin) => sorted.filter((one) => one < bin).length);
    expect(await wordsAt(scan.values.buffer, scan.values.offset, 1024)).toEqual(begins);
    expect(await wordsAt(scan.total.buffer, scan.total.offset, 1)).toEqual(Uint32Array.of(5000));
  });

  it("take ranges of buffers and counts of the device, and leave what follows them", async () => {
    const values = upload(
      Uint32Array.from({ length: 100 }, (_, i) => i + 1),
      400,
      512,
    );
    const count = upload(Uint32Array.of(7, 8, 10), 12, 256);
    const output = upload(new Uint32Array(101).fill(9), 404, 256);
    const description = {
      type: "u32",
      capacity: 100,
      count: at(count, 264),
      values: at(values, 512),
      output: at(output, 256),
    } as const;
    // A word that is read and a word that is written are in two buffers.
    const shared = prepareScan(sorter, { ...description, total: at(count, 260) });
    await expect(shared).rejects.toThrow(
      /count and total are in one buffer|total and count are in one buffer/,
    );
    using scan = await prepareScan(sorter, description);
    submit((encoder) => scan.encode(encoder));
    const expected = new Uint32Array(101).fill(9);
    expected.set([0, 1, 3, 6, 10, 15, 21, 28, 36, 45]);
    expect(await wordsAt(output, 256, 101)).toEqual(expected);
    expect(await wordsAt(scan.total.buffer, scan.total.offset, 1)).toEqual(Uint32Array.of(55));
    expect(await wordsAt(values, 512, 3)).toEqual(Uint32Array.of(1, 2, 3));
  });

  it("keep infinities and NaNs from the sums before them", async () => {
    const values = Float32Array.of(1, 2, Number.NaN, 3, Number.POSITIVE_INFINITY);
    const many = new Float32Array(6000).fill(1);
    many.set(values, 5000);
    using scan = await prepareScan(sorter, { type: "f32", capacity: 6000, values: upload(many) });
    submit((encoder) => scan.encode(encoder));
    const sums = new Float32Array(await download(scan.values));
    expect(sums.slice(0, 5003).every((sum, i) => sum === (i < 5002 ? i : 5003))).toBe(true);
  });

  it("end with their sorter", async () => {
    const own = await createSorter(device);
    const keys = upload(new Uint32Array(10));
    const histogram = await prepareHistogram(own, { capacity: 10, keys, bins: 3 });
    own.destroy();
    expect(() => submit((encoder) => histogram.encode(encoder))).toThrow(
      /this prepared histogram was destroyed/,
    );
    await expect(prepareHistogram(own, { capacity: 10, keys, bins: 3 })).rejects.toThrow(/was destroyed/);
  });
});
