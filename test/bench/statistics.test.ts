import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drifted, median, summarise } from "../../src/bench/statistics.js";

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const numbers = fc.array(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 60 });

describe("the median", () => {
  it.each([
    [[5], 5],
    [[1, 2], 1.5],
    [[3, 1, 2], 2],
    [[10, 9, 8, 1], 8.5],
    [[2, 2, 2, 100], 2],
  ])("of %j is %d", (sample, expected) => {
    const before = [...sample];
    expect(median(sample)).toBe(expected);
    expect(sample).toEqual(before);
  });

  it("of an empty sample is an error", () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => summarise([])).toThrow(RangeError);
  });
});

describe("the interval of the median", () => {
  // Ranks of the 95% interval for n values, from the binomial tables of Conover and of Hollander & Wolfe.
  it.each([
    [6, 1],
    [8, 1],
    [9, 2],
    [11, 2],
    [12, 3],
    [15, 4],
    [17, 5],
    [20, 6],
    [25, 8],
    [30, 10],
    [50, 18],
    [100, 40],
  ])("of %i values ends at the %i-th from either end", (n, rank) => {
    expect(summarise(upTo(n))).toMatchObject({ low: rank, high: n + 1 - rank, min: 1, max: n });
  });

  it("is the whole sample, without an error, if there are too few values", () => {
    for (let n = 1; n < 6; n++) {
      expect(summarise(upTo(n))).toMatchObject({ low: 1, high: n, relativeError: undefined });
    }
  });

  it.each([
    [0.05, 5, 6],
    [0.01, 7, 8],
    [0.0033, 9, 10],
    [0.001, 10, 11],
  ])(
    "needs a larger sample for a smaller alpha: for %d, %i values are too few and %i are enough",
    (alpha, few, enough) => {
      expect(summarise(upTo(few), alpha).relativeError).toBeUndefined();
      expect(summarise(upTo(enough), alpha)).toMatchObject({ low: 1, high: enough });
      expect(summarise(upTo(enough), alpha).relativeError).toBeDefined();
    },
  );

  it("gives the relative error as half its width divided by the median", () => {
    expect(summarise([90, 95, 100, 100, 105, 110]).relativeError).toBeCloseTo(0.1);
    expect(summarise(new Array(7).fill(3)).relativeError).toBe(0);
    expect(summarise(new Array(7).fill(0)).relativeError).toBe(0);
  });

  it("contains the median and lies within the sample, for any sample in any order, small or large", () => {
    fc.assert(
      fc.property(numbers, (sample) => {
        const { low, high, median: middle, min, max } = summarise(sample);
        expect(min <= low && low <= middle && middle <= high && high <= max).toBe(true);
        expect(summarise([...sample].reverse())).toEqual(summarise(sample));
      }),
    );
    const { low, high } = summarise(upTo(10_000));
    expect([low, high]).toEqual([4902, 5099]); // 5000.5 +- 1.96 sqrt(10000) / 2
  });

  it("contains the true median in over 95% of the samples of a skewed distribution", () => {
    let state = 1;
    const uniform = () => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      return (state >>> 0) / 2 ** 32;
    };
    const samples = Array.from({ length: 2000 }, () =>
      Array.from({ length: 15 }, () => -Math.log(1 - uniform())),
    );
    const held = samples.filter((sample) => {
      const { low, high } = summarise(sample);
      return low <= Math.LN2 && Math.LN2 <= high;
    });
    expect(held.length / samples.length).toBeGreaterThan(0.95);
  });
});

describe("drift", () => {
  const wobble = (base: number, n = 8) => upTo(n).map((i) => base * (1 + (i % 3) * 0.01));

  it("is found in a sample whose halves lie apart", () => {
    expect(drifted([...wobble(1), ...wobble(1.3)], 0.05)).toBe(true);
    expect(drifted([...wobble(1.3), ...wobble(1)], 0.05)).toBe(true);
  });

  it("is not found if the halves overlap, differ by less than the threshold, or are too small", () => {
    expect(drifted([...wobble(1), ...wobble(1)], 0.05)).toBe(false);
    expect(drifted([...wobble(1), ...wobble(1.03)], 0.05)).toBe(false);
    expect(drifted([1, 1, 1, 2, 2, 2], 0.05)).toBe(false);
    expect(drifted([1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2], 0.05)).toBe(false);
  });
});
