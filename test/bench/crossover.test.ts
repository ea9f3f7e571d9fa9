import { describe, expect, it } from "vitest";
import { crossover } from "../../src/bench/crossover.js";
import type { BenchRow, Cell } from "../../src/bench/run.js";

/** Rows of two columns, in seconds, or why a cell has none. */
function rows(
  ...table: readonly [keyCount: number, gpu: number | string, typed: number | string][]
): BenchRow[] {
  const cell = (value: number | string): Cell =>
    typeof value === "string" ? { skipped: value } : { medianSeconds: value, minSeconds: value, runs: 1 };
  const skipped = { skipped: "not here" };
  return table.map(([keyCount, gpu, typed]) => ({
    keyCount,
    cells: { arraySort: skipped, typedArraySort: cell(typed), gpuSort: cell(gpu), gpuRoundTrip: skipped },
  }));
}

const from = (measured: BenchRow[]) => crossover(measured, "gpuSort", "typedArraySort");

describe("the crossover", () => {
  it("is the least size from which one column stays faster", () => {
    expect(from(rows([1, 9, 1], [2, 9, 2], [4, 3, 4], [8, 3, 8]))).toBe(4);
  });

  it("does not count a lead that is lost again", () => {
    expect(from(rows([1, 1, 2], [2, 9, 2], [4, 3, 4]))).toBe(4);
    expect(from(rows([1, 1, 2], [2, 1, 2], [4, 9, 4]))).toBeUndefined();
  });

  it("is the first size where the lead is there all along", () => {
    expect(from(rows([1, 1, 2], [2, 1, 2]))).toBe(1);
  });

  it("is no tie", () => {
    expect(from(rows([1, 2, 2]))).toBeUndefined();
    expect(from(rows([1, 2, 2], [2, 1, 2]))).toBe(2);
  });

  it("passes over sizes at which either was not measured", () => {
    expect(from(rows([1, 1, 2], [2, "over 10 s", 2], [4, 1, 2], [8, 1, "over 10 s"]))).toBe(1);
    expect(from(rows([1, "no adapter", 2]))).toBeUndefined();
    expect(from([])).toBeUndefined();
  });

  it("does not depend on the order of the rows", () => {
    expect(from(rows([1, 9, 1], [2, 9, 2], [4, 3, 4], [8, 3, 8]).reverse())).toBe(4);
  });
});
