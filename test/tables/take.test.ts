import { FixedSizeBinary } from "apache-arrow";
import { expect, it } from "vitest";
import type { ColumnOf } from "../../src/tables/column.js";
import { take } from "../../src/tables/take.js";

it.each([1, 2, 3, 4, 8, 12, 16, 32])("copies values of %i bytes to their places, bit by bit", (width) => {
  const length = 100;
  const type = new FixedSizeBinary(width);
  const values = Uint8Array.from({ length: width * length }, (_, i) => (i * 37) ^ (i >> 3) ^ 0xff);
  const rows = Uint32Array.from({ length: 250 }, (_, i) => (i * 61) % length);
  const taken = take({ kind: "fixed", type, length, width, values }, rows) as ColumnOf<"fixed">;
  const expected = [...rows].flatMap((row) => [...values.subarray(width * row, width * (row + 1))]);
  expect([...taken.values]).toEqual(expected);
});
