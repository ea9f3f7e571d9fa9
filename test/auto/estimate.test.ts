import { describe, expect, it } from "vitest";
import { estimate, estimateRows, type RowsToSort } from "../../src/auto/estimate.js";

const table = (keys: number): RowsToSort => ({ bytes: 749e6, rowBytes: 37.5, kind: "lines", keys });
const wide = (keys: number): RowsToSort => ({ bytes: 383e6, rowBytes: 76.6, kind: "lines", keys });
const csv = (keys: number): RowsToSort => ({ bytes: 746e6, rowBytes: 37.3, kind: "csv", keys });

/**
 * Seconds of whole processes with 16 threads, as BENCHMARKS.md has them, and of 5 million rows
 * docs/notes/rows.md: on the CPU, and on an H200.
 */
const measured: [string, RowsToSort, number, number][] = [
  ["20 million whole lines", table(0), 0.86, 0.97],
  ["20 million rows by a number", table(1), 1.13, 0.9],
  ["20 million rows by a string", table(1), 1.14, 0.88],
  ["20 million rows by two keys", table(2), 1.43, 0.99],
  ["700,000 lines of 1 KB", { bytes: 717e6, rowBytes: 1024, kind: "lines", keys: 1 }, 0.64, 0.83],
  ["80 million lines of 8 digits", { bytes: 720e6, rowBytes: 9, kind: "lines", keys: 1 }, 2.42, 0.99],
  ["5 million whole lines", wide(0), 0.67, 1.1],
  ["5 million rows by a number", wide(1), 0.69, 0.89],
  ["5 million rows by a string", wide(1), 0.88, 0.95],
  ["20 million rows of CSV by a name", csv(1), 1.11, 0.99],
  ["20 million rows of CSV by two columns", csv(2), 1.64, 0.93],
];

/**
 * Bytes of keys, and seconds of whole processes that sort them from file to file, on the 16 cores and on the
 * GPU of an H200 host, as BENCHMARKS.md has them.
 */
const keysMeasured = [
  ["2^22 u32", 2 ** 24, 0.217, 0.408],
  ["2^24 u32", 2 ** 26, 0.238, 0.488],
  ["2^25 u32", 2 ** 27, 0.341, 0.473],
  ["2^26 u32", 2 ** 28, 0.445, 0.521],
  ["2^27 u32", 2 ** 29, 0.525, 0.575],
  ["2^28 u32", 2 ** 30, 1.03, 0.849],
  ["2^26 f64", 2 ** 29, 0.517, 0.612],
  ["2^27 f64", 2 ** 30, 0.824, 0.835],
] as const;

describe("the estimate for keys", () => {
  it.each(keysMeasured)(
    "takes a device that is at most a tenth slower than the other: %s",
    (_, bytes, cpu, gpu) => {
      const { cpuSeconds, gpuSeconds } = estimate(bytes, 16);
      expect(gpuSeconds < cpuSeconds ? gpu : cpu).toBeLessThanOrEqual(1.1 * Math.min(cpu, gpu));
    },
  );
});

describe("the estimate for rows of text", () => {
  it.each(measured)("finds the machine that was faster: %s", (_, rows, cpu, gpu) => {
    const { cpuSeconds, gpuSeconds } = estimateRows(rows, 16);
    expect(cpuSeconds < gpuSeconds).toBe(cpu < gpu);
    for (const ratio of [cpuSeconds / cpu, gpuSeconds / gpu]) {
      expect(ratio).toBeGreaterThan(0.65);
      expect(ratio).toBeLessThan(1.35);
    }
  });

  it.each([
    [1, 7.7],
    [2, 4.7],
    [4, 2.6],
    [8, 1.7],
    [16, 1.4],
  ])("follows the number of threads: %i", (threads, seconds) => {
    const ratio = estimateRows(table(1), threads).cpuSeconds / seconds;
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.25);
  });
});
