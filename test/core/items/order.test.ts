import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { checksum, transferSum } from "../../../src/core/items/checksum.js";
import { keyItem } from "../../../src/core/items/item.js";
import { itemOrder } from "../../../src/core/items/order.js";
import { firstFault, scanNeighbours } from "../../../src/core/items/summary.js";
import { distributions, valuesOf } from "../../support/keys.js";

/** Compares two keys by what TypedArray.prototype.sort does with them. */
function byArray(pair: Uint8Array<ArrayBuffer>, type: (typeof elementTypes)[number]): number {
  const [a, b] = valuesOf(new type.array(pair.slice().buffer) as KeyArray);
  const [first] = valuesOf(new type.array(pair.slice().buffer).sort() as KeyArray);
  if (Object.is(a, b)) return 0;
  return Object.is(first, a) ? -1 : 1;
}

describe("the order of items", () => {
  it.each(elementTypes)("compares $name keys as the sort of the typed array does", (type) => {
    const order = itemOrder(keyItem(type), false);
    const reverse = itemOrder(keyItem(type), true);
    for (const make of Object.values(distributions)) {
      const bytes = new Uint8Array(make(type, 400).buffer as ArrayBuffer);
      const view = order.view(bytes);
      const pairs = Array.from({ length: 399 }, (_, i) => i);
      const signs = (compare: (i: number) => number) => pairs.map((i) => Math.sign(compare(i)) + 0);
      const expected = signs((i) => byArray(bytes.slice(i * type.bytes, (i + 2) * type.bytes), type));
      expect(signs((i) => order.compare(view, i, view, i + 1))).toEqual(expected);
      expect(signs((i) => -reverse.compare(view, i, view, i + 1))).toEqual(expected);
    }
  });

  it("compares records by their fields: bytes from first to last, and numbers in their byte order", () => {
    const record = fc.uint8Array({ minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(record, record, fc.boolean(), fc.boolean(), (a, b, little, alike) => {
        if (alike) b.set(a.subarray(0, 7));
        const keys = [
          { offset: 1, bytes: 6 },
          { offset: 7, type: elementType("f64") },
        ];
        const order = itemOrder(
          { kind: "record", bytes: 15, keys, byteOrder: little ? "little" : "big" },
          false,
        );
        const number = (bytes: Uint8Array) =>
          new DataView(bytes.buffer, bytes.byteOffset).getFloat64(7, little);
        const bytes = Buffer.compare(a.subarray(1, 7), b.subarray(1, 7));
        const pair = Float64Array.of(number(a), number(b));
        const expected = bytes || byArray(new Uint8Array(pair.buffer), elementType("f64"));
        const view = order.view(Buffer.concat([a, b]));
        expect(Math.sign(order.compare(view, 0, view, 1)) + 0).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("neighbours", () => {
  it("are counted if they are out of order, and if they are equal", () => {
    const order = itemOrder(keyItem(elementType("i32")), false);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 30 }), (keys) => {
        const pairs = keys.slice(1).map((key, i) => Math.sign(keys[i]! - key));
        const first = (isWrong: (sign: number) => boolean) => {
          const found = pairs.findIndex(isWrong);
          return found < 0 ? undefined : found;
        };
        const bytes = new Uint8Array(Int32Array.from(keys).buffer);
        expect(scanNeighbours(bytes, order)).toEqual({
          inversions: pairs.filter((sign) => sign > 0).length,
          firstInversion: first((sign) => sign > 0),
          duplicates: pairs.filter((sign) => sign === 0).length,
        });
        expect(firstFault(bytes, order, false)).toBe(first((sign) => sign > 0));
        expect(firstFault(bytes, order, true)).toBe(first((sign) => sign >= 0));
      }),
    );
  });
});

describe("sums of items", () => {
  const items = [
    ...elementTypes.map(keyItem),
    ...[1, 3, 8, 12, 100].map((bytes) => ({
      kind: "record" as const,
      bytes,
      keys: [],
      byteOrder: "little" as const,
    })),
  ];

  it("do not depend on the order, add up over parts, and differ if one bit differs", () => {
    for (const item of items) {
      const gen = fc.array(fc.uint8Array({ minLength: item.bytes, maxLength: item.bytes }), {
        minLength: 1,
        maxLength: 20,
      });
      fc.assert(
        fc.property(gen, fc.nat(), fc.nat(), (list, cut, bit) => {
          const all = new Uint8Array(Buffer.concat(list));
          const half = (cut % (list.length + 1)) * item.bytes;
          const backwards = new Uint8Array(Buffer.concat(list.toReversed()));
          const changed = all.slice();
          const at = bit % (8 * all.length);
          changed[at >> 3]! ^= 1 << (at & 7);
          expect(checksum(backwards, item)).toEqual(checksum(all, item));
          expect(transferSum(backwards, item)).toBe(transferSum(all, item));
          const [a, b] = [checksum(all.slice(0, half), item), checksum(all.slice(half), item)];
          expect([(a[0] + b[0]) >>> 0, (a[1] + b[1]) >>> 0]).toEqual(checksum(all, item));
          const sums = transferSum(all.slice(0, half), item) + transferSum(all.slice(half), item);
          expect(sums >>> 0).toBe(transferSum(all, item));
          expect(checksum(changed, item)).not.toEqual(checksum(all, item));
          expect(transferSum(changed, item)).not.toBe(transferSum(all, item));
        }),
        { numRuns: 60 },
      );
    }
  });
});
