import { describe, expect, it } from "vitest";
import { BufferUsage } from "../../../src/core/device/usage.js";
import { createSorter, prepareCompaction, prepareHistogram, prepareScan } from "../../../src/core/index.js";
import { nullSorter, refusal } from "../../support/refusal.js";

const { device, sorter, buffer } = await nullSorter();
const values = buffer(400);

const scan = (some: object) =>
  refusal(() => prepareScan(sorter, { type: "u32", capacity: 100, values, ...some }));
const compaction = (some: object) =>
  refusal(() => prepareCompaction(sorter, { capacity: 100, flags: values, ...some }));
const histogram = (some: object) =>
  refusal(() => prepareHistogram(sorter, { capacity: 100, keys: values, bins: 8, ...some }));

describe("a wrong description", () => {
  it("of a scan is refused", async () => {
    expect(await scan({ inclusive: true })).toMatch(/the description of a scan has no option 'inclusive'/);
    expect(await scan({ type: "i32" })).toMatch(/the type of a scan is "i32"; pass "u32" or "f32"/);
    expect(await scan({ capacity: -1 })).toMatch(/capacity is -1/);
    expect(await scan({ count: 101 })).toMatch(/count is 101; .*100, the capacity/);
    expect(await scan({ count: "gpu" })).toMatch(/count is "gpu", not a GPUBuffer/);
    expect(await scan({ values: undefined })).toMatch(/a scan needs values; pass a GPUBuffer/);
    expect(await scan({ values: buffer(396) })).toMatch(/values has 396 bytes from byte 0 on but needs 400/);
    expect(await scan({ values: buffer(400, BufferUsage.copySource) })).toMatch(/lacks the usage STORAGE/);
    expect(await scan({ output: values })).toMatch(/are in one buffer/);
    expect(await scan({ total: { buffer: buffer(16), offset: 6 } })).toMatch(/multiple of 4/);
    for (const name of ["total", "count"]) {
      const range = { buffer: buffer(16), offset: 4n };
      expect(await scan({ [name]: range })).toMatch(`the offset of ${name} is 4n; pass a number of bytes`);
    }
    expect(await scan({ total: { buffer: buffer(16), offset: 16 } })).toMatch(/total has 0 bytes/);
    const most = device.limits.maxBufferSize / 4;
    expect(await scan({ capacity: most, output: buffer(16) })).toMatch(/needs/);
  });

  it("of a compaction is refused", async () => {
    expect(await compaction({ values: buffer(600), payload: 6 })).toMatch(/payload of a compaction is 6/);
    expect(await compaction({ values: buffer(400), payload: null })).toMatch(
      /payload of a compaction is null/,
    );
    expect(await compaction({ payload: 4 })).toMatch(/has payload, but no values/);
    expect(await compaction({ output: buffer(400) })).toMatch(/has output, but no values/);
    expect(await compaction({ indices: false })).toMatch(/neither values nor indices/);
    expect(await compaction({ values: buffer(400), output: buffer(396) })).toMatch(/output has 396 bytes/);
    expect(await compaction({ values: buffer(400), indices: 1 })).toMatch(/indices is .*, not a GPUBuffer/);
    expect(await compaction({ capacity: 300, values, payload: 2 ** 20 })).toMatch(
      /this device cannot run the compaction/,
    );
    expect(await compaction({ capacity: 2 ** 27, count: 2 ** 27 })).toMatch(
      /the compaction needs 536870912 bytes/,
    );
  });

  it("of a histogram is refused", async () => {
    expect(await histogram({ bins: 0 })).toMatch(/bins is 0; pass bins, a whole number from 1/);
    expect(await histogram({ bins: undefined })).toMatch(/32 bits have 4294967296 bins/);
    expect(await histogram({ bits: { begin: 3, end: 33 } })).toMatch(/not a bit range of a u32 key/);
    expect(await histogram({ counts: buffer(28) })).toMatch(/counts has 28 bytes .* needs 32/);
  });

  it.each([undefined, {}, createSorter(device)])("of no sorter is refused", async (none) => {
    const own = none as never;
    const why = /the sorter of a \w+ is (undefined|Object|Promise); pass what await createSorter/;
    expect(await refusal(() => prepareScan(own, { type: "u32", capacity: 1, values }))).toMatch(why);
    expect(await refusal(() => prepareCompaction(own, { capacity: 1, flags: values }))).toMatch(why);
    expect(await refusal(() => prepareHistogram(own, { capacity: 1, keys: values, bins: 8 }))).toMatch(why);
  });

  it("of a sorter on the CPU is refused", async () => {
    const onCpu = await createSorter("cpu");
    expect(await refusal(() => prepareScan(onCpu, { type: "u32", capacity: 1, values }))).toMatch(
      /has no GPU buffers/,
    );
    onCpu.destroy();
  });
});
