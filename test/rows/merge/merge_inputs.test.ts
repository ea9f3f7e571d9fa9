import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parseRowOrder } from "../../../src/commands/sort/line_keys.js";
import { InputError } from "../../../src/core/errors.js";
import { type MergeJob, mergeRows } from "../../../src/rows/merge/merge_inputs.js";
import type { RowOrder } from "../../../src/rows/order/row_order.js";
import { rowKernels } from "../../../src/rows/row_kernels.js";
import { KernelThreads } from "../../../src/threads/kernel_threads.js";
import { sortByGnu, withGnuSort } from "../../support/gnu_sort.js";
import { rowsOf, sortPlainly } from "../../support/plain_rows.js";
import { lineKey, someRows } from "../../support/row_cases.js";
import { rowInput } from "../../support/row_inputs.js";

const tools = new KernelThreads(2, { sharedBytes: 1, startBytes: 1, threadBytes: 1 });
afterAll(() => tools.close());

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

async function merged(texts: readonly Buffer[], order: RowOrder, given: Partial<MergeJob> = {}) {
  const runner = tools.runner(rowKernels);
  const parts: Buffer[] = [];
  const job = {
    inputs: texts.map((text, i) => rowInput(text, { name: `${i + 1}.txt`, isStream: i % 2 === 1 })),
    order,
    header: false,
    unique: false,
    head: Number.POSITIVE_INFINITY,
    verify: true,
    memoryBytes: 1 << 30,
    ...given,
  };
  try {
    const report = await mergeRows(runner, job, async (bytes) => {
      await new Promise(setImmediate); // what is written must stay as it is until then
      parts.push(Buffer.from(bytes));
    });
    return { text: Buffer.concat(parts), report };
  } finally {
    runner.close();
  }
}

