import { describe, expect, it } from "vitest";
import type { ColumnKey, Contender } from "../../src/bench/contender.js";
import { type BenchRow, runBench } from "../../src/bench/run.js";
import { elementType } from "../../src/elements.js";
import { BenchTable, verdict } from "../../src/report/bench.js";

/** A machine whose every sort takes seconds as a function of the number of keys, by a clock of its own. */
async function measure(
  seconds: Record<ColumnKey, (keyCount: number) => number>,
  sizes: readonly number[],
  refuses: Partial<Record<ColumnKey, string>> = {},
): Promise<BenchRow[]> {
  let now = 0;
  const contenders = Object.entries(seconds).map(
    ([column, secondsOf]): Contender => ({
      name: column,
      column: column as ColumnKey,
      refuses: () => refuses[column as ColumnKey],
      start: async (keys) => ({
        run: async () => {
          now += secondsOf(keys.length) * 1000;
          return secondsOf(keys.length);
        },
        result: async () => keys.slice().sort(),
        end: () => {},
      }),
    }),
  );
  const rows: BenchRow[] = [];
  const plan = { type: elementType("u32"), sizes, contenders, runs: 3, budgetSeconds: 10, now: () => now };
  for await (const row of runBench(plan)) rows.push(row);
  return rows;
}

const usual: Record<ColumnKey, (keyCount: number) => number> = {
  arraySort: (n) => n / 100,
  typedArraySort: (n) => n / 10_000,
  gpuSort: (n) => 0.02 + n / 1_000_000,
  gpuRoundTrip: (n) => 0.15 + n / 1_000_000,
};

function render(rows: readonly BenchRow[], clock: "timestamp queries" | "wall clock"): string {
  const table = new BenchTable(clock);
  return table.head() + rows.map((row) => table.row(row)).join("") + table.foot();
}

describe("the benchmark's table", () => {
  it("is the seed's, with its ratios, and says where a column stopped", async () => {
    const rows = await measure(usual, [125, 250, 500, 1000, 2000, 4000]);
    expect(`\n${render(rows, "timestamp queries")}`).toMatchInlineSnapshot(`
      "
      ┌─────────────┬───────────────┬───────────────┬───────────────┬───────────────┬───────────┬───────────┐
      │    elements │         Array │    TypedArray │  GPU sort (s) │    GPU sort + │   Typed / │   Typed / │
      │             │    .prototype │    .prototype │               │  readback (s) │  GPU sort │  GPU sort │
      │             │     .sort (s) │     .sort (s) │               │               │           │         + │
      │             │               │               │               │               │           │  readback │
      ├─────────────┼───────────────┼───────────────┼───────────────┼───────────────┼───────────┼───────────┤
      │         125 │      1.250000 │      0.012500 │      0.020125 │      0.150125 │    0.621x │    0.083x │
      │         250 │      2.500000 │      0.025000 │      0.020250 │      0.150250 │     1.23x │    0.166x │
      │         500 │      5.000000 │      0.050000 │      0.020500 │      0.150500 │     2.44x │    0.332x │
      │       1,000 │     over 10 s │      0.100000 │      0.021000 │      0.151000 │     4.76x │    0.662x │
      │       2,000 │     over 10 s │      0.200000 │      0.022000 │      0.152000 │     9.09x │     1.32x │
      │       4,000 │     over 10 s │      0.400000 │      0.024000 │      0.154000 │     16.7x │     2.60x │
      └─────────────┴───────────────┴───────────────┴───────────────┴───────────────┴───────────┴───────────┘
      "
    `);
  });

  it("says which clock timed the GPU, and why a cell is empty", async () => {
    const none = { gpuSort: "no adapter", gpuRoundTrip: "too many" };
    const rows = await measure(usual, [128], none);
    expect(`\n${render(rows, "wall clock")}`).toMatchInlineSnapshot(`
      "
      ┌─────────────┬───────────────┬───────────────┬───────────────┬───────────────┬───────────┬───────────┐
      │    elements │         Array │    TypedArray │  GPU sort, by │    GPU sort + │   Typed / │   Typed / │
      │             │    .prototype │    .prototype │    wall clock │  readback (s) │  GPU sort │  GPU sort │
      │             │     .sort (s) │     .sort (s) │           (s) │               │           │         + │
      │             │               │               │               │               │           │  readback │
      ├─────────────┼───────────────┼───────────────┼───────────────┼───────────────┼───────────┼───────────┤
      │         128 │      1.280000 │      0.012800 │    no adapter │      too many │           │           │
      └─────────────┴───────────────┴───────────────┴───────────────┴───────────────┴───────────┴───────────┘
      "
    `);
  });

  it("has lines of one length, 103 characters with its frame, whatever the numbers", async () => {
    const slow = { ...usual, typedArraySort: () => 9999.123456, gpuSort: () => 0.000001 };
    const lines = render(await measure(slow, [4096, 2 ** 20]), "timestamp queries")
      .trimEnd()
      .split("\n");
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([103]));
  });
});

describe("the verdict", () => {
  it("says from where the GPU pays, alone and with the way there and back", async () => {
    const rows = await measure(usual, [128, 256, 512, 1024, 2048, 4096]);
    expect(verdict(rows, "Some GPU")).toBe(
      "On this machine Some GPU beats TypedArray.prototype.sort from 2^8 keys for the sort alone, " +
        "and from 2^11 keys with upload and readback.\n",
    );
  });

  it("says so where it pays at no measured size", async () => {
    const rows = await measure({ ...usual, gpuRoundTrip: () => 9 }, [128, 512]);
    expect(verdict(rows, "Some GPU")).toBe(
      "On this machine Some GPU beats TypedArray.prototype.sort from 2^9 keys for the sort alone, " +
        "and at no measured size with upload and readback.\n",
    );
  });
});
