import { describe, expect, it } from "vitest";
import type { InputFile } from "../../../src/files/input_file.js";
import type { RowKey, RowOrder } from "../../../src/rows/order/row_order.js";
import { rowOrderOf } from "../../../src/sort/rows/row_inputs.js";
import { requireRows } from "../../../src/sort/rows/row_options.js";
import { requireOptions } from "../../../src/sort/sort_options.js";
import { byteInput } from "../../support/bytes.js";

const key: RowKey = { begin: { field: 1, offset: 0 }, end: { field: 1 }, compare: "decimal" };
const order: RowOrder = { terminator: 10, separator: 44, quotes: false, keys: [key] };

describe("an order of rows", () => {
  it.each([
    ["is no object", null],
    ["has no option 'by'", { ...order, by: 1 }],
    ["terminator: 9 is neither 10, 13 nor 0", { ...order, terminator: 9 }],
    ["separator: 256 is not a byte", { ...order, separator: 256 }],
    ["separator: , is not a byte", { ...order, separator: "," }],
    ["quotes: 1 is neither true nor false", { ...order, quotes: 1 }],
    ["quotes: true needs a separator", { ...order, quotes: true, separator: undefined }],
    ["separator: 10 is the terminator, too", { ...order, quotes: true, separator: 10 }],
    ["keys: 3 is no array", { ...order, keys: 3 }],
    ["keys[0]: null is no object", { ...order, keys: [null] }],
    ["keys[0] has no option 'start'", { ...order, keys: [{ ...key, start: 1 }] }],
    ["keys[0].begin: undefined is no object", { ...order, keys: [{ compare: "bytes" }] }],
    [
      "keys[1].begin.field: -1 is not",
      { ...order, keys: [key, { ...key, begin: { field: -1, offset: 0 } }] },
    ],
    ["keys[0].begin.offset: 0.5 is not", { ...order, keys: [{ ...key, begin: { field: 0, offset: 0.5 } }] }],
    [
      "keys[0].end.bytes: 4294967296 is not",
      { ...order, keys: [{ ...key, end: { field: 0, bytes: 2 ** 32 } }] },
    ],
    ["keys[0].compare: toString is not", { ...order, keys: [{ ...key, compare: "toString" }] }],
    [
      "keys[0].compare: text is not one of bytes, number, decimal",
      { ...order, keys: [{ ...key, compare: "text" }] },
    ],
    [
      "keys[0].ignore: case is not one of",
      { ...order, keys: [{ ...key, compare: "bytes", ignore: "case" }] },
    ],
    ["keys[0].foldCase does not apply to the comparison", { ...order, keys: [{ ...key, foldCase: true }] }],
    [
      "keys[0].foldCase does not apply to the comparison nocase",
      { ...order, keys: [{ ...key, compare: "nocase", foldCase: true }] },
    ],
    [
      "keys[0].invalid applies to numbers, not to the comparison natural",
      { ...order, keys: [{ ...key, compare: "natural", invalid: "last" }] },
    ],
    ['keys[0].descending is "no"', { ...order, keys: [{ ...key, descending: "no" }] }],
    [
      "keys[0].begin.skipBlanks is 1",
      { ...order, keys: [{ ...key, begin: { field: 0, offset: 0, skipBlanks: 1 } }] },
    ],
    ["keys[0].invalid: never is not one of", { ...order, keys: [{ ...key, invalid: "never" }] }],
    ["keys[0].guessed needs a place", { ...order, keys: [{ ...key, guessed: true }] }],
    ["keys[0].nullWords needs a place", { ...order, keys: [{ ...key, nullWords: ["NA"] }] }],
    [
      "keys[0].nullWords are longer than 255 bytes",
      { ...order, keys: [{ ...key, invalid: "last", nullWords: ["x".repeat(256)] }] },
    ],
    [
      "keys[0].nullWords take more than 511 bytes",
      { ...order, keys: [{ ...key, invalid: "last", nullWords: ["x".repeat(255), "y".repeat(255)] }] },
    ],
    ["keys[0].name: 3 is no string", { ...order, keys: [{ ...key, name: 3 }] }],
    ["keys[0].form does not apply", { ...order, keys: [{ ...key, form: { point: 44 } }] }],
    [
      "keys[0].form has one byte for two purposes",
      { ...order, keys: [{ ...key, compare: "number", form: { thousands: 46 } }] },
    ],
    [
      "keys[0].invalid applies to numbers",
      { ...order, keys: [{ ...key, compare: "bytes", invalid: "last" }] },
    ],
  ])("is refused if it %s", async (what, rows) => {
    await expect(requireOptions({ rows: rows as never })).rejects.toMatchObject({
      name: "InputError",
      message: expect.stringContaining(what),
    });
  });

  it("is refused with options that say that the inputs are no lines", () => {
    for (const options of [
      { format: "npy" },
      { format: "text" },
      { recordBytes: 4 },
      { keys: [] },
    ] as const) {
      expect(() => requireRows(order, options)).toThrow("keys of lines do not apply");
    }
    for (const options of [{}, { format: "lines" }] as const)
      expect(() => requireRows(order, options)).not.toThrow();
  });
});

