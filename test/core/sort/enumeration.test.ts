import { describe, expect, it } from "vitest";
import { elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { VerifyError } from "../../../src/core/errors.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { checkOrder, comparedWords, enumerationPlan } from "../../../src/core/sort/enumeration.js";
import type { SortOptions } from "../../../src/core/sort/key.js";
import { MOST_ENUMERATED } from "../../../src/core/sort/limits.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { distributions, expectedIndices, expectSame } from "../../support/keys.js";

const bytesOf = ({ buffer, byteOffset, byteLength }: KeyArray) =>
  new Uint8Array(buffer, byteOffset, byteLength);

describe("an enumeration sort, run by the CPU kernel,", () => {
  for (const type of elementTypes) {
    it(`finds the stable order of ${type.name} keys, by all or some of their bits`, () => {
      const width = 8 * type.bytes;
      const ranges = [undefined, [0, 0], [3, 7], [width / 2 - 1, width], [0, width]] as const;
      for (const distribution of Object.keys(distributions)) {
        for (const size of [0, 1, 2, 3, 130]) {
          const keys = distributions[distribution]!(type, size);
          for (const range of ranges) {
            for (const descending of [false, true]) {
              const bits = range && { begin: range[0], end: range[1] };
              const options: SortOptions = { descending, bits };
              const pairs = comparedWords(bytesOf(keys), type, options);
              const { order } = runOnCpu(enumerationPlan(defaultTraits), { keys: pairs });
              const found = order!.slice(0, size);
              const where = `${size} ${distribution} ${JSON.stringify(options)}`;
              expectSame(found, expectedIndices(keys, type, options), where);
              checkOrder(pairs, found, "a device");
            }
          }
        }
      }
    });
  }

  it("reads keys at any byte", () => {
    const bytes = new Uint8Array([0, 2, 1, 3]);
    const u8 = elementTypes.find(({ name }) => name === "u8")!;
    expect(comparedWords(bytes.subarray(1), u8, { descending: false })).toEqual(
      new Uint32Array([3, 0, 2, 0, 1, 0, 3, 0]),
    );
  });

  it("takes as many keys as it says", () => {
    const u32 = elementTypes.find(({ name }) => name === "u32")!;
    const keys = distributions.uniform!(u32, MOST_ENUMERATED);
    const pairs = comparedWords(bytesOf(keys), u32, { descending: true });
    const { order } = runOnCpu(enumerationPlan(defaultTraits), { keys: pairs });
    expect(order).toEqual(expectedIndices(keys, u32, { descending: true }));
  });
});

describe("the check of an order", () => {
  const f64 = elementTypes.find(({ name }) => name === "f64")!;
  const keys = new Float64Array([2, -1, Number.NaN, 2, 1e300, 2, -0]);
  const pairs = comparedWords(bytesOf(keys), f64, { descending: false });
  const right = [1, 6, 0, 3, 5, 4, 2];

  it("accepts the right one", () => {
    expect(() => checkOrder(pairs, new Uint32Array(right), "a device")).not.toThrow();
  });

  it("refuses every other permutation of two indices, a missing index, and one that no key has", () => {
    const refused = (order: number[]) =>
      expect(() => checkOrder(pairs, new Uint32Array(order), "a device"), `${order}`).toThrow(VerifyError);
    for (let i = 0; i < right.length; i++) {
      for (let j = 0; j < i; j++) {
        const swapped = [...right];
        [swapped[i], swapped[j]] = [right[j]!, right[i]!];
        refused(swapped);
      }
      refused(right.with(i, 7));
      refused(right.with(i, 2 ** 32 - 1));
      refused(right.with(i, right[(i + 1) % right.length]!));
    }
    refused(new Array(7).fill(0));
  });
});
