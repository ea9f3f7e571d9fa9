import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { parseRowOrder } from "../../src/commands/sort/line_keys.js";
import { InputError, VerifyError } from "../../src/core/errors.js";
import type { ByteInput } from "../../src/core/streams/byte_stream.js";
import { firstRowDisorder } from "../../src/rows/check.js";
import type { RowKey, RowOrder } from "../../src/rows/order/row_order.js";
import { type RowRunner, rowKernels } from "../../src/rows/row_kernels.js";
import type { RowJob } from "../../src/rows/sort_rows.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { memoryFile } from "../support/memory_file.js";
import { rowComparison, rowsOf, sortPlainly } from "../support/plain_rows.js";
import { lineKey, someRows, someTable, tableOrder } from "../support/row_cases.js";
import { rowInput } from "../support/row_inputs.js";
import { eager, LITTLE, sortTexts } from "../support/row_sorts.js";

const tools = new Map([1, 2, 3].map((count) => [count, new KernelThreads(count, eager)]));
afterAll(() => {
  for (const one of tools.values()) one.close();
});

const PLENTY = 1 << 30;

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

const sorted = (
  texts: readonly Uint8Array[],
  order: RowOrder,
  {
    threads = 2,
    isStream = false,
    ...job
  }: Partial<RowJob> & {
    readonly threads?: number;
    readonly isStream?: boolean;
    readonly runner?: RowRunner;
  } = {},
) => {
  const inputs = texts.map((text, i) => rowInput(text, { name: `${i + 1}.txt`, isStream }));
  return sortTexts(tools.get(threads)!, texts, order, { inputs, ...job });
};

