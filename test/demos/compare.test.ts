import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactly, within, withinSteps, wrongOf } from "../../src/demos/compare.js";

const words = (...values: number[]) => ({ result: new Uint32Array(values) });
const floats = (...values: number[]) => ({ result: new Uint32Array(new Float32Array(values).buffer) });
const pixels = (...values: number[]) => ({ result: new Uint32Array(new Uint8Array(values).buffer) });

describe("a comparison", () => {
  it("of words counts all that differ, and describes the first", () => {
    const expected = { a: new Uint32Array([1, 2, 3]), b: new Uint32Array([4]) };
    expect(exactly(expected, expected)).toMatchObject({ wrong: 0, of: 4, first: undefined });
    const found = exactly({ a: new Uint32Array([1, 7, 9]), b: new Uint32Array([5]) }, expected);
    expect(found).toMatchObject({ wrong: 3, of: 4, unit: "words", largest: 6 });
    expect(found.first).toBe("a: word 1 is 7, but the CPU's is 2");
  });

  it("of pixels compares each 8-bit channel separately", () => {
    const expected = pixels(10, 20, 255, 0);
    expect(withinSteps(1)(pixels(11, 19, 254, 1), expected)).toMatchObject({ wrong: 0, of: 4, largest: 1 });
    expect(withinSteps(1)(pixels(12, 20, 255, 2), expected)).toMatchObject({ wrong: 2, largest: 2 });
    expect(withinSteps(1)(pixels(10, 20, 0, 0), expected)).toMatchObject({ wrong: 1, largest: 255 });
  });

  it("of floats accepts differences up to the tolerance only", () => {
    fc.assert(
      fc.property(
        fc.float({ min: -100, max: 100, noNaN: true }),
        fc.nat(2000).map((n) => n / 1000), // nearly all doubles up to 2 are below 1
        (value, by) => {
          const actual = floats(value + by);
          const apart = Math.abs(new Float32Array(actual.result.buffer)[0]! - value);
          expect(within(1)(actual, floats(value)).wrong).toBe(apart > 1 ? 1 : 0);
        },
      ),
    );
  });

  it("of floats never accepts a NaN or an infinity", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(within(1e30)(floats(1, bad), floats(1, 2)).wrong, `${bad}`).toBe(1);
    }
    expect(within(1)(floats(Number.NaN), floats(Number.NaN)).wrong).toBe(1);
  });

  it("is described in words", () => {
    expect(wrongOf(exactly(words(1, 2), words(1, 3)))).toBe("1 of 2 words");
    expect(wrongOf(exactly(words(2), words(3)))).toBe("all 1 words");
  });
});
