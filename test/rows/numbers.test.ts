import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { mergeRows } from "../../src/rows/merge/merge_inputs.js";
import type { NumberForm, RowKey } from "../../src/rows/order/row_order.js";
import { rowKernels } from "../../src/rows/row_kernels.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { sortPlainly } from "../support/plain_rows.js";
import { columnKey, eager, sortTexts, table, textInputs } from "../support/row_sorts.js";

const threads = [1, 2].map((count) => new KernelThreads(count, eager));
afterAll(() => {
  for (const one of threads) one.close();
});

const digits = fc.oneof(
  fc.constantFrom("", "0", "00", "1", "9", "10", "999999999999999", "1000000000000000", "12345678901234567"),
  fc.nat(9999).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
);
const exponent = fc.oneof(
  fc.constantFrom("", "", "", "e0", "E5", "e+5", "e-5", "e-300", "e4080", "e-4110", "e", "e+"),
  fc.constantFrom(
    "e999999999999999999",
    "e-999999999999999999",
    "e1000000000000000000",
    "e000000000000000000007",
  ),
  fc.integer({ min: -30, max: 30 }).map((power) => `e${power}`),
);
const usual = fc
  .tuple(
    fc.constantFrom("", "", "-", "+", " ", " -", "--"),
    digits,
    fc.oneof(
      fc.constantFrom("", "", ".", ".0", ".5", ".50", ".000000000000000000001", ".1234567"),
      digits.map((all) => `.${all}`),
    ),
    exponent,
    fc.constantFrom("", "", "", " ", "x", "%"),
  )
  .map((parts) => parts.join(""));
const words = fc.constantFrom(
  "",
  " ",
  "inf",
  "-INF",
  "+Infinity",
  "infinit",
  "nan",
  "-NaN",
  "NA",
  "abcdefgh",
  "-",
  ".",
  "0x10",
  "1_0",
  'say ""7""',
);
const number = fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: words });

/** Rows of a number, in quotes or not, and of their own number. */
const rowsOfNumbers = (value: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(value, fc.boolean()), { maxLength: 60 })
    .map((values) =>
      Buffer.from(
        values
          .map(([text, quoted], i) => `${quoted || /[",]/.test(text) ? `"${text}"` : text},${i % 3}\n`)
          .join(""),
      ),
    );

const places = fc.record({
  invalid: fc.constantFrom("first" as const, "last" as const),
  descending: fc.boolean(),
  nullWords: fc.constantFrom(undefined, ["NA", "0", "-"]),
});

