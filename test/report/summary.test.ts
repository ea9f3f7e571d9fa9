import { describe, expect, it } from "vitest";
import type { SortSummary } from "../../src/external/sort_file.js";
import { summaryText } from "../../src/report/summary.js";

const onGpu: SortSummary = {
  input: "keys.f32",
  output: "keys.sorted.f32",
  type: "f32",
  itemBytes: 4,
  bytes: 134_217_728,
  written: 33_554_432,
  descending: false,
  device: "Some GPU",
  algorithm: "bitonic",
  keyCount: 33_554_432,
  verified: true,
  phases: [
    { name: "start", ms: 250.4, bytes: 0 },
    { name: "prepare", ms: 12.34, bytes: 0 },
    { name: "read", ms: 40, bytes: 134_217_728 },
    { name: "upload", ms: 55.5, bytes: 134_217_728 },
    { name: "verify", ms: 1.5, bytes: 0 },
    { name: "sort", ms: 31, bytes: 0 },
    { name: "readback", ms: 30, bytes: 134_217_728 },
    { name: "write", ms: 90, bytes: 134_217_728 },
    { name: "publish", ms: 1234.5, bytes: 0 },
  ],
  gpuMs: 4.2,
  gpuClock: "timestamp queries",
  totalMs: 2000,
};

const onCpu: SortSummary = {
  ...onGpu,
  input: "standard input",
  output: "standard output",
  type: "u64",
  itemBytes: 8,
  bytes: 24,
  written: 3,
  keyCount: 3,
  descending: true,
  device: "CPU",
  algorithm: "TypedArray.prototype.sort",
  verified: false,
  phases: [
    { name: "start", ms: 0.5, bytes: 0 },
    { name: "read", ms: 0.001, bytes: 24 },
    { name: "sort", ms: 0.002, bytes: 0 },
    { name: "write", ms: 0, bytes: 24 },
    { name: "publish", ms: 0, bytes: 0 },
  ],
  gpuMs: undefined,
  gpuClock: undefined,
  totalMs: 1.25,
};

describe("the summary of a sort", () => {
  it("gives the time of a sort on a GPU by the GPU's clock", () => {
    expect(`\n${summaryText(onGpu)}`).toMatchInlineSnapshot(`
      "
      keys.f32 -> keys.sorted.f32: 33,554,432 f32 keys (134 MB), ascending
      bitonic on Some GPU, verified: in order, and the same keys
        phase        ms   GB/s
        start       250
        prepare    12.3
        read       40.0   3.36
        upload     55.5   2.42
        verify     1.50   89.5
        GPU sort   4.20   32.0
        readback   30.0   4.47
        write      90.0   1.49
        publish   1,235
        total     2,000  0.067
      GPU sort is timed by timestamp queries. Phases overlap; a phase's GB/s is the keys' bytes divided by its time.
      "
    `);
  });

  it("does not mention a GPU for a sort on the CPU", () => {
    expect(`\n${summaryText(onCpu)}`).toMatchInlineSnapshot(`
      "
      standard input -> standard output: 3 u64 keys (24 B), descending
      TypedArray.prototype.sort on CPU, not verified
        phase       ms    GB/s
        start    0.500
        read     0.001   0.024
        sort     0.002   0.012
        write        0
        publish      0
        total     1.25  <0.001
      Phases overlap; a phase's GB/s is the keys' bytes divided by its time.
      "
    `);
  });

  it("says if the sort was timed by the wall clock", () => {
    expect(summaryText({ ...onGpu, gpuClock: "wall clock" })).toContain(
      "GPU sort is timed by the wall clock: this adapter has no timestamp queries. ",
    );
  });

  it("gives the number of written items if not all were written, and the size of records", () => {
    const text = summaryText({ ...onCpu, type: "record", itemBytes: 100, written: 2 });
    expect(text).toContain(": 3 records of 100 bytes (24 B), descending, 2 written\n");
  });

  it("gives the runs, chunks and temporary files of a sort out of core", () => {
    const external = { runs: 40, chunkBytes: 102_400, temporaryBytes: 4e6, copiedBuckets: 0, buckets: 40 };
    expect(summaryText({ ...onGpu, external })).toContain(
      "\nout of core: 40 runs, chunks of 102 kB, 4.00 MB of temporary files\n",
    );
    expect(summaryText({ ...onGpu, external: { ...external, temporaryBytes: 0 } })).toContain(
      "\nout of core: 40 runs, chunks of 102 kB\n",
    );
  });
});
