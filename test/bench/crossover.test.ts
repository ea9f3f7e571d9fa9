import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lead, sizeToTry } from "../../src/bench/crossover.js";
import type { BenchRow } from "../../src/bench/row.js";
import { cellOf, laboratory, rowOf } from "../support/bench.js";

/** Rows of two ways, in seconds, or why a cell has none. */
function rows(
  ...table: readonly [keyCount: number, gpu: number | string, typed: number | string][]
): BenchRow[] {
  const cell = (value: number | string) => (typeof value === "string" ? { skipped: value } : cellOf(value));
  return table.map(([keyCount, gpu, typed]) => rowOf(keyCount, { typed: cell(typed), gpu: cell(gpu) }));
}

const from = (measured: BenchRow[]) => lead(measured, "gpu", "typed");
const next = (measured: BenchRow[]) => sizeToTry(measured, from(measured), "gpu", "typed");
const between = (low: number, high: number) => ({
  kind: "between",
  low,
  high,
  keyCount: Math.round(Math.sqrt(low * high)),
});

describe("the lead", () => {
  it("lies between the last size at which one way loses and the first from which it stays faster", () => {
    expect(from(rows([1, 9, 1], [2, 9, 2], [4, 3, 4], [8, 3, 8]))).toEqual(between(2, 4));
  });

  it("does not count where it is lost again", () => {
    expect(from(rows([1, 1, 2], [2, 9, 2], [4, 3, 4]))).toEqual(between(2, 4));
    expect(from(rows([1, 1, 2], [2, 1, 2], [4, 9, 4]))).toEqual({ kind: "never" });
  });

  it("is there always where it is at every size", () => {
    expect(from(rows([1, 1, 2], [2, 1, 2]))).toEqual({ kind: "always", keyCount: 1 });
  });

  it("is no tie", () => {
    expect(from(rows([1, 2, 2]))).toEqual({ kind: "never" });
    expect(from(rows([1, 2, 2], [2, 1, 2]))).toEqual(between(1, 2));
  });

  it("passes over sizes at which either was not measured", () => {
    expect(from(rows([1, 1, 2], [2, "over 10 s", 2], [4, 1, 2]))).toEqual({ kind: "always", keyCount: 1 });
    expect(from(rows([1, "no adapter", 2]))).toEqual({ kind: "never" });
    expect(from([])).toEqual({ kind: "never" });
  });

  it("does not depend on the order of the rows", () => {
    expect(from(rows([1, 9, 1], [2, 9, 2], [4, 3, 4], [8, 3, 8]).reverse())).toEqual(between(2, 4));
  });
});

describe("the size to try next", () => {
  it("is half way in the logarithm", () => {
    expect(next(rows([1000, 9, 1], [4000, 3, 4]))).toBe(2000);
  });

  it("is none where the two sizes are within 2%, or where there is no crossover", () => {
    expect(next(rows([1000, 9, 1], [1020, 3, 4]))).toBeUndefined();
    expect(next(rows([1000, 9, 1], [1021, 3, 4]))).toBe(1010);
    expect(next(rows([1000, 1, 9]))).toBeUndefined();
    expect(next(rows([1, 9, 1], [2, 3, 4]))).toBeUndefined();
  });

  it("is none where the intervals of a size that was tried overlap", () => {
    const tried = (gpu: number) => ({ ...rows([2000, gpu, 1])[0]!, purpose: "crossover" as const });
    const ends = rows([1000, 9, 1], [4000, 3, 4]);
    expect(next([...ends, tried(1.01)])).toBeUndefined();
    expect(next([...ends, tried(1.2)])).toBe(2828);
  });
});

describe("the benchmark's crossover", () => {
  it("is where the times meet, found to within 2% from sizes far apart, whatever the machine", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1100, max: 60_000 }), async (meeting) => {
        const { contender, all } = laboratory();
        // The CPU takes 1 us a key; the GPU a fixed time and a hundredth of that.
        const typed = contender("typed", { seconds: (n) => n / 1e6 });
        const gpu = contender("gpu", { algorithm: "auto", seconds: (n) => (0.99 * meeting + n / 100) / 1e6 });
        const { crossovers, rows } = await all([typed, gpu], {
          sizes: [1000, 8000, 64_000],
          crossovers: ["gpu"],
        });
        const [{ from: found }] = crossovers as [(typeof crossovers)[number]];
        expect(found.kind).toBe("between");
        if (found.kind !== "between") return;
        expect(found.low).toBeLessThanOrEqual(meeting);
        expect(found.high).toBeGreaterThanOrEqual(meeting);
        expect(found.keyCount / meeting).toBeGreaterThan(0.98);
        expect(found.keyCount / meeting).toBeLessThan(1.02);
        expect(rows.filter(({ purpose }) => purpose === "crossover").length).toBeLessThanOrEqual(9);
      }),
      { numRuns: 25 },
    );
  });

  it("measures nothing more where there is none", async () => {
    const { contender, all } = laboratory();
    const both = [
      contender("typed", { seconds: () => 1 }),
      contender("gpu", { algorithm: "auto", seconds: () => 2 }),
    ];
    const { rows, crossovers } = await all(both, { sizes: [10, 1000], crossovers: ["gpu"] });
    expect(rows).toHaveLength(2);
    expect(crossovers).toEqual([
      {
        type: "u32",
        distribution: "uniform",
        payloadBytes: 0,
        algorithm: "auto",
        way: "gpu",
        from: { kind: "never" },
      },
    ]);
  });
});
