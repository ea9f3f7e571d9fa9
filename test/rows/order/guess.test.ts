import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { firstRowDisorder, rowSummary } from "../../../src/rows/check.js";
import { mergeRows } from "../../../src/rows/merge/merge_inputs.js";
import { WrongGuess } from "../../../src/rows/order/guess.js";
import type { RowKey, RowOrder } from "../../../src/rows/order/row_order.js";
import type { Misfit } from "../../../src/rows/order/tally.js";
import { rowKernels } from "../../../src/rows/row_kernels.js";
import { KernelThreads } from "../../../src/threads/kernel_threads.js";
import { memoryFile } from "../../support/memory_file.js";
import { sortPlainly } from "../../support/plain_rows.js";
import { columnKey, eager, LITTLE, sortTexts, table, textInputs } from "../../support/row_sorts.js";

const tools = new KernelThreads(2, eager);
afterAll(() => tools.close());

const guessed = (field: number, more: Partial<RowKey> = {}) =>
  columnKey(field, "number", { invalid: "last", guessed: true, ...more });

/** Widens a guessed key to text, and keeps what it was told. */
function widening(first: RowOrder) {
  let order = first;
  const misfits: Misfit[] = [];
  const widen = (misfit: Misfit) => {
    misfits.push(misfit);
    const keys = order.keys.map((key, i): RowKey => {
      if (i !== misfit.key) return key;
      const { invalid: _, guessed: __, ...other } = key;
      return { ...other, compare: "bytes" };
    });
    order = { ...order, keys };
    return order;
  };
  return { widen, misfits, order: () => order };
}

/** A table of some megabytes: a number, another one, and what makes rows long. */
const rows = (count: number, value: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `${(i * 7919) % 1009},${value(i)},${"x".repeat(i % 300)}\n`);

/** Texts of which one value, far behind, is none, in one column or in two. */
function* lateTexts(): Generator<[string, Buffer[], number]> {
  const numbers = rows(20_000, (i) => String((i * 31) % 13_001));
  const late = numbers.with(17_500, "5,N/A,\n");
  yield ["the last but some rows of an input", [Buffer.from(late.join(""))], 1];
  yield [
    "a second input",
    [numbers.slice(0, 13_000), late.slice(13_000)].map((some) => Buffer.from(some.join(""))),
    1,
  ];
  const both = late.with(9_000, "2024-01-01,3,\n");
  yield ["two columns", [Buffer.from(both.join(""))], 2];
}

