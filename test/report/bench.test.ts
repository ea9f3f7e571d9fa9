import { describe, expect, it } from "vitest";
import { columnsOnCpu, columnsWithGpu, type Metric } from "../../src/bench/metric.js";
import type { BenchRow, Crossover } from "../../src/bench/schema.js";
import { parseTask, sortTask } from "../../src/bench/tasks.js";
import { elementType } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { benchNotes, csv, markdownTable, stopRuleText } from "../../src/report/bench.js";
import { axisColumns, parseBenchColumns } from "../../src/report/columns.js";
import { seedNote, seedTable } from "../../src/report/seed.js";
import { ColumnTable } from "../../src/report/table.js";
import { axesWith, benchFixture, cellOf, rowOf } from "../support/bench.js";

const axes = axesWith({ sizes: [125, 4000] });
const usual = parseBenchColumns(columnsWithGpu);
/** Narrower ones. */
const few = parseBenchColumns("typed,cpu,gpu,round-trip,cpu/gpu");

/** Measures contenders whose seconds are functions of the number of keys, with a clock of their own. */
async function measure(
  seconds: Partial<Record<Metric, (keyCount: number) => number>>,
  sizes: readonly number[],
  refuses: Partial<Record<Metric, string>> = {},
): Promise<BenchRow[]> {
  const { contender, all } = benchFixture();
  const contenders = Object.entries(seconds).map(([metric, secondsOf]) =>
    contender(metric as Metric, { seconds: secondsOf, refuses: () => refuses[metric as Metric] }),
  );
  return (await all(contenders, { sizes: [...sizes] })).rows;
}

const machine: Partial<Record<Metric, (keyCount: number) => number>> = {
  array: (n) => n / 100,
  typed: (n) => n / 10_000,
  cpu: (n) => n / 50_000,
  gpu: (n) => 0.02 + n / 1_000_000,
  "round-trip": (n) => 0.15 + n / 1_000_000,
};

function render(rows: readonly BenchRow[], columns = usual, maxWidth = 80, over = axes): string {
  const table = new ColumnTable(axisColumns(over), columns, maxWidth);
  return `\n${table.head()}${rows.map((row) => table.row(row)).join("")}${table.foot()}`;
}

