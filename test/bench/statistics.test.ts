import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { median } from "../../src/bench/statistics.js";

describe("the median", () => {
  it.each([
    [[5], 5],
    [[3, 1], 2],
    [[9, 1, 2], 2],
    [[10, 9, 100, 2], 9.5],
  ])("of %j is %d", (sample, expected) => {
    expect(median(sample)).toBe(expected);
  });

  it("has as many values below it as above, in any order of the sample, which it leaves alone", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (sample) => {
        const before = [...sample];
        const middle = median(sample);
        expect(sample).toEqual(before);
        const half = sample.length / 2;
        expect(sample.filter((value) => value < middle).length).toBeLessThanOrEqual(half);
        expect(sample.filter((value) => value > middle).length).toBeLessThanOrEqual(half);
        expect(median([...sample].reverse())).toBe(middle);
      }),
    );
  });

  it("of nothing is refused", () => {
    expect(() => median([])).toThrow(RangeError);
  });
});