describe("an order with guessed keys", () => {
  it("becomes the one that holds for all values, wherever they are", async () => {
    const value = fc.constantFrom("1", "2", "10", "1.0", "", "N/A", "x", "nan");
    const texts = fc.array(fc.array(fc.tuple(value, value), { maxLength: 12 }), {
      minLength: 1,
      maxLength: 2,
    });
    const given = fc.record({ unique: fc.boolean(), isStream: fc.boolean(), head: fc.constantFrom(2, 1e9) });
    await fc.assert(
      fc.asyncProperty(texts, given, async (some, { head, ...job }) => {
        const all = some.map((fields) =>
          Buffer.from(fields.map((one, i) => `${one.join(",")},${i}\n`).join("")),
        );
        const order = table(guessed(0), guessed(1, { descending: true }));
        const { widen, order: widest } = widening(order);
        const { text } = await sortTexts(tools, all, order, { ...job, head, widen });
        const isNumber = (column: number) => some.flat().every((fields) => !/[A-Zx]/.test(fields[column]!));
        expect(widest().keys.map(({ compare }) => compare === "number")).toEqual([isNumber(0), isNumber(1)]);
        const expected = sortPlainly(all, widest(), job).toString().split("\n").slice(0, -1).slice(0, head);
        expect(text.toString()).toBe(expected.map((row) => `${row}\n`).join(""));
      }),
      { numRuns: 100 },
    );
  });

  it.each([...lateTexts()])("begins anew out of core: %s", async (_, texts, widenings) => {
    // In this direction the words of text are above the bound that a run of numbers has set.
    const descending = { descending: true };
    const expected = table(
      columnKey(1, "bytes", descending),
      widenings === 2 ? columnKey(0, "bytes") : guessed(0),
    );
    const [all, distinct] = [false, true].map((unique) =>
      sortPlainly(texts, expected, { unique }).toString().split("\n").slice(0, -1),
    ) as [string[], string[]];
    for (const [isStream, given] of [
      [false, {}],
      [true, {}],
      [true, { unique: true }],
      [false, { head: 5000 }],
      [true, { head: 50 }],
    ] as const) {
      const order = table(guessed(1, descending), guessed(0));
      const { widen, misfits, order: widest } = widening(order);
      const { text, report } = await sortTexts(tools, texts, order, {
        ...given,
        isStream,
        widen,
        memoryBytes: LITTLE,
      });
      expect(report.external?.runs).toBeGreaterThan(1);
      expect(misfits.length).toBe(widenings);
      expect(misfits.map(({ value }) => Buffer.from(value).toString())).toContain("N/A");
      expect(widest()).toEqual(expected);
      const rows = ("unique" in given ? distinct : all).slice(0, "head" in given ? given.head : undefined);
      expect(text.toString() === rows.map((row) => `${row}\n`).join("")).toBe(true);
    }
  });

  it("reads the numbers of rows again, too", async () => {
    const [, texts] = [...lateTexts()][1]!;
    const { widen, order: widest } = widening(table(guessed(1)));
    const job = { widen, numbers: true, isStream: true, memoryBytes: LITTLE };
    const { text } = await sortTexts(tools, texts, table(guessed(1)), job);
    const all = Buffer.concat(texts).toString().split("\n").slice(0, -1);
    const sorted = [...new Uint32Array(new Uint8Array(text).buffer)].map((row) => `${all[row]}\n`).join("");
    expect(sorted === sortPlainly(texts, widest()).toString()).toBe(true);
  });

  it("does not take text again that changed since it was kept", async () => {
    const [, texts] = [...lateTexts()][0]!;
    const { widen } = widening(table(guessed(1)));
    const createStore = async (_: number | undefined, holds: "runs" | "input") => {
      const file = memoryFile();
      const read = async (into: Uint8Array, at: number) => {
        await file.read(into, at);
        if (holds === "input") into[0] = into[0]! ^ 1;
      };
      return { ...file, read };
    };
    const job = { widen, isStream: true, memoryBytes: LITTLE, createStore };
    await expect(sortTexts(tools, texts, table(guessed(1)), job)).rejects.toThrow(
      "a temporary file does not hold what was written to it",
    );
  });

  it("may be one of lines, whose bytes are moved as they are", async () => {
    const number: RowKey = {
      begin: { field: 0, offset: 0 },
      compare: "number",
      invalid: "first",
      guessed: true,
    };
    const lines: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [number] };
    const widen = () => ({ ...lines, keys: [] });
    const sorted = async (text: string, given: Partial<RowKey> = {}) => {
      const order = { ...lines, keys: [{ ...number, ...given }] };
      return (await sortTexts(tools, [Buffer.from(text)], order, { widen })).text.toString();
    };
    expect(await sorted("10\n00501\r\n+7\n\n 9 \n1e1\r\n\r\n")).toBe("\n\r\n+7\n 9 \n10\n1e1\r\n00501\r\n");
    expect(await sorted("10\n9\n1.5e3\n-1\n")).toBe("-1\n9\n10\n1.5e3\n");
    expect(await sorted("10\n9\n-1\n", { descending: true })).toBe("10\n9\n-1\n");
    expect(await sorted("10\n9\nx\n")).toBe("10\n9\nx\n");
  });

  it("names the row of the value", async () => {
    const texts = ["h\n1\n2\n", "h\n3\n\nN/A\nx\n"].map((text) => Buffer.from(text));
    const { widen, misfits } = widening(table(guessed(0)));
    const header = Buffer.from("h\n");
    const { text } = await sortTexts(tools, texts, table(guessed(0)), { widen, header: true });
    expect(misfits).toEqual([{ input: "2.csv", row: 3, key: 0, value: new Uint8Array(Buffer.from("N/A")) }]);
    expect(text.toString()).toBe(`${header}\n1\n2\n3\nN/A\nx\n`);
  });

  it("is an error of the value if nothing says what it becomes, and if values must be there", async () => {
    const text = Buffer.from("1\nN/A\n");
    await expect(sortTexts(tools, [text], table(guessed(0)))).rejects.toThrow("1.csv: row 2 has no number");
    const order = table(guessed(0, { invalid: "error" }));
    const { widen } = widening(order);
    expect((await sortTexts(tools, [text], order, { widen })).text.toString()).toBe("1\nN/A\n");
    await expect(sortTexts(tools, [Buffer.from("1\n\n")], order, { widen })).rejects.toThrow(
      "row 2 has no number",
    );
    // A value behind it may show that nothing is missing, as the column is text.
    expect((await sortTexts(tools, [Buffer.from("1\n\nx\n")], order, { widen })).text.toString()).toBe(
      "\n1\nx\n",
    );
  });

  it("is thrown by a merge, whose output is to begin anew", async () => {
    const texts = ["1\n2\n", "10\nx\n"].map((text) => Buffer.from(text));
    const order = table(guessed(0));
    const merge = async (given: RowOrder) => {
      const runner = tools.runner(rowKernels);
      const parts: Buffer[] = [];
      const { widen } = widening(given);
      const job = {
        inputs: textInputs(texts),
        order: given,
        header: false,
        unique: false,
        head: 1e9,
        verify: true,
      };
      try {
        await mergeRows(
          runner,
          { ...job, widen, memoryBytes: 1 << 28 },
          async (bytes) => void parts.push(Buffer.from(bytes)),
        );
      } finally {
        runner.close();
      }
      return Buffer.concat(parts).toString();
    };
    const wrong = await merge(order).catch((error) => error);
    expect(wrong).toBeInstanceOf(WrongGuess);
    expect(await merge((wrong as WrongGuess).order)).toBe("1\n10\n2\nx\n");
  });
});