describe("numbers", () => {
  it("are in the order of their values, and what is no number in that of its bytes", async () => {
    const given = fc.record({ unique: fc.boolean(), threads: fc.constantFrom(0, 1) });
    await fc.assert(
      fc.asyncProperty(rowsOfNumbers(number), places, given, async (text, key, { unique, threads: at }) => {
        const order = table(columnKey(0, "number", key), columnKey(1, "number", key));
        const { text: actual, report } = await sortTexts(threads[at]!, [text], order, { unique });
        expect(actual.toString()).toBe(sortPlainly([text], order, { unique }).toString());
        expect(report.tallies.length).toBe(2);
      }),
      { numRuns: 125 },
    );
  });

  it("have their places by the first digit that is not 0, however many zeros come before it", async () => {
    const rows = Array.from({ length: 18 }, (_, i) => `0.${"0".repeat(17 - i)}12,x`);
    const order = table(columnKey(0, "number"));
    const { text } = await sortTexts(threads[0]!, [Buffer.from(`${rows.toReversed().join("\n")}\n`)], order);
    expect(text.toString().split("\n").slice(0, -1)).toEqual(rows);
  });

  it("have any number of digits before and after the point", async () => {
    const lengths = Array.from({ length: 22 }, (_, n) => n);
    const numbers = lengths.flatMap((whole) =>
      lengths.map((decimals) => {
        const all = "9183729465018273645546372819082736451928".slice(
          decimals % 7,
          (decimals % 7) + whole + decimals,
        );
        return decimals === 0 ? `${all}0` : `${all.slice(0, whole) || "0"}.${all.slice(whole)}`;
      }),
    );
    const scaled = (text: string) => {
      const [whole = "", decimals = ""] = text.split(".");
      return BigInt(whole + decimals.padEnd(22, "0"));
    };
    const expected = numbers.toSorted((a, b) => (scaled(a) < scaled(b) ? -1 : Number(scaled(a) > scaled(b))));
    const rows = Buffer.from(numbers.map((text) => `${text},x\n`).join(""));
    const { text } = await sortTexts(threads[0]!, [rows], table(columnKey(0, "number")));
    expect(text.toString()).toBe(expected.map((one) => `${one},x\n`).join(""));
  });

  it("may be written with another point, and with marks of thousands", async () => {
    const forms = fc.constantFrom<NumberForm>(
      { point: 44 },
      { point: 44, thousands: 46 },
      { thousands: 44 },
      { thousands: 32 },
    );
    const grouped = fc
      .tuple(
        fc.constantFrom("", "-"),
        fc.array(fc.constantFrom("1", "12", "123", "000", "999", "1234"), { minLength: 1, maxLength: 12 }),
        fc.constantFrom(",", ".", " "),
        fc.constantFrom("", ",", ".5", ",5", ",123456789012345678901", "e2", ",5e-3", "e9999"),
      )
      .map(([sign, groups, mark, end]) => `${sign}${groups.join(mark)}${end}`);
    await fc.assert(
      fc.asyncProperty(rowsOfNumbers(fc.oneof(grouped, number)), places, forms, async (text, key, form) => {
        const order = table(columnKey(0, "number", { ...key, form }));
        const { text: actual } = await sortTexts(threads[1]!, [text], order);
        expect(actual.toString()).toBe(sortPlainly([text], order).toString());
      }),
      { numRuns: 100 },
    );
  });

  it("do not take digits of the next field, in a form of their own", async () => {
    const rows = ["1,5,999", "1,5,000", '"1,5",0', '"1,51",0'];
    const order = table(columnKey(0, "number", { form: { thousands: 44 }, invalid: "last" }));
    const text = Buffer.from(`${rows.join("\n")}\n`);
    expect((await sortTexts(threads[0]!, [text], order)).text.toString()).toBe(text.toString());
  });

  it("are merged in the same order, and what does not fit is counted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowsOfNumbers(number), { minLength: 2, maxLength: 3 }),
        places,
        fc.boolean(),
        async (some, key, unique) => {
          const order = table(
            columnKey(0, "number", key),
            columnKey(1, "number", { ...key, invalid: "last" }),
          );
          const texts = some.map((text) => sortPlainly([text], order));
          const runner = threads[1]!.runner(rowKernels);
          const parts: Buffer[] = [];
          const job = {
            inputs: textInputs(texts),
            order,
            header: false,
            unique,
            head: 1e9,
            verify: true,
            memoryBytes: 1 << 28,
          };
          const { tallies } = await mergeRows(
            runner,
            job,
            async (bytes) => void parts.push(Buffer.from(bytes)),
          );
          runner.close();
          expect(Buffer.concat(parts).toString()).toBe(sortPlainly(texts, order, { unique }).toString());
          const sorted = await sortTexts(threads[0]!, texts, order);
          expect(tallies).toEqual(sorted.report.tallies);
        },
      ),
      { numRuns: 75 },
    );
  });

  it("that do not fit are counted, with the first of them and its row", async () => {
    const key: RowKey = columnKey(1, "number", { invalid: "last" });
    const texts = ['h,h\na,1\nb,"N ""A"" "\nc,\n', "h,h\nd,x\ne,nan\nf,2"].map((text) => Buffer.from(text));
    const { report } = await sortTexts(threads[1]!, texts, table(columnKey(0, "bytes"), key), {
      header: true,
    });
    expect(report.tallies.slice(1)).toEqual([
      {
        hasValue: true,
        misfits: 2,
        missing: { input: "1.csv", row: 3 },
        first: { input: "1.csv", row: 2, key: 1, value: new Uint8Array(Buffer.from('N "A" ')) },
      },
    ]);
    const none = await sortTexts(threads[1]!, [Buffer.from("a,\nb,\n")], table(key));
    expect(none.report.tallies).toEqual([
      { hasValue: false, misfits: 0, first: undefined, missing: { input: "1.csv", row: 0 } },
    ]);
  });
});
