import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCount,
  formatGbPerSecond,
  formatPercent,
  formatPerSecond,
  formatPowerOfTwo,
  formatRatio,
  threeDigits,
} from "../../src/report/units.js";

describe("formatted numbers", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [1_048_577, "1,048,577"],
    [4_294_967_296, "4,294,967,296"],
  ])("of counts have separators: %i is %s", (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.00 kB"],
    [1500, "1.50 kB"],
    [99_900, "99.9 kB"],
    [999_000, "999 kB"],
    [1_000_000, "1.00 MB"],
    [4_194_304, "4.19 MB"],
    [134_217_728, "134 MB"],
    [1_073_741_824, "1.07 GB"],
    [2_000_000_000_000, "2.00 TB"],
    [5_000_000_000_000_000, "5,000 TB"],
  ])("of bytes have three digits and a decimal unit: %i is %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0, "0"],
    [0.0004, "<0.001"],
    [0.1234, "0.123"],
    [1, "1.00"],
    [1.234, "1.23"],
    [12.34, "12.3"],
    [123.4, "123"],
    [1000, "1,000"],
    [1234.5, "1,235"],
  ])("of milliseconds have three digits: %d is %s", (ms, text) => {
    expect(threeDigits(ms)).toBe(text);
  });

  it.each([
    [1e9, 1000, "1.00"],
    [4e9, 1000, "4.00"],
    [1_234_567_890, 1000, "1.23"],
    [134_217_728, 1, "134"],
    [1e6, 1000, "0.001"],
    [0, 5, "0"],
    [5, 0, ""],
  ])("of rates: %d bytes in %d ms are %s GB/s", (bytes, ms, text) => {
    expect(formatGbPerSecond(bytes, ms)).toBe(text);
  });

  it.each([
    [0.0123, "0.012x"],
    [0.58, "0.580x"],
    [1, "1.00x"],
    [12.34, "12.3x"],
    [123.4, "123x"],
    [1234, "1,234x"],
  ])("of ratios have three digits: %d is %s", (ratio, text) => {
    expect(formatRatio(ratio)).toBe(text);
  });

  it.each([
    [8, "8"],
    [16, "2^4"],
    [17, "17"],
    [1000, "1,000"],
    [33_554_432, "2^25"],
    [33_554_433, "33,554,433"],
  ])("of sizes show powers of two as such: %i is %s", (count, text) => {
    expect(formatPowerOfTwo(count)).toBe(text);
  });
});

describe("a number that is rounded up to the next unit", () => {
  it("takes that unit", () => {
    expect(formatBytes(999_999)).toBe("1.00 MB");
    expect(threeDigits(999.9)).toBe("1,000");
    expect(formatRatio(999.9)).toBe("1,000x");
  });
});

describe("small numbers, percentages and rates", () => {
  it("have no exponent, however small they are", () => {
    expect(formatGbPerSecond(4, 100)).not.toContain("e");
  });

  it.each([
    [0, "0.0%"],
    [0.0666, "6.7%"],
    [1, "100%"],
    [1.5, "150%"],
  ])("have at most one decimal in percent: %d is %s", (share, text) => {
    expect(formatPercent(share)).toBe(text);
  });

  it.each([
    [5, 1000, "5.00"],
    [999.4, 1000, "999"],
    [999.6, 1000, "1.00 k"],
    [1500, 1, "1.50 M"],
    [2 ** 25, 0.1, "336 G"],
  ])("have three digits and a decimal unit in rates: %d in %d ms is %s", (count, ms, text) => {
    expect(formatPerSecond(count, ms)).toBe(text);
  });
});