describe("the checks of an order with guessed keys", () => {
  const checks = async (texts: readonly Buffer[], isStream: boolean) => {
    const results = [];
    for (const check of [rowSummary, firstRowDisorder] as const) {
      const runner = tools.runner(rowKernels);
      const { widen } = widening(table(guessed(1), guessed(0)));
      const options = {
        order: table(guessed(1), guessed(0)),
        header: false,
        unique: false,
        memoryBytes: LITTLE,
      };
      const createStore = async () => memoryFile();
      results.push(await check(runner, textInputs(texts, isStream), { ...options, widen, createStore }));
      runner.close();
    }
    return results as [Awaited<ReturnType<typeof rowSummary>>, Awaited<ReturnType<typeof firstRowDisorder>>];
  };

  it.each([false, true])("decide by all values (streams: %s)", async (isStream) => {
    const numbers = rows(30_000, (i) => String(i));
    const asText = table(columnKey(1, "bytes"), columnKey(0, "number", { invalid: "last" }));
    const withText = sortPlainly([Buffer.from(numbers.with(500, "5,N/A,\n").join(""))], asText);
    const [summary, disorder] = await checks([withText], isStream);
    expect(summary).toMatchObject({ count: 30_000, inversions: 0, firstInversion: undefined });
    expect(disorder).toBeUndefined();
    // In the order of numbers, but the last value is none.
    const [wrong, first] = await checks([Buffer.from(`${numbers.join("")}1,N/A,\n`)], isStream);
    expect(wrong.firstInversion).toBe(9);
    expect(wrong.count).toBe(30_001);
    expect(first).toMatchObject({ row: 10, after: new Uint8Array(Buffer.from(numbers[10]!.slice(0, -1))) });
    const [right, none] = await checks([Buffer.from(numbers.join(""))], isStream);
    expect([right.inversions, none]).toEqual([0, undefined]);
  });
});