describe("rows in memory", () => {
  it("are sorted as by the reference, by any keys, on any number of threads", async () => {
    const runs = Number(process.env.GPUSORT_ROW_RUNS ?? 100);
    const flags = fc.record({
      unique: fc.boolean(),
      threads: fc.constantFrom(1, 2, 3),
      isStream: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(someRows, fc.array(lineKey, { maxLength: 3 }), flags, async (some, keys, given) => {
        const { text, separator, zeroTerminated } = some;
        const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? whole;
        const expected = sortPlainly([text], order, given);
        const actual = await sorted([text], order, given);
        expect(actual.text.toString("latin1")).toBe(expected.toString("latin1"));
      }),
      { numRuns: runs },
    );
  });

  it("may have fields in quotes, with anything in them", async () => {
    await fc.assert(
      fc.asyncProperty(
        someTable({ stray: true }),
        tableOrder("bytes", "number", "decimal", "float", "date"),
        async (text, order) => {
          expect((await sorted([text], order)).text.toString()).toBe(sortPlainly([text], order).toString());
        },
      ),
      { numRuns: 100 },
    );
  });

  it("are compared with their quotes if no key is named", async () => {
    const order: RowOrder = { ...whole, separator: 44, quotes: true };
    const text = Buffer.from('"b\n""c"\na\n"b\n""a",\n#\n');
    expect((await sorted([text], order)).text.toString()).toBe('"b\n""a",\n"b\n""c"\n#\na\n');
  });

  it("keep what comes before them: a header, and a byte order mark", async () => {
    const csv: RowOrder = { ...whole, separator: 44, quotes: true };
    const text = Buffer.from('\ufeff"n\nn",m\r\nb,1\r\na,2');
    expect((await sorted([text, text], csv, { header: true })).text.toString()).toBe(
      '\ufeff"n\nn",m\r\na,2\r\na,2\r\nb,1\r\nb,1\r\n',
    );
    expect((await sorted([Buffer.from("\ufeffb\na")], csv)).text.toString()).toBe("\ufeffa\nb\n");
    expect((await sorted([Buffer.from("head")], whole, { header: true })).text.toString()).toBe("head\n");
    expect((await sorted([Buffer.from("")], whole, { header: true })).text.toString()).toBe("");
  });

  it("are written up to the first ones that are wanted", async () => {
    const text = Buffer.from("c\nb\na\nb\na\n");
    expect((await sorted([text], whole, { head: 3 })).text.toString()).toBe("a\na\nb\n");
    expect((await sorted([text], whole, { head: 2, unique: true })).text.toString()).toBe("a\nb\n");
    expect((await sorted([text], whole, { head: 9, unique: true })).report.written).toBe(3);
  });

  it.each([
    ["of numbers", (i: number) => `${(i * 7919) % 100_003} ${i % 10}`, ["1,1n"]],
    ["of few different keys", (i: number) => `${(i * 7919) % 3} ${i % 10}`, ["1,1n"]],
    ["that begin alike", (i: number) => `common ${(i * 7919) % 100_003}`, ["1"]],
    ["in descending order", (i: number) => `${(i * 7919) % 100_003} ${i % 10}`, ["1,1nr"]],
    ["in order", (i: number) => String(i).padStart(9, "0"), ["1"]],
    ["in reverse order", (i: number) => String(999_999 - i), ["1"]],
  ])("are selected without a sort of all: %s", async (_, lineOf, keys) => {
    const text = Buffer.from(Array.from({ length: 8000 }, (_, i) => `${lineOf(i)}\n`).join(""));
    const order = parseRowOrder({ key: keys })!;
    const inOrder = sortPlainly([text], order);
    for (const unique of [false, true]) {
      // Soon done, as they are in order.
      const all = sortPlainly([inOrder], order, { unique }).toString().split("\n").slice(0, -1);
      for (const head of unique ? [1, 100, 6000] : [2, 2000]) {
        const actual = (await sorted([text], order, { unique, head })).text.toString();
        const first = all.slice(0, head).map((row) => `${row}\n`);
        expect(actual).toBe(first.join(""));
      }
    }
  });

  it("are in the order of decimal numbers of any number of digits before and after the point", async () => {
    const rows: string[] = [];
    for (let whole = 0; whole <= 20; whole++) {
      for (let fraction = -1; fraction <= 20; fraction++) {
        for (const digit of ["0", "1", "9"]) {
          const number = digit.repeat(whole) + (fraction < 0 ? "" : `.${"0".repeat(fraction >> 1)}`);
          const rest = fraction < 0 ? "" : digit.repeat(fraction - (fraction >> 1));
          rows.push(`${number}${rest}`, `-${number}${rest}`, `${number}${rest}7.5`);
        }
      }
    }
    /** The number times 10^25. */
    const scaled = (row: string) => {
      const [, sign, whole, fraction = ""] = /^(-?)(\d*)(?:\.(\d*))?/.exec(row)!;
      const size = BigInt(`0${whole}${fraction.padEnd(25, "0")}`);
      return sign === "-" ? -size : size;
    };
    const values = new Map(rows.map((row) => [row, scaled(row)]));
    const compare = (a: string, b: string) => {
      const [one, other] = [values.get(a)!, values.get(b)!];
      return one < other ? -1 : Number(one > other);
    };
    // Other numbers behind the key must not be taken for its digits.
    const text = Buffer.from(rows.map((row) => `${row},123456789\n`).join(""));
    const order = parseRowOrder({ key: ["1,1n"], fieldSeparator: "," })!;
    const expected = rows.sort(compare).map((row) => `${row},123456789\n`);
    expect((await sorted([text], order)).text.toString()).toBe(expected.join(""));
  });

  it("may be longer than what is written at a time", async () => {
    const long = (letter: string) => letter.repeat(9 << 20);
    const text = Buffer.from(["b", long("c"), "a", long("b"), ""].join("\n"));
    const { text: actual } = await sorted([text], whole);
    expect(actual.equals(Buffer.from(["a", "b", long("b"), long("c"), ""].join("\n")))).toBe(true);
  });

  it.each([100, 1000, 30_000])("of %d bytes are moved by all threads at the same time", async (length) => {
    const runner = tools.get(3)!.runner(rowKernels);
    const run = vi.spyOn(runner, "run");
    const rows = Array.from({ length: Math.ceil(4e6 / length) }, (_, i) =>
      String((i * 7919) % 100_003).padEnd(length, "-"),
    );
    const { text } = await sorted([Buffer.from(`${rows.join("\n")}\n`)], whole, { runner });
    expect(text.toString() === `${rows.sort().join("\n")}\n`).toBe(true);
    const moves = run.mock.calls.flatMap(([kernel, calls]) => (kernel === "move_rows" ? calls.length : []));
    run.mockRestore();
    expect(moves.length).toBeGreaterThan(1);
    expect(Math.min(...moves.slice(0, -1))).toBeGreaterThanOrEqual(3); // the last ones may be few
  });

  it("end a sort that is aborted", async () => {
    const controller = new AbortController();
    const inputs = [rowInput(Buffer.from("b\na\n"))];
    controller.abort(new Error("enough"));
    await expect(sorted([], whole, { inputs, signal: controller.signal })).rejects.toThrow("enough");
  });

  const csv = (...keys: RowKey[]): RowOrder => ({ terminator: 10, separator: 44, quotes: true, keys });
  const second: RowKey = {
    begin: { field: 1, offset: 0 },
    end: { field: 1 },
    compare: "decimal",
    invalid: "error",
  };
  it.each([
    ["a quote that is not closed", csv(), ["a,b\n", 'a,"b\nc\n'], "2.txt ends within quotes"],
    [
      "text after a closing quote",
      csv(),
      ["a\n", 'a\nb,5" c\nd,"6" e\n'],
      "2.txt: row 3 has text after the closing quote of a field",
    ],
    [
      "a first key that is no number",
      csv(second),
      ["a,1\n", "b,2\nc,3\nd,x\n"],
      "2.txt: row 3 has no number as its key 1",
    ],
    [
      "a second key that is no number",
      csv({ ...second, begin: { field: 0, offset: 0 }, end: { field: 0 } }, second),
      ["1,1\n2,\n"],
      "1.txt: row 2 has no number as its key 2",
    ],
  ])("are refused for %s", async (_, order, texts, message) => {
    const refused = sorted(
      texts.map((text) => Buffer.from(text)),
      order,
    );
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toThrow(message);
  });

  it("have the header of the first input that is not empty", async () => {
    for (const isStream of [false, true]) {
      const texts = ["", "n\nb\n", "", "n\na\n"].map((text) => Buffer.from(text));
      const { text } = await sorted(texts, whole, { header: true, isStream });
      expect(text.toString()).toBe("n\na\nb\n");
      const others = sorted([...texts, Buffer.from("m\n")], whole, { header: true, isStream });
      await expect(others).rejects.toThrow("2.txt and 5.txt differ in their header");
    }
  });

  it("may have the byte order mark of one of them", async () => {
    for (const [first, second] of [
      ["\ufeffn\nb\n", "n\na\n"],
      ["n\nb\n", "\ufeffn\r\na\n"],
    ] as const) {
      const { text } = await sorted([Buffer.from(first), Buffer.from(second)], whole, { header: true });
      expect(text.toString()).toBe(`${first.slice(0, first.indexOf("\n"))}\na\nb\n`);
    }
  });

  it("are refused if their headers differ", async () => {
    const texts = [Buffer.from("n\na\n"), Buffer.from("m\nb\n")];
    await expect(sorted(texts, whole, { header: true })).rejects.toThrow(
      "1.txt and 2.txt differ in their header",
    );
  });
});

/** Texts of some megabytes. */
function* largeTexts(): Generator<[string, RowOrder, Buffer]> {
  const lines = (count: number, line: (i: number) => string) =>
    Buffer.from(Array.from({ length: count }, (_, i) => `${line(i)}\n`).join(""));
  let state = 1;
  const random = (most: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state % most;
  };
  const byNumber = parseRowOrder({ key: ["2,2n"], fieldSeparator: "," })!;
  const byTwo = parseRowOrder({ key: ["3,3", "1,1nr"], fieldSeparator: "," })!;
  yield ["random numbers", byNumber, lines(75_000, (i) => `${i},${random(1e6) - 5e5},x`)];
  yield ["few keys", byNumber, lines(75_000, (i) => `${i},${i % 3},x`)];
  yield ["equal first keys", byTwo, lines(75_000, (i) => `${i},,same`)];
  yield ["equal rows", whole, lines(90_000, () => "the same")];
  yield ["empty rows", whole, lines(160_000, () => "")];
  yield ["rows in order", whole, lines(75_000, (i) => String(i).padStart(9, "0"))];
  yield [
    "rows of all lengths",
    whole,
    lines(4000, (i) => "y".repeat(random(i % 50 === 0 ? 60_000 : 900)) + i),
  ];
  yield ["long common prefixes", whole, lines(20_000, () => `${"prefix".repeat(30)}${random(1e4)}`)];
  yield [
    "rows longer than a share of the memory",
    whole,
    lines(40, (i) => `${random(9)}${"z".repeat(3e5 - i)}`),
  ];
}

/** The numbers of the rows in the order of the reference. */
function numbersOf(
  texts: readonly Buffer[],
  order: RowOrder,
  given: { readonly unique?: boolean; readonly head?: number },
): number[] {
  const compare = order.keys.length === 0 ? Buffer.compare : rowComparison(order);
  const rows = texts.flatMap((text) => rowsOf(text, order));
  const places = rows.map((_, i) => i).sort((a, b) => compare(rows[a]!, rows[b]!));
  const isKept = (at: number, i: number) => i === 0 || compare(rows[places[i - 1]!]!, rows[at]!) !== 0;
  return (given.unique ? places.filter(isKept) : places).slice(0, given.head);
}

const asNumbers = (bytes: Buffer) => [...new Uint32Array(new Uint8Array(bytes).buffer)];

describe("the numbers of rows", () => {
  it("are those of the reference", async () => {
    const flags = fc.record({ unique: fc.boolean(), head: fc.constantFrom(1, 3, 100) });
    await fc.assert(
      fc.asyncProperty(someRows, fc.array(lineKey, { maxLength: 2 }), flags, async (some, keys, given) => {
        const { text, separator, zeroTerminated } = some;
        const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? whole;
        const actual = await sorted([text, text], order, { ...given, numbers: true });
        expect(asNumbers(actual.text)).toEqual(numbersOf([text, text], order, given));
      }),
      { numRuns: 50 },
    );
  });

  it("count no headers, and are those of all rows out of core", async () => {
    const keys = Array.from({ length: 35_000 }, (_, i) => (i * 7919) % 20_021);
    const text = Buffer.from(`n x\n${keys.map((key, i) => `${key} ${"x".repeat(i % 60)}\n`).join("")}`);
    const all = [...keys, ...keys];
    const places = all.map((_, i) => i).sort((a, b) => all[a]! - all[b]!);
    const order = parseRowOrder({ key: ["1,1n"] })!;
    for (const given of [{}, { unique: true }, { head: 1000 }]) {
      const job = { ...given, header: true, numbers: true, memoryBytes: LITTLE, isStream: true };
      const { text: bytes, report } = await sorted([text, text], order, job);
      expect(report.external?.runs).toBeGreaterThan(1);
      const kept =
        "unique" in given ? places.filter((at, i) => i === 0 || all[at] !== all[places[i - 1]!]) : places;
      expect(asNumbers(bytes)).toEqual("head" in given ? kept.slice(0, 1000) : kept);
    }
  });
});

describe("rows that do not fit in memory", () => {
  it.each([...largeTexts()])("are sorted as by the reference: %s", async (_, order, text) => {
    const inOrder = sortPlainly([text], order);
    for (const unique of [false, true]) {
      const { text: actual, report } = await sorted([text], order, { memoryBytes: LITTLE, unique });
      expect(report.external?.runs).toBeGreaterThan(1);
      expect(actual.equals(unique ? sortPlainly([inOrder], order, { unique }) : inOrder)).toBe(true);
    }
  });

  it("are read back once from the temporary file, even if they begin alike", async () => {
    const file = memoryFile();
    let bytesRead = 0;
    const read = (into: Uint8Array, offset: number) => {
      bytesRead += into.length;
      return file.read(into, offset);
    };
    const rows = Array.from(
      { length: 40_000 },
      (_, i) => `${"the same begin, ".repeat(8)}${(i * 7919) % 40_009}`,
    );
    const text = Buffer.from(`${rows.join("\n")}\n`);
    const createStore = async () => ({ ...file, read });
    const { text: actual } = await sorted([text], whole, { memoryBytes: LITTLE, createStore });
    expect(actual.toString()).toBe(`${rows.toSorted().join("\n")}\n`);
    expect(bytesRead).toBe(text.length);
  });

  const values = new Float64Array(150_000).map((_, i) => (i * 7919) % 150_001);
  const numbers = Buffer.from(`${values.join("\n")}\n`);
  const byNumber = parseRowOrder({ numericSort: true })!;

  it("are written up to the first ones that are wanted", async () => {
    const expected = values.toSorted().slice(0, 1000).join("\n");
    const { text } = await sorted([numbers], byNumber, { memoryBytes: LITTLE, head: 1000, isStream: true });
    expect(text.toString()).toBe(`${expected}\n`);
  });

  it.each([
    ["that rise", (i: number) => i, ["1n"], 1],
    ["that fall, so that no part leaves rows out", (i: number) => 150_000 - i, ["1n"], 9],
    ["that fall, in descending order", (i: number) => 150_000 - i, ["1nr"], 1],
    ["that are few", (i: number) => i % 7, ["1n"], 9],
  ])("keep a bound from part to part: rows of numbers %s", async (_, numberOf, [key], mostRuns) => {
    const numbers = Array.from({ length: 150_000 }, (_, i) => numberOf(i));
    const text = Buffer.from(`${numbers.join("\n")}\n`);
    const sign = key === "1nr" ? -1 : 1;
    const all = Float64Array.from(numbers).sort((a, b) => sign * (a - b));
    for (const unique of [false, true]) {
      const kept = unique ? [...new Set(all)] : [...all];
      for (const head of [1, 3000]) {
        const given = { memoryBytes: LITTLE, head, unique };
        const { text: actual, report } = await sorted([text], parseRowOrder({ key: [key!] })!, given);
        expect(actual.toString()).toBe(`${kept.slice(0, head).join("\n")}\n`);
        expect(report.external!.runs).toBeLessThanOrEqual(mostRuns);
      }
    }
  });

  it("are not written if the temporary file changes", async () => {
    const file = memoryFile();
    const read = async (into: Uint8Array, offset: number) => {
      await file.read(into, offset);
      if (into.length > 5) into[0] = into[0] === 0x31 ? 0x32 : 0x31;
    };
    const createStore = async () => ({ ...file, read });
    const result = sorted([numbers], byNumber, { memoryBytes: LITTLE, createStore });
    await expect(result).rejects.toThrow(VerifyError);
  });

  it("are refused if one row does not fit", async () => {
    const long = Buffer.concat([Buffer.from("a\n\n"), Buffer.alloc(20 << 20, 0x61), Buffer.from("\nb\n")]);
    for (const isStream of [false, true]) {
      const result = sorted([Buffer.from("b\nc\n"), long], whole, { memoryBytes: LITTLE, isStream });
      await expect(result).rejects.toMatchObject({
        message: expect.stringMatching(
          /^2\.txt: row 3 has more than \d{7} bytes, which does not fit in the memory$/,
        ),
        options: ["memoryBytes"],
      });
    }
  });

  it("are refused if a header has no end, before it fills the memory", async () => {
    let most = 0;
    const endless: ByteInput = {
      name: "endless",
      byteLength: undefined,
      peek: async (count) => {
        most = Math.max(most, count);
        return new Uint8Array(count).fill(0x37);
      },
      next: async (into) => into.fill(0x37).length,
    };
    const result = sorted([], whole, { header: true, inputs: [endless] });
    await expect(result).rejects.toThrow("row 1 of endless, its header, has more than 16777216 bytes");
    expect(most).toBe(2 ** 24);
  });
});

describe("the first row out of order", () => {
  const find = (texts: readonly Buffer[], order: RowOrder, unique = false, memoryBytes = PLENTY) => {
    const inputs = texts.map((text, i) => rowInput(text, { name: `${i + 1}.txt` }));
    const runner = tools.get(2)!.runner(rowKernels);
    const options = { order, unique, header: false, memoryBytes };
    return firstRowDisorder(runner, inputs, options).finally(() => runner.close());
  };

  it("is the one that the reference finds", async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows,
        fc.array(lineKey, { maxLength: 2 }),
        fc.boolean(),
        async (some, keys, unique) => {
          const { separator, zeroTerminated } = some;
          const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? whole;
          const all = sortPlainly([some.text], order);
          for (const text of [all, some.text]) {
            const rows = rowsOf(text, order);
            const compare = rowComparison(order);
            const wrong = rows.findIndex((row, i) => i > 0 && compare(rows[i - 1]!, row) > (unique ? -1 : 0));
            const found = await find([text], order, unique);
            expect(found?.row ?? -1).toBe(wrong);
            if (found) {
              const bytes = [found.before, found.after].map((row) => Buffer.from(row));
              expect(bytes).toEqual([rows[wrong - 1], rows[wrong]].map((row) => Buffer.from(row!)));
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("is found in a text that does not fit in memory, and in a later input", async () => {
    const text = (count: number) =>
      Array.from({ length: count }, (_, i) => `${String(i).padStart(9, "0")}\n`).join("");
    const large = Buffer.from(text(400_000));
    expect(await find([large], whole, true, LITTLE)).toBeUndefined();
    const found = await find([large, Buffer.from("1\n2\n1\n")], whole, false, LITTLE);
    expect([found?.input, found?.row]).toEqual(["2.txt", 2]);
  });
});
