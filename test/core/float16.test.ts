import { describe, expect, it } from "vitest";
import { Float16Bits, float16Bits, float16Number, float16Rank } from "../../src/core/float16.js";

const all = Array.from({ length: 65536 }, (_, bits) => bits);
const isNan = (bits: number) => (bits & 0x7fff) > 0x7c00;

/** IEEE 754 binary16, from the bits of the single that has the same sign, and exponent and fraction moved. */
function numberOf(bits: number): number {
  const words = new Uint32Array([((bits & 0x8000) << 16) | ((bits & 0x7fff) << 13)]);
  const moved = new Float32Array(words.buffer)[0]!;
  // The exponents of a single are greater by 127 - 15; an exponent of all ones stands for no number.
  if ((bits & 0x7c00) !== 0x7c00) return moved * 2 ** 112;
  return (bits & 0x3ff) === 0 ? Math.sign(moved) * Infinity : Number.NaN;
}

describe("16-bit floats", () => {
  it("are the numbers that their bits say", () => {
    expect(all.filter((bits) => !Object.is(float16Number(bits), numberOf(bits)))).toEqual([]);
    expect([0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x3555].map(float16Number)).toEqual([
      1,
      -2,
      65504,
      2 ** -14,
      2 ** -24,
      1365 / 4096,
    ]);
  });

  it("are the nearest to each number, and the even one of two", () => {
    const finite = all.filter((bits) => (bits & 0x7fff) < 0x7c00);
    const wrong = finite.filter((bits) => {
      const [here, next] = [
        numberOf(bits),
        (bits & 0x7fff) === 0x7bff ? 65536 : Math.abs(numberOf(bits + 1)),
      ];
      const sign = bits & 0x8000 ? -1 : 1;
      const middle = (sign * (Math.abs(here) + next)) / 2;
      const nudge = Math.abs(middle) * 2 ** -50;
      const found = [here, middle - sign * nudge, middle, middle + sign * nudge].map(float16Bits);
      return [bits, bits, bits + (bits & 1), bits + 1].some((nearest, i) => found[i] !== nearest);
    });
    expect(wrong).toEqual([]);
    expect([Infinity, -Infinity, 1e300, -65520, 65519.99, Number.NaN, -0, 5e-324].map(float16Bits)).toEqual([
      0x7c00, 0xfc00, 0x7c00, 0xfc00, 0x7bff, 0x7e00, 0x8000, 0,
    ]);
  });

  it("are sorted as an array of these numbers is", () => {
    const mixed = Float16Bits.from(all, (bits) => (bits * 40503) & 0xffff) as Float16Bits;
    const sorted = mixed.slice().sort() as Float16Bits;
    expect(Float64Array.from(sorted, numberOf)).toEqual(Float64Array.from(mixed, numberOf).sort());
    expect(new Set(sorted).size).toBe(65536);
    expect(new Set(all.filter(isNan).map(float16Rank)).size).toBe(1);
  });
});
