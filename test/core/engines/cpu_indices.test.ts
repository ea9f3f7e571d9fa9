import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementTypes } from "../../../src/core/elements.js";
import { orderedFormsOf, sortedIndices } from "../../../src/core/engines/cpu_indices.js";
import { comparedParts, keyParts } from "../../../src/core/sort/key.js";
import { comparedForm, keyOps } from "../../../src/cpu_kernels/order.js";
import { distributions, expectedIndices, wordsOfKeys } from "../../support/keys.js";

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

describe("the ordered forms of the CPU engine", () => {
  it("equal what the CPU kernels compare, with the bits outside of the range cleared", () => {
    fc.assert(
      fc.property(cases, ({ type, descending, keyCount, distribution, bits }) => {
        const keys = distributions[distribution]!(type, keyCount);
        const range = rangeOf(bits, 8 * type.bytes);
        const forms = orderedFormsOf(keys, type, descending, range);
        const ops = keyOps(8 * type.bytes, keyParts(type, { descending }).constants);
        const { variants, constants } = comparedParts(type, { descending, payload: "index" });
        const compared = comparedForm(variants.compared, { ...constants });
        const words = wordsOfKeys(keys);
        const mask = (1n << BigInt(range.end)) - (1n << BigInt(range.begin));
        for (let i = 0; i < keyCount; i++) {
          const form = forms.reduce((sum, part, word) => sum | (BigInt(part[i]!) << BigInt(32 * word)), 0n);
          expect(form, `${type.name} ${i}`).toBe(BigInt(compared(ops.toOrdered(ops.read(words, i)))) & mask);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("sort to the stable order that the reference expects", () => {
    fc.assert(
      fc.property(cases, ({ type, descending, keyCount, distribution, bits }) => {
        const keys = distributions[distribution]!(type, keyCount);
        const range = rangeOf(bits, 8 * type.bytes);
        const indices = sortedIndices(orderedFormsOf(keys, type, descending, range));
        expect(indices).toEqual(expectedIndices(keys, type, { descending, bits: range }));
      }),
      { numRuns: 300 },
    );
  });
});
