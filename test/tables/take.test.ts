import { FixedSizeBinary } from "apache-arrow";
import { expect, it } from "vitest";
import type { ColumnOf } from "../../src/tables/column.js";
import { take } from "../../src/tables/take.js";

const widths = [1, 2, 3, 4, 8, 12, 16, 32];
const places = widths.flatMap((width) => [0, 1, 8].map((offset) => [width, offset] as const));

it.each(places)("copies values of %i bytes from byte %i of a buffer, bit by bit", (width, offset) => {
  const length = 100;
  const type = new FixedSizeBinary(width);
  const buffer = Uint8Array.from(
    { length: offset + width * length + 5 },
    (_, i) => (i * 37) ^ (i >> 3) ^ 0xff,
  );
  const values = buffer.subarray(offset, offset + width * length);
  const rows = Uint32Array.from({ length: 250 }, (_, i) => (i * 61) % length);
  const taken = take({ kind: "fixed", type, length, width, values }, rows) as ColumnOf<"fixed">;
  const expected = [...rows].flatMap((row) => [...values.subarray(width * row, width * (row + 1))]);
  expect([...taken.values]).toEqual(expected);
});