const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe("the benchmark's table", () => {
  it("has the requested columns within 80 characters, and says why a cell was skipped", async () => {
    const rows = await measure(machine, [125, 250, 500, 1000, 2000, 4000]);
    expect(render(rows)).toMatchInlineSnapshot(`
      "
      ┌──────────┬──────────┬──────────┬──────────┬──────────┬──────────┬─────────┐
      │     keys │    Array │    Typed │ CPU sort │ GPU sort │      GPU │ array / │
      │          │    .sort │    Array │          │          │    round │   round │
      │          │          │    .sort │          │          │     trip │    trip │
      ├──────────┼──────────┼──────────┼──────────┼──────────┼──────────┼─────────┤
      │      125 │  1.25 s~ │  12.5 ms │  2.50 ms │  20.1 ms │   150 ms │   8.33x │
      │      250 │  2.50 s~ │  25.0 ms │  5.00 ms │  20.3 ms │   150 ms │   16.6x │
      │      500 │  5.00 s~ │  50.0 ms │  10.0 ms │  20.5 ms │   151 ms │   33.2x │
      │    1,000 │  10.0 s~ │   100 ms │  20.0 ms │  21.0 ms │   151 ms │   66.2x │
      │    2,000 │  20.0 s~ │   200 ms │  40.0 ms │  22.0 ms │   152 ms │    132x │
      │    4,000 │  over 30 │   400 ms │  80.0 ms │  24.0 ms │   154 ms │         │
      │          │        s │          │          │          │          │         │
      └──────────┴──────────┴──────────┴──────────┴──────────┴──────────┴─────────┘
      "
    `);
  });

  it("marks times that are imprecise or drifted, and leaves out a ratio if a time is missing", () => {
    const rows = [
      rowOf(1000, {
        typed: { skipped: "over 10 s" },
        cpu: cellOf(0.001, { warnings: ["wide"] }),
        gpu: cellOf(0.0000123, { warnings: ["wide", "clock"] }),
        "round-trip": { skipped: "too many" },
      }),
      rowOf(4_294_967_295, { typed: { skipped: "too many" }, cpu: cellOf(123), gpu: cellOf(0.999) }),
    ];
    expect(render(rows, few, 80, { ...axes, sizes: [1000, 4_294_967_295] })).toMatchInlineSnapshot(`
      "
      ┌───────────────┬──────────┬──────────┬──────────┬──────────┬─────────┐
      │          keys │    Typed │ CPU sort │ GPU sort │      GPU │   cpu / │
      │               │    Array │          │          │    round │     gpu │
      │               │    .sort │          │          │     trip │         │
      ├───────────────┼──────────┼──────────┼──────────┼──────────┼─────────┤
      │         1,000 │  over 10 │ 1.00 ms~ │ 12.3 µs* │ too many │   81.3x │
      │               │        s │          │          │          │         │
      │ 4,294,967,295 │ too many │    123 s │   999 ms │          │    123x │
      └───────────────┴──────────┴──────────┴──────────┴──────────┴─────────┘
      "
    `);
  });

  it("stacks its columns on several levels if it is wider than the terminal", () => {
    const columns = parseBenchColumns(
      "typed,gpu,round-trip,upload,readback,gpu.min,gpu.error,gpu.runs,gkeys,gbs,copy,typed/gpu",
    );
    const cells = {
      typed: cellOf(0.01),
      gpu: cellOf(0.001),
      "round-trip": cellOf(0.004),
      upload: cellOf(0.001),
      readback: cellOf(0.002),
    };
    const text = render([rowOf(1_000_000, cells), rowOf(2_000_000, cells)], columns, 80, {
      ...axes,
      sizes: [2_000_000],
    });
    expect(text).toMatchInlineSnapshot(`
      "
      ┌───────────┬──────────┬──────────┬──────────┬──────────┬──────────┬──────────┐
      │      keys │    Typed │ GPU sort │      GPU │   upload │ readback │ GPU sort │
      │           │    Array │          │    round │          │          │    least │
      │           │    .sort │          │     trip │          │          │          │
      │           │      GPU │      GPU │  Gkeys/s │     GB/s │  of copy │  typed / │
      │           │     sort │     sort │          │          │          │      gpu │
      │           │    error │     runs │          │          │          │          │
      ├───────────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤
      │ 1,000,000 │  10.0 ms │  1.00 ms │  4.00 ms │  1.00 ms │  2.00 ms │   900 µs │
      │           │    ±1.0% │       60 │     1.00 │     8.00 │     0.2% │    10.0x │
      ├───────────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤
      │ 2,000,000 │  10.0 ms │  1.00 ms │  4.00 ms │  1.00 ms │  2.00 ms │   900 µs │
      │           │    ±1.0% │       60 │     2.00 │     16.0 │     0.4% │    10.0x │
      └───────────┴──────────┴──────────┴──────────┴──────────┴──────────┴──────────┘
      "
    `);
    expect(widest(text)).toBeLessThanOrEqual(80);
  });

  it("begins with the axes that have several values", () => {
    const several = axesWith({
      tasks: [sortTask, parseTask("segments:64")],
      types: [elementType("u32"), elementType("f64")],
      distributions: ["uniform", "entropy-0.544"],
      algorithms: ["radix", "bitonic"],
    });
    const rows = [
      rowOf(
        1000,
        { gpu: cellOf(1) },
        { task: "segments:64", type: "f64", distribution: "entropy-0.544", algorithm: "bitonic" },
      ),
    ];
    expect(render(rows, parseBenchColumns("gpu,gkeys"), 80, several)).toMatchInlineSnapshot(`
      "
      ┌─────────────┬──────┬───────────────┬───────────┬──────────┬──────────┐
      │ task        │ type │ keys are      │ algorithm │     keys │ GPU sort │
      │             │      │               │           │          │  Gkeys/s │
      ├─────────────┼──────┼───────────────┼───────────┼──────────┼──────────┤
      │ segments:64 │ f64  │ entropy-0.544 │ bitonic   │    1,000 │   1.00 s │
      │             │      │               │           │          │   <0.001 │
      └─────────────┴──────┴───────────────┴───────────┴──────────┴──────────┘
      "
    `);
  });

  it.each([columnsWithGpu, columnsOnCpu])(
    "has one level within 80 characters with the columns %s",
    (names) => {
      const most = { ...axes, sizes: [2 ** 25] };
      const text = render([rowOf(2 ** 25, {})], parseBenchColumns(names), 80, most);
      expect(widest(text)).toBeLessThanOrEqual(80);
      expect(text).toBe(render([rowOf(2 ** 25, {})], parseBenchColumns(names), 1000, most));
    },
  );

  it("is at most as wide as it may be if its columns allow it", async () => {
    const rows = await measure(machine, [4096, 2 ** 20]);
    for (const maxWidth of [20, 40, 60, 80, 100, 200]) {
      const text = render(rows, usual, maxWidth);
      expect(widest(text), text).toBeLessThanOrEqual(Math.max(maxWidth, 1 + 11 + 11));
      const lengths = text
        .trim()
        .split("\n")
        .map(({ length }) => length);
      expect(new Set(lengths).size, text).toBe(1);
    }
  });
});

