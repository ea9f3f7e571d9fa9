import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { mix } from "../../../src/core/items/mix.js";
import { keyParts } from "../../../src/core/sort/key.js";
import { type Bits, keyOps } from "../../../src/demos/cpu/order.js";
import { difference, distributions, wordsOfKeys } from "../../support/keys.js";

const cases = elementTypes.flatMap((type) =>
  [false, true].map((descending) => ({ type, descending, way: descending ? "descending" : "ascending" })),
);

const word = fc.oneof(
  fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x7f800000, 0xff800000),
  fc.constantFrom(0x7f800001, 0x7fc00000, 0xff800001, 0xffc00000, 0x7ff00000, 0xfff00000, 0x7ff80000),
  fc.integer({ min: 0, max: 0xffffffff }),
);

/** Arbitrary bits of a type's width. */
function bitsOf({ bytes }: ElementType): fc.Arbitrary<Bits> {
  const below = 2 ** (8 * Math.min(bytes, 4));
  return bytes < 8
    ? fc.oneof(
        word.map((bits) => bits % below),
        fc.integer({ min: 0, max: below - 1 }),
      )
    : fc.tuple(word, word).map(([low, high]) => (BigInt(high) << 32n) | BigInt(low));
}

function opsOf(type: ElementType, descending: boolean) {
  return keyOps(8 * type.bytes, keyParts(type, { descending }).constants);
}

/** Sorts keys only by their ordered forms, which are unsigned integers. */
function sortByOrderedForms(keys: KeyArray, type: ElementType, descending: boolean): KeyArray {
  const ops = opsOf(type, descending);
  const words = wordsOfKeys(keys);
  const orderedForms = Array.from({ length: keys.length }, (_, i) => ops.toOrdered(ops.read(words, i)));
  orderedForms.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  orderedForms.forEach((ordered, i) => {
    ops.write(words, i, ops.fromOrdered(ordered));
  });
  return new type.array(words.buffer, 0, keys.length);
}

describe("the mapping of keys to ordered forms", () => {
  it.each(cases)("is a bijection for $type.name, $way", ({ type, descending }) => {
    const { toOrdered, fromOrdered } = opsOf(type, descending);
    const most = (1n << BigInt(8 * type.bytes)) - 1n;
    fc.assert(
      fc.property(bitsOf(type), (bits) => {
        const ordered = toOrdered(bits);
        const isInRange = ordered >= 0 && ordered <= most;
        return isInRange && fromOrdered(ordered) === bits && toOrdered(fromOrdered(bits)) === bits;
      }),
      { numRuns: 250 },
    );
  });

  it.each(cases)(
    "has the order of TypedArray.prototype.sort for $type.name, $way",
    ({ type, descending }) => {
      fc.assert(
        fc.property(fc.array(bitsOf(type), { maxLength: 40 }), (bits) => {
          const words = new Uint32Array(Math.ceil((bits.length * type.bytes) / 4));
          const { write } = opsOf(type, descending);
          bits.forEach((key, i) => {
            write(words, i, key);
          });
          const keys = new type.array(words.buffer, 0, bits.length);
          expect(difference(keys, sortByOrderedForms(keys, type, descending), descending)).toBeUndefined();
        }),
        { numRuns: 150 },
      );
    },
  );

  it.each(cases)("has that order for every distribution of $type.name keys, $way", ({ type, descending }) => {
    for (const make of Object.values(distributions)) {
      const keys = make(type, 1000);
      expect(difference(keys, sortByOrderedForms(keys, type, descending), descending)).toBeUndefined();
    }
  });

  it.each(cases)(
    "for $type.name, $way, is the mirror image of that for the other direction",
    ({ type, descending }) => {
      const [one, other] = [opsOf(type, descending), opsOf(type, !descending)];
      const most = (1n << BigInt(8 * type.bytes)) - 1n;
      fc.assert(
        fc.property(
          bitsOf(type),
          (bits) => BigInt(one.toOrdered(bits)) + BigInt(other.toOrdered(bits)) === most,
        ),
      );
    },
  );
});

describe("mix", () => {
  it("returns the published results of MurmurHash3's finalizer", () => {
    expect([0, 1, 0xffffffff].map(mix)).toEqual([0, 0x514e28b7, 0x81f16f39]);
  });
});
