import { expect, it } from "vitest";
import { meanRowBytes } from "../../src/rows/mean_row.js";
import { rowInput } from "../support/row_inputs.js";

const meanOf = (...texts: string[]) =>
  meanRowBytes(
    texts.map((text) => rowInput(Buffer.from(text))),
    { terminator: 10 },
  );

it("counts the rows at the begin of the first input that is not empty", async () => {
  expect(await meanOf("", "abc\nabcde\n", "a\n")).toBe(5);
  expect(await meanOf(`${"x".repeat(99)}\n`.repeat(5000))).toBeCloseTo(100, 0);
  expect(await meanOf("no end")).toBe(6);
  expect(await meanOf(`${"x".repeat(1 << 20)}\n`)).toBe(1 << 16);
  expect(await meanOf("")).toBe(1);
});