describe("a merge of sorted rows", () => {
  it("is the stable sort of all of them, by any keys", async () => {
    const flags = fc.record({ unique: fc.boolean(), cuts: fc.array(fc.nat(30), { maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(someRows, fc.array(lineKey, { maxLength: 2 }), flags, async (some, keys, given) => {
        const { text, separator, zeroTerminated } = some;
        const { unique } = given;
        const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? whole;
        const rows = rowsOf(text, order);
        const cuts = [0, ...given.cuts.map((cut) => Math.min(cut, rows.length)).sort((a, b) => a - b)];
        const end = Buffer.of(order.terminator);
        const texts = cuts.map((cut, i) =>
          sortPlainly([Buffer.concat(rows.slice(cut, cuts[i + 1]).flatMap((row) => [row, end]))], order),
        );
        const actual = await merged(texts, order, { unique });
        expect(actual.text.toString("latin1")).toBe(sortPlainly(texts, order, { unique }).toString("latin1"));
      }),
      { numRuns: 75 },
    );
  });

  /** Sorted lines of numbers; some inputs cover other ranges than others. */
  const numbered = (input: number, count: number) =>
    Buffer.from(
      Array.from(
        { length: count },
        (_, i) => `${(input % 3) * 50_000 + i * (1 + (input % 5))} ${input}\n`,
      ).join(""),
    );
  const byNumber = parseRowOrder({ key: ["1,1n"] })!;

  withGnuSort.it("takes no more memory for more rows, and is that of GNU sort", async () => {
    const texts = Array.from({ length: 23 }, (_, i) => numbered(i, 15_000));
    const all = Buffer.concat(texts);
    for (const [given, args] of [
      [{}, []],
      [{ unique: true }, ["-u"]],
      [{ head: 1234 }, []],
    ] as const) {
      const gnu = sortByGnu(["-s", "-k1,1n", ...args], all);
      const expected =
        "head" in given ? `${gnu.toString().split("\n").slice(0, 1234).join("\n")}\n` : gnu.toString();
      const { text, report } = await merged(texts, byNumber, { ...given, memoryBytes: 5 << 20 });
      expect(text.equals(Buffer.from(expected))).toBe(true);
      expect(report.written).toBe(expected.split("\n").length - 1);
    }
  });

  withGnuSort.it("divides equal rows among threads", async () => {
    const inputs = [0, 1, 2].map((input) =>
      Array.from({ length: 40_000 }, (_, i) => `${Math.floor(i / 15_000)} ${input} ${i}\n`).join(""),
    );
    const texts = inputs.map((text) => Buffer.from(text));
    for (const unique of [false, true]) {
      const args = unique ? ["-u"] : [];
      const expected = sortByGnu(["-s", "-k1,1n", ...args], Buffer.concat(texts));
      expect((await merged(texts, byNumber, { unique })).text.equals(expected)).toBe(true);
    }
  });

  it("takes any number of inputs, of which one is ahead for any number of rows", async () => {
    const block = fc.record({ from: fc.nat(40), rows: fc.nat(12), step: fc.nat(2) });
    const inputs = fc.array(fc.array(block, { maxLength: 4 }), { minLength: 1, maxLength: 9 });
    const orders = [["1,1"], ["1,1", "2,2nr"], ["2,2n"], undefined].map(
      (key) => (key && parseRowOrder({ key })) ?? whole,
    );
    const given = fc.record({ unique: fc.boolean(), head: fc.oneof(fc.nat(60), fc.constant(1000)) });
    await fc.assert(
      fc.asyncProperty(inputs, fc.constantFrom(...orders), given, async (some, order, { unique, head }) => {
        // The first words of the strings are alike, and the second ones often.
        const texts = some.map((blocks, input) => {
          const values = blocks.flatMap(({ from, rows, step }) =>
            Array.from({ length: rows }, (_, i) => from + i * step),
          );
          const rows = values.map((value, i) => `common-${value >> 2} ${value} ${input % 2 ? `${i}` : ""}\n`);
          return sortPlainly([Buffer.from(rows.join(""))], order);
        });
        const rows = rowsOf(sortPlainly(texts, order, { unique }), order).slice(0, head);
        const { text, report } = await merged(texts, order, { unique, head });
        expect(text.toString()).toBe(rows.map((row) => `${row}\n`).join(""));
        expect(report.written).toBe(rows.length);
      }),
      { numRuns: 100 },
    );
  });

  withGnuSort.it("compares strings that begin alike, and the keys after them", async () => {
    const names = [
      "",
      "a",
      "sevenby",
      "sevenbyt",
      "sevenbytes",
      "sevenbytesandmanymore",
      "sevenbytesandmanyless",
    ];
    for (const args of [["-t,", "-k1,1"], ["-t,", "-k1,1", "-k2,2n"], ["-t,", "-k1,1r", "-k2,2nr"], []]) {
      const texts = [0, 1, 2].map((input) => {
        const rows = Array.from(
          { length: 12_000 },
          (_, i) => `${names[i % 7]},${(i * 7919) % 13},${input}\n`,
        );
        return sortByGnu(["-s", ...args], Buffer.from(rows.join("")));
      });
      const key = args.slice(1).map((one) => one.slice(2));
      const order = parseRowOrder({ key, fieldSeparator: args.length > 0 ? "," : undefined }) ?? whole;
      for (const unique of [false, true]) {
        const expected = sortByGnu(["-s", ...args, ...(unique ? ["-u"] : [])], Buffer.concat(texts));
        expect((await merged(texts, order, { unique })).text.equals(expected)).toBe(true);
      }
    }
  });

  withGnuSort.it("merges whole rows of any number of inputs as GNU sort", async () => {
    const long = "x".repeat(300);
    const values = [
      "",
      "a",
      "seven77",
      "eight888",
      `${long}a`,
      `${long}b`,
      "\xff\xff\xff\xff\xff\xff\xff\xff",
    ];
    const sources = [
      // Equal rows, also in several inputs and parts.
      (input: number) => Array.from({ length: 9000 }, (_, i) => values[(i * (input + 3)) % 7]!),
      // One input before the others, one without rows, one with a row that is longer than its region.
      (input: number) =>
        Array.from({ length: [20_000, 0, 300, 9000, 9000][input]! }, (_, i) => `${input}-${i * 7}`).concat(
          input === 2 ? ["y".repeat(400_000)] : [],
        ),
      // Random ones, whose words are seldom equal.
      (input: number) =>
        Array.from({ length: 12_000 }, (_, i) => `${((i + 1) * 7919 * (input + 1)) % 104_729}`),
    ];
    const flags = [[], ["-r"], ["-u"], ["-z"], ["-r", "-u"]];
    for (const rowsFor of sources) {
      for (const args of flags) {
        const known: Buffer[] = [];
        for (const inputs of args.length > 0 ? [2, 5] : [1, 2, 5]) {
          const zeroTerminated = args.includes("-z");
          const [end, unique] = [zeroTerminated ? "\0" : "\n", args.includes("-u")];
          const texts = Array.from({ length: inputs }, (_, input) => {
            if (known[input]) return known[input];
            const rows = rowsFor(input).map((row) => `${row}${end}`);
            known[input] = sortByGnu(["-s", ...args], Buffer.from(rows.join(""), "latin1"));
            return known[input];
          });
          const expected = sortByGnu(["-s", ...args], Buffer.concat(texts));
          const descending = [
            { begin: { field: 0, offset: 0 }, compare: "bytes", descending: true },
          ] as const;
          const order: RowOrder = {
            ...whole,
            terminator: zeroTerminated ? 0 : 10,
            keys: args.includes("-r") ? descending : [],
          };
          // The last row may lack its end.
          const cut = texts.map((text) =>
            text.length > 1 && text.at(-2) !== text.at(-1) ? text.subarray(0, -1) : text,
          );
          const { text } = await merged(cut, order, { unique, memoryBytes: 6 << 20 });
          expect(text.equals(expected), `${inputs} inputs, ${args.join(" ")}`).toBe(true);
        }
      }
    }
  });

  it("ends two inputs with any row, and finds the one that is not in order", async () => {
    const numbers = (input: number) =>
      Array.from({ length: 20_000 }, (_, i) => `${100_000 + 2 * i + (i % 3) * input}`);
    for (const unique of [false, true]) {
      const texts = [0, 1].map((input) => Buffer.from(`${numbers(input).sort().join("\n")}\n`));
      const rows = rowsOf(sortPlainly(texts, whole, { unique }), whole);
      for (const head of [0, 1, 64, 65, 20_001, rows.length]) {
        const { text } = await merged(texts, whole, { unique, head });
        expect(text.toString()).toBe(
          rows
            .slice(0, head)
            .map((row) => `${row}\n`)
            .join(""),
        );
      }
    }
    for (const row of [1, 31, 32, 33, 9999, 19_999]) {
      for (const input of [0, 1]) {
        const texts = [0, 1].map((own) =>
          numbers(0).map((text, i) => (own === input && i === row ? "1" : text)),
        );
        const message = `cannot merge ${input + 1}.txt: its row ${row + 1} is not in order`;
        await expect(
          merged(
            texts.map((some) => Buffer.from(`${some.join("\n")}\n`)),
            whole,
          ),
        ).rejects.toThrow(message);
      }
    }
  });

  it("ends with any row, in whichever part of the result", async () => {
    const texts = [0, 1, 2].map((input) =>
      Buffer.from(Array.from({ length: 30_000 }, (_, i) => `${Math.floor(i / 3)} ${input} ${i}\n`).join("")),
    );
    for (const unique of [false, true]) {
      const rows = rowsOf(sortPlainly(texts, byNumber, { unique }), byNumber);
      for (const head of [0, 1, 10_000, 45_678, 90_000]) {
        const expected = rows.slice(0, head);
        const { text, report } = await merged(texts, byNumber, { unique, head });
        expect(report.written).toBe(expected.length);
        expect(text.equals(Buffer.from(expected.map((row) => `${row}\n`).join("")))).toBe(true);
      }
    }
  });

  it("takes rows of any length, also where another input's are short", async () => {
    const long = (letter: string, bytes: number) => `${letter.repeat(bytes)}\n`;
    const texts = [
      `a\n${long("b", 300_000)}${long("c", 5)}d\n`,
      Array.from({ length: 30_000 }, (_, i) => `b${String(i).padStart(5, "0")}\n`).join(""),
      `${long("c", 200_000)}${long("d", 700_000)}`,
      "\n".repeat(100_000),
    ].map((text) => Buffer.from(text));
    for (const memoryBytes of [6 << 20, 1 << 30]) {
      const { text, report } = await merged(texts, whole, { memoryBytes });
      expect(text.equals(sortPlainly(texts, whole))).toBe(true);
      expect(report).toMatchObject({ rows: 130_006, bytes: text.length, written: 130_006 });
    }
    await expect(merged(texts, whole, { memoryBytes: 1 << 20 })).rejects.toThrow(
      /^\d.txt: row \d+ has more than \d+ bytes, which does not fit in the memory$/,
    );
  });

  it("says of a row that does not fit how much of it was read, without the row before", async () => {
    const texts = [..."abc"].map((letter) => Buffer.from(`${letter.repeat(200_000)}\n`.repeat(8)));
    const error = await merged(texts, whole, { memoryBytes: 1 << 20 }).catch(({ message }) => message);
    const [, row, bytes] = /row (\d+) has more than (\d+) bytes/.exec(error)!;
    expect(Number(row)).toBeGreaterThan(1);
    expect(Number(bytes)).toBeLessThan(200_001);
  });

  it("finds an input that is not in order wherever that is", async () => {
    const place = fc.record({ row: fc.integer({ min: 1, max: 29_999 }), input: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(5 << 20, 1 << 30), async ({ row, input }, memoryBytes) => {
        const texts = [0, 1, 2].map((own) =>
          Array.from({ length: 30_000 }, (_, i) => (own === input && i === row ? 2 * i - 3 : 2 * i)),
        );
        const some = texts.map((numbers) => Buffer.from(`${numbers.join("\n")}\n`));
        const message = `cannot merge ${input + 1}.txt: its row ${row + 1} is not in order`;
        await expect(merged(some, byNumber, { memoryBytes })).rejects.toThrow(message);
      }),
      { numRuns: 10 },
    );
  });

  it("finds a row that does not follow the one that was merged last", async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => `${1_000_000 + i}\n`);
    const others = Array.from({ length: 256 }, () => Buffer.from("9\n"));
    // Of so many inputs, 512 such rows are in memory at a time. They are merged before the others' rows.
    for (const row of [511, 512, 513, 1500]) {
      const texts = [Buffer.from(rows.with(row, "1000000\n").join("")), ...others];
      const message = `cannot merge 1.txt: its row ${row + 1} is not in order`;
      await expect(merged(texts, whole, { memoryBytes: 5 << 20 })).rejects.toThrow(message);
    }
  });

  it("finds inputs that are in no order at all", async () => {
    for (const step of [7919, 15_485_863]) {
      const texts = [1, 2, 3].map((input) =>
        Buffer.from(Array.from({ length: 30_000 }, (_, i) => `${(i * step * input) % 30_011}\n`).join("")),
      );
      for (const memoryBytes of [5 << 20, 1 << 30]) {
        await expect(merged(texts, byNumber, { memoryBytes })).rejects.toThrow(
          /its row \d+ is not in order$/,
        );
      }
    }
  });

  it("keeps a header, and takes inputs without rows", async () => {
    const csv: RowOrder = { ...whole, separator: 44, quotes: true };
    const texts = ['n,m\n"a\nz",1\nc', "n,m\n", "n,m\nb,2\n"].map((text) => Buffer.from(text));
    expect((await merged(texts, csv, { header: true })).text.toString()).toBe('n,m\n"a\nz",1\nb,2\nc\n');
    expect((await merged([Buffer.of(), Buffer.of()], whole)).text.length).toBe(0);
    const empty = [Buffer.of(), ...texts, Buffer.of()];
    expect((await merged(empty, csv, { header: true })).text.toString()).toBe('n,m\n"a\nz",1\nb,2\nc\n');
    const other = merged([texts[0]!, Buffer.from("x\n")], csv, { header: true });
    await expect(other).rejects.toThrow("1.txt and 2.txt differ in their header lines");
  });

  it.each([
    [["a\nc\nb\n", "d\n"], whole, "cannot merge 1.txt: its row 3 is not in order"],
    [["1\n", "2\n10\n3\n"], byNumber, "cannot merge 2.txt: its row 3 is not in order"],
  ])("refuses what is not sorted: %j", async (texts, order, message) => {
    const result = merged(
      texts.map((text) => Buffer.from(text)),
      order,
    );
    await expect(result).rejects.toThrow(message);
    await expect(result).rejects.toThrow(InputError);
  });

  it("names a row whose key is no number", async () => {
    const keys = [
      { begin: { field: 1, offset: 0 }, end: { field: 1 }, compare: "decimal", invalid: "error" },
    ] as const;
    const order: RowOrder = { terminator: 10, separator: 44, quotes: true, keys };
    const texts = ["a,1\n", "b,2\nc,3\nd,x\n"].map((text) => Buffer.from(text));
    await expect(merged(texts, order)).rejects.toThrow("2.txt: row 3 has no number as its key 1");
    const within = ["a,1\n", "b,2\nd,x\nc,3\n"].map((text) => Buffer.from(text));
    await expect(merged(within, order)).rejects.toThrow("2.txt: row 2 has no number as its key 1");
  });

  it("refuses wrong quotes", async () => {
    const csv: RowOrder = { ...whole, separator: 44, quotes: true };
    const of = (second: string) => merged([Buffer.from("a\n"), Buffer.from(second)], csv);
    await expect(of('b\nc,"\n')).rejects.toThrow("2.txt ends within quotes");
    await expect(of('b\nc,"d"e\n')).rejects.toThrow("2.txt: row 2 has text after the closing quote");
    expect((await of('5" x,"\n"\nb"\n')).text.toString()).toBe('5" x,"\n"\na\nb"\n');
  });
});