describe("words for no value", () => {
  const by = [{ column: "a" }];

  it.each<[string, unknown, string, RegExp]>([
    ["a string", "NA", "are no array of strings", /^pass one/],
    ["numbers", [0], "are no array of strings", /^pass one/],
    ["an empty one", ["NA", ""], "have an empty one among them", /^leave it out/],
    ["blanks around one", ["NA", " -"], "have blanks around them", /^leave the blanks out/],
    ["a long one", ["x".repeat(256)], "are longer than 255 bytes", /^name shorter ones$/],
    ["many", ["x".repeat(255), "y".repeat(255)], "take more than 511 bytes", /fewer or shorter/],
  ])("are refused if no value can be one of them, with what to do: %s", async (_, words, what, hint) => {
    await expect(requireOptions({ by, nullWords: words as never })).rejects.toMatchObject({
      message: `the words for no value ${what}`,
      hint: expect.stringMatching(hint),
      options: ["nullWords"],
    });
  });

  it("may be none, or have blanks and separators in them", async () => {
    for (const nullWords of [[], ["not known", ",", '"']]) await requireOptions({ by, nullWords });
  });
});

const file = (name: string, content: string): InputFile => ({
  ...byteInput(name, Buffer.from(content, "latin1")),
  checkUnchanged: async () => {},
  close: async () => {},
});
const csv = file("a.csv", "b,1\na,2\n");
const numbers = file("n.txt", "2\n1\n");
const words = file("w.txt", "b\na\n");
const keys = file("k.u32", "abcd");

describe("the inputs of a sort", () => {
  const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

  it("are rows if they hold text, but for numbers that an option names", async () => {
    expect(await rowOrderOf({ files: [csv], kind: "lines" }, {})).toEqual({ order: whole });
    expect(await rowOrderOf({ files: [words], kind: "text" }, {})).toEqual({ order: whole });
    expect(await rowOrderOf({ files: [words], kind: undefined }, {})).toEqual({ order: whole });
    for (const options of [{ type: "u8" }, { written: "npy" }, { algorithm: "bitonic" }] as const)
      expect(await rowOrderOf({ files: [numbers], kind: "text" }, options)).toBe(undefined);
    const key = { begin: { field: 0, offset: 0 }, compare: "number" } as const;
    expect((await rowOrderOf({ files: [numbers], kind: "text" }, {}))!.order).toEqual({
      ...whole,
      keys: [{ ...key, invalid: "last", guessed: true }],
    });
    expect((await rowOrderOf({ files: [numbers], kind: "text" }, { format: "text" }))!.order).toEqual({
      ...whole,
      keys: [{ ...key, invalid: "error" }],
    });
    expect(await rowOrderOf({ files: [keys], kind: "raw" }, {})).toBe(undefined);
    expect(await rowOrderOf({ files: [numbers], kind: "lines" }, { rows: order })).toEqual({ order });
  });

  it("are in descending order if every key is", async () => {
    const begin = { field: 0, offset: 0 };
    expect(await rowOrderOf({ files: [csv], kind: "lines" }, { descending: true })).toEqual({
      order: { ...whole, keys: [{ begin, compare: "bytes", descending: true }] },
    });
    const both = { ...order, keys: [key, { ...key, descending: true }] };
    const options = { rows: both, descending: true };
    const { order: reversed } = (await rowOrderOf({ files: [csv], kind: "lines" }, options))!;
    expect(reversed.keys.map(({ descending }) => descending)).toEqual([true, false]);
  });
});
