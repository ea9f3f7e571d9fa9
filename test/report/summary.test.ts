import { describe, expect, it } from "vitest";
import { phasesText } from "../../src/report/phases.js";
import { summaryText } from "../../src/report/summary.js";
import type { SortSummary } from "../../src/sort/sort_file.js";

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

const external = { runs: 40, chunkBytes: 102_400, temporaryBytes: 4e6, copiedBuckets: 0, buckets: 40 };

describe("the summary of a sort", () => {
  it("is two lines: what was sorted, and how", () => {
    expect(`\n${summaryText(onGpu)}`).toMatchInlineSnapshot(`
      "
      keys.f32 -> keys.sorted.f32: 33,554,432 f32 keys (134 MB), ascending
      bitonic on Some GPU, verified, 2.00 s, 16.8 M keys/s
      "
    `);
    expect(`\n${summaryText(onCpu)}`).toMatchInlineSnapshot(`
      "
      standard input -> standard output: 3 u64 keys (24 B), descending
      TypedArray.prototype.sort on CPU, not verified, 1.25 ms, 2.40 k keys/s
      "
    `);
  });

  it("has no rate if there were no keys", () => {
    const text = summaryText({ ...onCpu, keyCount: 0, written: 0, bytes: 0 });
    expect(text).toMatch(/ on CPU, not verified, 1\.25 ms\n$/);
  });

  it("gives the number of written items if not all were written, and the size of records", () => {
    const text = summaryText({ ...onCpu, type: "record", itemBytes: 100, written: 2 });
    expect(text).toContain(": 3 records of 100 bytes (24 B), descending, 2 written\n");
    expect(text).toMatch(/ k records\/s\n$/);
  });

  it.each([
    ["u64", "1 u64 key (8 B)"],
    ["line", "1 line (8 B)"],
    ["record", "1 record of 8 bytes (8 B)"],
  ])("counts one item as one: %s", (type, text) => {
    const one = { ...onCpu, type, keyCount: 1, written: 1, bytes: 8 } as SortSummary;
    expect(summaryText(one)).toContain(`: ${text}, descending\n`);
  });

  it("says if the sort was out of core", () => {
    expect(summaryText({ ...onGpu, external })).toContain("Some GPU, out of core, verified, ");
    const [, line] = summaryText({ ...onCpu, external, verified: true }).split("\n");
    expect(line!.length).toBeLessThanOrEqual(80);
  });

  it("shortens the device's name, so that the second line fits", () => {
    const device = "llvmpipe (LLVM 15.0.6, 256 bits), llvmpipe: Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6) 0.0.1";
    const [, line] = summaryText({ ...onGpu, device }, 80).split("\n");
    expect(line).toMatch(/^bitonic on llvmpipe .*…\S* ?.*, verified, /);
    expect(line).toHaveLength(80);
    expect(summaryText({ ...onGpu, device })).toContain(device);
  });
});

describe("the phases of a sort", () => {
  const process = { loadMs: 90, closeMs: 1 };

  /** A summary in which each phase begins when the one before it ends. */
  function inTurn(summary: SortSummary): SortSummary {
    let at = process.loadMs;
    const phases = summary.phases.map((phase) => {
      const intervals = [[at, at + phase.ms] as const];
      at += phase.ms;
      return { ...phase, intervals };
    });
    return { ...summary, phases };
  }

  it("have rates only where something was moved in some time", () => {
    expect(`\n${phasesText(inTurn(onCpu), process)}`).toMatchInlineSnapshot(`
      "
        phase           ms  GB/s
        load          90.0
        start        0.500
        read         0.001
        sort         0.002
        write            0
        publish          0
        close         1.00
        in no phase  0.747
        total         92.3
      Phases overlap; a phase's GB/s is the bytes of its keys divided by its time.
      The total begins with the process. What its end takes, it cannot tell.
      "
    `);
    expect(phasesText({ ...onGpu, bytes: 0, gpuMs: 0 }, process)).toMatch(/GPU sort +0\n/);
    expect(phasesText({ ...onGpu, bytes: 0, gpuMs: 0 }, process)).not.toMatch(/Infinity|NaN|<| 0\.0+$/m);
  });

  it("give the time of a sort on a GPU by the GPU's clock", () => {
    expect(`\n${phasesText(inTurn(onGpu), process)}`).toMatchInlineSnapshot(`
      "
        phase           ms   GB/s
        load          90.0
        start          250
        prepare       12.3
        read          40.0   3.36
        upload        55.5   2.42
        verify        1.50   89.5
        GPU sort      4.20   32.0
        readback      30.0   4.47
        write         90.0   1.49
        publish      1,235
        close         1.00
        in no phase    255
        total        2,091  0.064
      GPU sort is timed by timestamp queries.
      Phases overlap; a phase's GB/s is the bytes of its keys divided by its time.
      The total begins with the process. What its end takes, it cannot tell.
      "
    `);
  });

  it("add up to the time of the process, and count what overlaps once", () => {
    const [a, b, c] = [
      [100, 400],
      [300, 600],
      [700, 900],
    ] as const;
    const phases = [
      { name: "read" as const, ms: 300, bytes: 0, intervals: [a] },
      { name: "write" as const, ms: 500, bytes: 0, intervals: [b, c] },
    ];
    const text = phasesText({ ...onGpu, phases, totalMs: 1000 }, { loadMs: 50, closeMs: 25 });
    expect(text).toMatch(/^ {2}load +50\.0$/m);
    expect(text).toMatch(/^ {2}close +25\.0$/m);
    expect(text).toMatch(/^ {2}in no phase +300$/m);
    expect(text).toMatch(/^ {2}total +1,075 /m);
  });

  it("move only what is written, where they have the output", () => {
    const text = phasesText(inTurn({ ...onGpu, written: 100 }), process);
    expect(text).toMatch(/^ {2}readback +30\.0$/m);
    expect(text).toMatch(/^ {2}read +40\.0 +3\.36$/m);
  });

  it("say if the sort was timed by the wall clock", () => {
    expect(phasesText({ ...onGpu, gpuClock: "wall clock" }, process)).toContain(
      "GPU sort is timed by the wall clock: this adapter has no timestamp queries.\n",
    );
  });

  it("come after the runs, chunks and temporary files of a sort out of core", () => {
    expect(phasesText({ ...onGpu, external }, process)).toMatch(
      /^out of core: 40 runs, chunks of 102 kB, 4\.00 MB of temporary files\n/,
    );
    expect(phasesText({ ...onGpu, external: { ...external, temporaryBytes: 0 } }, process)).toMatch(
      /^out of core: 40 runs, chunks of 102 kB\n/,
    );
  });

  it("fit in 80 columns", () => {
    for (const line of phasesText(inTurn(onGpu), process).split("\n"))
      expect(line.length).toBeLessThanOrEqual(80);
  });
});
