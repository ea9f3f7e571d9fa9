import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementTypes } from "../../src/elements.js";
import { imagesOf, sortedIndices } from "../../src/engines/cpu_indices.js";
import { orderConstants } from "../../src/sort/key.js";
import { keyOps } from "../../src/twins/order.js";
import { distributions, expectedIndices, wordsOfKeys } from "../support/keys.js";

const cases = fc.record({
  type: fc.constantFrom(...elementTypes),
  descending: fc.boolean(),
  keyCount: fc.integer({ min: 0, max: 200 }),
  distribution: fc.constantFrom(...Object.keys(distributions)),
  bits: fc.tuple(fc.integer({ min: 0, max: 64 }), fc.integer({ min: 0, max: 64 })),
});

function rangeOf(bits: readonly [number, number], width: number) {
  const [begin, end] = bits.map((bit) => bit % (width + 1)).toSorted((a, b) => a - b) as [number, number];
  return { begin, end };
}

describe("the CPU engine's images", () => {
  it("are those of the kernels' twin, without the bits that do not decide", () => {
    fc.assert(
      fc.property(cases, ({ type, descending, keyCount, distribution, bits }) => {
        const keys = distributions[distribution]!(type, keyCount);
        const range = rangeOf(bits, 8 * type.bytes);
        const images = imagesOf(keys, type, descending, range);
        const ops = keyOps(8 * type.bytes, orderConstants(type, { descending }));
        const words = wordsOfKeys(keys);
        const mask = (1n << BigInt(range.end)) - (1n << BigInt(range.begin));
        for (let i = 0; i < keyCount; i++) {
          const image = images.reduce((sum, part, word) => sum | (BigInt(part[i]!) << BigInt(32 * word)), 0n);
          expect(image, `${type.name} ${i}`).toBe(ops.toOrdered(ops.read(words, i)) & mask);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("in their stable order are where the oracle says", () => {
    fc.assert(
      fc.property(cases, ({ type, descending, keyCount, distribution, bits }) => {
        const keys = distributions[distribution]!(type, keyCount);
        const range = rangeOf(bits, 8 * type.bytes);
        const indices = sortedIndices(imagesOf(keys, type, descending, range));
        expect(indices).toEqual(expectedIndices(keys, type, { descending, bits: range }));
      }),
      { numRuns: 300 },
    );
  });
});
