import { describe, expect, it } from "vitest";
import { deviceKeys, meanRowBytes, unsuitedForDevice } from "../../src/rows/device_rows.js";
import type { RowKey, RowOrder } from "../../src/rows/order/row_order.js";
import { rowInput } from "../support/row_inputs.js";

const field = { begin: { field: 1, offset: 0 }, end: { field: 1 } };
const text: RowKey = { ...field, compare: "bytes" };
const number: RowKey = { ...field, compare: "decimal" };
const csv = (...keys: RowKey[]): RowOrder => ({ terminator: 10, separator: 44, quotes: true, keys });
const lines = (...keys: RowKey[]): RowOrder => ({ ...csv(...keys), quotes: false });

describe("an order of rows for a device", () => {
  it.each<[string, RowOrder]>([
    ["whole lines", lines()],
    ["parts of lines", lines({ begin: { field: 1, offset: 2 }, compare: "bytes" })],
    ["lines without some bytes or their case", lines({ ...text, foldCase: true, ignore: "nonprinting" })],
    [
      "units and months",
      lines({ ...field, compare: "human", foldCase: true }, { ...field, compare: "month" }),
    ],
    ["columns of dates", csv({ ...field, compare: "date", invalid: "last" })],
    ["columns of CSV", csv(text, { ...number, descending: true, invalid: "first" })],
    ["columns that must be there", csv({ ...text, required: true }, { ...number, invalid: "error" })],
  ])("is suited: %s", (_, order) => {
    expect(unsuitedForDevice(order, {})).toBeUndefined();
  });

  it.each<[string, RowOrder, Parameters<typeof unsuitedForDevice>[1]]>([
    ["a key is not a field that may be in quotes", csv(), {}],
    ["a key is not a field that may be in quotes", csv({ ...text, end: { field: 2 } }), {}],
    ["a key is not a field that may be in quotes", csv({ ...text, end: { field: 1, bytes: 3 } }), {}],
    ["a key is not a field that may be in quotes", csv({ ...text, begin: { field: 1, offset: 1 } }), {}],
    [
      "a key has numbers in a form of their own, or words for no value",
      csv({ ...number, compare: "number", form: { point: 44 } }),
      {},
    ],
    ["a quote separates fields", { ...csv(text), separator: 34 }, {}],
    ["a key is compared in natural order", lines(text, { ...text, compare: "natural" }), {}],
    ["a key is compared without regard to case", csv({ ...text, compare: "nocase" }), {}],
    ["their numbers are asked for", csv(text), { argsort: true }],
    ["sorted inputs are merged", csv(text), { merge: true }],
  ])("is unsuited, as %s", (why, order, wanted) => {
    expect(unsuitedForDevice(order, wanted)).toBe(why);
  });

  it("says which keys a row may lack, or may be no numbers", () => {
    const order = csv(
      text,
      { ...text, required: true },
      { ...number, invalid: "last" },
      {
        ...number,
        invalid: "error",
      },
    );
    expect(deviceKeys(order).map(({ isChecked }) => isChecked)).toEqual([false, true, true, true]);
    expect(deviceKeys(lines({ ...text, required: true }))[0]!.isChecked).toBe(false);
  });
});

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
