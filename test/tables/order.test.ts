import * as arrow from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Sorter } from "../../src/core/sorter/sorter.js";
import { comparing } from "../../src/tables/compare.js";
import { concatenateColumn } from "../../src/tables/concatenate.js";
import { type Key, orderRows } from "../../src/tables/order.js";
import { cpuEngine } from "../../src/threads/cpu_engine.js";

const sorter = new Sorter({ engine: cpuEngine(1) });
const argsort = (keys: Uint32Array | BigUint64Array) => sorter.argsort(keys);

type Value = number | bigint | string | boolean | null;

const bytes = (text: string) => Buffer.from(text);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("", "a", "a\0", "common prefix of many bytes", "common prefix of many byteZ", "é", "日本"),
  fc.nat(9).map((digit) => `common prefix of many bytes ${digit}`),
);
const float = fc.oneof(fc.double(), fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY));
const compareNumbers = (a: number, b: number) => {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  if (a === 0 && b === 0) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
  return a < b ? -1 : Number(a > b);
};
const compareAny = (a: Value, b: Value) => (a! < b! ? -1 : a! > b! ? 1 : 0);

/** Types, values of them, and how these compare. */
const types: { type: arrow.DataType; value: fc.Arbitrary<Value>; compare: (a: never, b: never) => number }[] =
  [
    { type: new arrow.Int8(), value: fc.integer({ min: -128, max: 127 }), compare: compareNumbers },
    { type: new arrow.Uint16(), value: fc.nat(65535), compare: compareNumbers },
    { type: new arrow.Int32(), value: fc.integer(), compare: compareNumbers },
    { type: new arrow.Uint32(), value: fc.nat(2 ** 32 - 1), compare: compareNumbers },
    { type: new arrow.Int64(), value: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), compare: compareAny },
    { type: new arrow.Uint64(), value: fc.bigInt(0n, 2n ** 64n - 1n), compare: compareAny },
    { type: new arrow.Float64(), value: float, compare: compareNumbers },
    { type: new arrow.Float32(), value: float.map(Math.fround), compare: compareNumbers },
    { type: new arrow.Bool(), value: fc.boolean(), compare: compareAny },
    {
      type: new arrow.TimestampMicrosecond(),
      value: fc.integer({ min: -1e6, max: 1e6 }),
      compare: compareNumbers,
    },
    {
      type: new arrow.Utf8(),
      value: text,
      compare: (a: string, b: string) => Buffer.compare(bytes(a), bytes(b)),
    },
    {
      type: new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16()),
      value: text,
      compare: (a: string, b: string) => Buffer.compare(bytes(a), bytes(b)),
    },
  ];

const columnOf = (type: arrow.DataType, values: Value[], cut: number) => {
  const pieces = [values.slice(0, cut), values.slice(cut)];
  return pieces.flatMap((piece) => arrow.vectorFromArray(piece as never, type as never).data as arrow.Data[]);
};

describe("the order of rows", () => {
  const place = fc.nat(types.length - 1);
  const key = fc.record({ type: place, descending: fc.boolean(), nullsFirst: fc.boolean() });
  const table = fc
    .tuple(fc.array(key, { minLength: 1, maxLength: 3 }), fc.nat(60), fc.nat(60))
    .chain(([keys, count, cut]) =>
      fc.record({
        keys: fc.constant(keys),
        cut: fc.constant(cut),
        columns: fc.tuple(
          ...keys.map(({ type }) => {
            const few = fc.array(fc.option(types[type]!.value, { freq: 5 }), { minLength: 1, maxLength: 8 });
            return few.chain((values) =>
              fc.array(fc.constantFrom(...values), { minLength: count, maxLength: count }),
            );
          }),
        ),
      }),
    );

  it("is that of a plain comparison, for all types, directions and places of nulls", async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ keys, cut, columns }) => {
        const whole = columns.map((values, i) => {
          const { type } = types[keys[i]!.type]!;
          return concatenateColumn(`c${i}`, type, columnOf(type, values, cut));
        });
        const rowCount = columns[0]!.length;
        const named = keys.map(
          ({ descending, nullsFirst }, i): Key => ({ name: `c${i}`, place: i, descending, nullsFirst }),
        );
        const plain = (a: number, b: number) => {
          for (const [i, { type, descending, nullsFirst }] of keys.entries()) {
            const [x, y] = [columns[i]![a] as Value, columns[i]![b] as Value];
            if (x === null || y === null) {
              if (x === y) continue;
              return (x === null) === nullsFirst ? -1 : 1;
            }
            const order = types[type]!.compare(x as never, y as never);
            if (order !== 0) return descending ? -order : order;
          }
          return 0;
        };
        const { rows, isEqual } = await orderRows(whole, named, rowCount, argsort);
        const expected = Array.from({ length: rowCount }, (_, row) => row).sort(
          (a, b) => plain(a, b) || a - b,
        );
        expect([...rows]).toEqual(expected);
        const check = comparing(whole, named);
        for (let at = 1; at < rowCount; at++) {
          const [a, b] = [rows[at - 1]!, rows[at]!];
          expect(isEqual(a, b)).toBe(plain(a, b) === 0);
          expect(Math.sign(check(a, b))).toBe(Math.sign(plain(a, b)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is right for many different strings, which are sorted by a few bytes at a time", async () => {
    const long = "x".repeat(23);
    const values = Array.from({ length: 20_000 }, (_, i) => {
      const n = (i * 7919) % 9973;
      return n % 11 === 0 ? null : `${n % 3 ? long : "y"}${n % 5 ? n : `${long}${n}\0`.repeat(n % 4)}`;
    });
    const column = concatenateColumn("s", new arrow.Utf8(), columnOf(new arrow.Utf8(), values, 777));
    const { rows } = await orderRows(
      [column],
      [{ name: "s", place: 0, descending: false, nullsFirst: false }],
      values.length,
      argsort,
    );
    const rank = (row: number) => Number(values[row] === null);
    const expected = values
      .map((_, row) => row)
      .sort(
        (a, b) =>
          rank(a) - rank(b) || (rank(a) ? 0 : Buffer.compare(bytes(values[a]!), bytes(values[b]!))) || a - b,
      );
    expect([...rows]).toEqual(expected);
  });
});