describe("a column", () => {
  const row = rowOf(10 ** 9, {
    typed: cellOf(20),
    cpu: cellOf(1),
    gpu: cellOf(0.5, { minSeconds: 0.4, relativeError: 0.0123, runs: 1234 }),
  });
  const text = (name: string) => parseBenchColumns(name)[0]!.text(row);

  it.each([
    ["gpu", "500 ms"],
    ["gpu.min", "400 ms"],
    ["gpu.error", "±1.2%"],
    ["gpu.runs", "1,234"],
    ["gkeys", "2.00"],
    ["gpu.gkeys", "2.00"],
    ["typed.gkeys", "0.050"],
    ["gbs", "16.0"], // 10^9 keys of 4 bytes, read and written, in half a second
    ["copy", "0.4%"], // of 4 TB/s
    ["typed/gpu", "40.0x"],
    ["gpu/typed", "0.025x"],
    ["upload", ""],
    ["upload.gbs", ""],
    ["typed/upload", ""],
    ["cpu", "1.00 s"],
    ["cpu.gkeys", "1.00"],
    ["cpu/gpu", "2.00x"],
    ["typed/cpu", "20.0x"],
  ])("named %s shows '%s'", (name, expected) => {
    expect(text(name)).toBe(expected);
  });

  it("counts the bytes of values along with those of keys", () => {
    const withValues = rowOf(10 ** 9, { gpu: cellOf(0.5) }, { payloadBytes: 12 });
    expect(parseBenchColumns("gbs")[0]!.text(withValues)).toBe("64.0");
  });

  it("counts only the keys that the task must write", () => {
    const gbs = (task: string) =>
      parseBenchColumns("gbs")[0]!.text(rowOf(10 ** 9, { gpu: cellOf(0.5) }, { task }));
    expect(gbs("segments:64")).toBe("16.0");
    expect(gbs("top:500000000")).toBe("12.0");
    expect(gbs("unique")).toBe("8.00");
  });

  it("shows an unknown error as a question mark", () => {
    const few = rowOf(5, { gpu: cellOf(1, { relativeError: null }) });
    expect(parseBenchColumns("gpu.error")[0]!.text(few)).toBe("?");
  });

  it.each([
    "",
    "cqu",
    "gpu.",
    "gpu.max",
    "gpu/",
    "gpu/typed/gpu",
    "gkeys.min",
    "gpu,cqu",
    "constructor",
    "gpu.toString",
  ])("named '%s' is refused, and the hint lists the columns", (names) => {
    expect(() => parseBenchColumns(names)).toThrow(InputError);
    expect(() => parseBenchColumns(names)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("round-trip, upload, readback") }),
    );
  });
});

describe("the text around the table", () => {
  it("explains the stop rule before the table", () => {
    expect(`\n${stopRuleText({ relativeError: 0.02, budgetSeconds: 1500 })}`).toMatchInlineSnapshot(`
      "
      A time is the median of rounds. Every round measures all columns in turn.
      A cell is done after at least 24 rounds, when the 95% confidence interval of its
      median is within ±2.0%, or when its part of the time is spent: the whole table
      has 1,500 s (--budget). Every cell's last result is checked.
      "
    `);
  });

  it("explains the marks and gives the copy's rate and the crossovers after the table", () => {
    const series = { task: "sort", type: "u32", distribution: "uniform", payloadBytes: 0, algorithm: "auto" };
    const crossovers: Crossover[] = [
      { ...series, way: "gpu", against: "cpu", from: { kind: "always", keyCount: 512 } },
      { ...series, way: "gpu", against: "typed", from: { kind: "always", keyCount: 512 } },
      {
        ...series,
        way: "round-trip",
        against: "cpu",
        from: { kind: "between", keyCount: 123_456, low: 120_000, high: 127_000 },
      },
      {
        ...series,
        way: "round-trip",
        against: "typed",
        from: { kind: "between", keyCount: 7512, low: 7400, high: 7600 },
      },
      { ...series, algorithm: "bitonic", way: "gpu", against: "cpu", from: { kind: "never" } },
      { ...series, algorithm: "bitonic", way: "gpu", against: "typed", from: { kind: "never" } },
      { ...series, algorithm: "bitonic", way: "round-trip", against: "typed", from: { kind: "never" } },
      { ...series, task: "top:9", way: "gpu", against: "typed", from: { kind: "never" } },
    ];
    const rows = [
      rowOf(1, { gpu: cellOf(1, { warnings: ["wide"] }) }, { copyBytesPerSecond: 3.9e12 }),
      rowOf(1, { gpu: cellOf(1, { warnings: ["clock"] }) }),
    ];
    expect(`\n${benchNotes(rows, crossovers, "Some GPU")}`).toMatchInlineSnapshot(`
      "
      ~ the error of the median is over the bound, or unknown because there were too few rounds
      * the machine's own speed moved by more than 5% during the measurement
      The copy kernel reads and writes 4.00 TB/s at best.
      sort, auto: Some GPU beats gpusort on the CPU at every measured size, from 2^9 keys, for the sort alone. It always beats TypedArray.prototype.sort.
      sort, auto: Some GPU beats gpusort on the CPU from about 123,000 keys (120,000 to 127,000), with upload and readback. It beats TypedArray.prototype.sort from about 7,510.
      sort, bitonic: Some GPU does not beat gpusort on the CPU at the largest measured size, for the sort alone. It does not beat TypedArray.prototype.sort.
      sort, bitonic: Some GPU does not beat TypedArray.prototype.sort at the largest measured size, with upload and readback.
      top:9, auto: Some GPU does not beat TypedArray.prototype.sort at the largest measured size, for the sort alone.
      "
    `);
    expect(benchNotes([rowOf(1, {}, { copyBytesPerSecond: null })], [], "CPU")).toBe("");
    const both = { gpu: cellOf(1, { warnings: ["wide", "drift"] }) };
    expect(benchNotes([rowOf(1, both, { copyBytesPerSecond: null })], [], "CPU")).toBe(
      "* the times moved by more than 5% during the measurement\n",
    );
    const skipped = { array: { skipped: "over 10 s" }, gpu: { skipped: "too many" } };
    expect(benchNotes([rowOf(1, skipped, { copyBytesPerSecond: null })], [], "CPU")).toBe(
      "over … s: a single sort would take longer, for which the time does not suffice (--budget)\n",
    );
  });
});

