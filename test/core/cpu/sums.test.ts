import { describe, expect, it } from "vitest";
import { elementSums } from "../../../src/core/cpu/sums.js";
import { mix } from "../../../src/core/items/mix.js";

/** The sums of the elements at even and at odd places, by BigInt. */
function plainSums(elements: Uint8Array | Uint16Array | Uint32Array): [number, number] {
  const sums = [0n, 0n];
  elements.forEach((element, i) => {
    sums[i % 2]! += BigInt(element);
  });
  return [Number(BigInt.asUintN(32, sums[0]!)), Number(BigInt.asUintN(32, sums[1]!))];
}

describe("the sums of elements", () => {
  const views = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;
  // On both sides of the kernels' least input, of a turn of 64 bytes, and of a block of 256 KiB.
  const lengths = [
    0,
    4,
    2 ** 14 - 4,
    2 ** 14,
    2 ** 14 + 60,
    2 ** 14 + 64,
    2 ** 18,
    2 ** 18 + 4,
    2 ** 19 + 68,
  ];

  for (const elementBytes of [1, 2, 4] as const) {
    it(`are those of plain code, for ${elementBytes} bytes`, () => {
      for (const length of lengths) {
        for (const offset of [0, 1]) {
          const store = new Uint8Array(length + offset);
          const bytes = store.subarray(offset);
          for (let i = 0; i < length; i++) bytes[i] = i % 7 === 0 ? 255 : mix(i);
          const [even, odd] = elementSums(bytes, elementBytes);
          const expected = plainSums(new views[elementBytes](bytes.slice().buffer));
          if (elementBytes === 4) expect([even, odd]).toEqual(expected);
          else expect((even + odd) >>> 0).toBe((expected[0] + expected[1]) >>> 0);
        }
      }
    });
  }
});