describe("the exports", () => {
  const rows = [
    rowOf(1024, { typed: cellOf(0.5), gpu: { skipped: 'too "many", or so' } }),
    rowOf(
      2048,
      { gpu: cellOf(0.25, { warnings: ["wide", "drift"], relativeError: null }) },
      { purpose: "crossover" },
    ),
  ];

  it("include a Markdown table", () => {
    expect(
      `\n${markdownTable(rows, [...axisColumns(axes), ...parseBenchColumns("typed,gpu,typed/gpu")])}`,
    ).toMatchInlineSnapshot(`
      "
      | keys | Typed Array .sort | GPU sort | typed / gpu |
      | ---: | ---: | ---: | ---: |
      | 1,024 | 500 ms | too "many", or so |  |
      | 2,048 |  | 250 ms* |  |
      "
    `);
  });

  it("include CSV with one line per cell", () => {
    expect(`\n${csv(rows).replaceAll("\r\n", "\n")}`).toMatchInlineSnapshot(`
      "
      task,type,distribution,payload_bytes,algorithm,keys,purpose,way,median_s,low_s,high_s,min_s,max_s,relative_error,runs,rounds,stop,warnings,reference_s,copy_bytes_per_s,skipped
      sort,u32,uniform,0,auto,1024,grid,typed,0.5,0.495,0.505,0.45,0.6,0.01,60,12,error,,0.001,4000000000000,
      sort,u32,uniform,0,auto,1024,grid,gpu,,,,,,,,,,,,,"too ""many"", or so"
      sort,u32,uniform,0,auto,2048,crossover,gpu,0.25,0.2475,0.2525,0.225,0.3,,60,12,error,wide drift,0.001,4000000000000,
      "
    `);
    expect(csv(rows).split("\r\n")).toHaveLength(1 + 3 + 1);
  });
});

describe("the tutorial's table", () => {
  it("shows its times beside this machine's, for the sizes that both have", () => {
    const cells = { typed: cellOf(0.00003), gpu: cellOf(0.00002), "round-trip": { skipped: "too many" } };
    const text = seedTable(
      [rowOf(512, cells), rowOf(600, cells), rowOf(524_288, cells), rowOf(1024, cells, { task: "unique" })],
      80,
    );
    expect(`\n${text}`).toMatchInlineSnapshot(`
      "
      ┌────────────┬──────────┬──────────┬──────────┬──────────┬──────────┬──────────┐
      │       keys │ 850M CPU │    Typed │     850M │ GPU sort │     850M │      GPU │
      │            │          │    Array │    "GPU" │          │ readback │    round │
      │            │          │          │          │          │          │     trip │
      ├────────────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤
      │        512 │  20.0 µs │  30.0 µs │  3.00 µs │  20.0 µs │   186 µs │ too many │
      │    524,288 │  48.6 ms │  30.0 µs │  30.0 µs │  20.0 µs │  15.7 ms │ too many │
      └────────────┴──────────┴──────────┴──────────┴──────────┴──────────┴──────────┘
      "
    `);
    expect(seedNote).toContain("times only the submission and not the sort");
  });
});
