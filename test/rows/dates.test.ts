import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { sortPlainly } from "../support/plain_rows.js";
import { sortTexts } from "../support/row_sorts.js";

const tools = new KernelThreads(1);
afterAll(() => tools.close());

async function sorted(rows: readonly string[], order: RowOrder): Promise<string[]> {
  const { text } = await sortTexts(tools, [Buffer.from(rows.map((row) => `${row}\n`).join(""))], order, {
    memoryBytes: 1 << 28,
    createStore: () => Promise.reject(new Error("it fits in the memory")),
  });
  return text.toString().split("\n").slice(0, -1);
}

/** Dates in the second column of three. */
const byDate = (given: { descending?: boolean; invalid?: "first" | "last" } = {}): RowOrder => ({
  terminator: 10,
  separator: 44,
  quotes: true,
  keys: [{ begin: { field: 1, offset: 0 }, end: { field: 1 }, compare: "date", ...given }],
});

const digits = (number: number, count: number) => String(number).padStart(count, "0");

/** A time, in one of the forms of ISO 8601. */
const written = fc
  .record({
    day: fc.oneof(fc.integer({ min: -719_528, max: 2_932_896 }), fc.integer({ min: 20_000, max: 20_003 })),
    seconds: fc.oneof(fc.nat(86_399), fc.constantFrom(0, 3600, 36_000, 86_340)),
    fraction: fc.oneof(
      fc.constantFrom("", "5", "50", "0000000", "00000001", "12345671", "123456710"),
      fc.stringMatching(/^\d{0,40}$/),
    ),
    zone: fc.constantFrom("", "Z", "z", "+00:00", "-00", "+01:00", "+0530", "-08", "-23:59", " +0100"),
    separator: fc.constantFrom("T", " ", "t"),
    form: fc.constantFrom("day", "month", "minutes", "seconds", "basic", "basic day"),
  })
  .map(({ day, seconds, fraction, zone, separator, form }) => {
    const date = new Date(day * 86_400_000);
    const parts = [
      digits(date.getUTCFullYear(), 4),
      digits(date.getUTCMonth() + 1, 2),
      digits(date.getUTCDate(), 2),
    ];
    const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((one) =>
      digits(one, 2),
    );
    if (form === "day") return parts.join("-");
    if (form === "month") return parts.slice(0, 2).join("-");
    if (form === "basic day") return parts.join("");
    if (form === "minutes") return `${parts.join("-")}${separator}${time.slice(0, 2).join(":")}${zone}`;
    const finer = fraction === "" ? "" : `.${fraction}`;
    if (form === "basic")
      return `${parts.join("")}${separator}${time.join("")}${finer.replace(".", ",")}${zone}`;
    return `${parts.join("-")}${separator}${time.join(":")}${finer}${zone}`;
  });

describe("dates", () => {
  it("are in the order of JavaScript's Date, where it reads them", async () => {
    const readable = written.filter(
      (text) =>
        !Number.isNaN(Date.parse(text)) && /T.*Z$|^\d{4}-\d\d(-\d\d)?$/.test(text) && !/\.\d{4}/.test(text),
    );
    const some = fc.sample(readable, { numRuns: 3000, seed: 1 });
    const rows = some.map((text, i) => `${i},${text},x`);
    const expected = rows.slice().sort((a, b) => Date.parse(a.split(",")[1]!) - Date.parse(b.split(",")[1]!));
    expect(await sorted(rows, byDate())).toEqual(expected);
  });

  it("are in the order of time in all forms, and what is no date has its place", async () => {
    const broken = fc.oneof(
      fc.constantFrom(
        "",
        "5",
        "2024-02-30",
        "2023-02-29",
        "2024-13-01",
        "2024-00-10",
        "2024-1-1",
        "20240230",
        "2024",
      ),
      fc.constantFrom(
        "2024-01-01T",
        "2024-01-01T10",
        "2024-01-01T25:00",
        "2024-01-01T10:60",
        "2024-01-01T10:00:61",
        "2024-01-01T10:30.5",
        "20240101T1030,5",
      ),
      fc.constantFrom(
        "2024-01-01T10:00:00.",
        "2024-01-01T10:00+24",
        "2024-01-01Z",
        "2024-01-01T10:00x",
        "20240101T10:00",
      ),
      fc.constantFrom(
        "2024-01-01T24:00",
        "2024-01-01T24:01",
        "2016-12-31T23:59:60Z",
        " 2024-01-01 ",
        "0000-02-29",
      ),
      fc.tuple(written, fc.nat(30)).map(([text, cut]) => text.slice(0, cut)),
    );
    const value = fc.tuple(fc.oneof(written, written, broken), fc.boolean());
    const given = fc.record({
      descending: fc.boolean(),
      invalid: fc.constantFrom("first", "last", undefined),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 60 }), given, async (values, options) => {
        const rows = values.map(
          ([text, quoted], i) => `${i},${quoted || text.includes(",") ? `"${text}"` : text},1`,
        );
        const order = byDate(options as Parameters<typeof byDate>[0]);
        const expected = sortPlainly([Buffer.from(rows.map((row) => `${row}\n`).join(""))], order).toString();
        expect(await sorted(rows, order)).toEqual(expected.split("\n").slice(0, -1));
      }),
      {
        numRuns: 300,
        // A fraction longer than the first word holds, of no date.
        examples: [
          [
            [
              ["2024-01-01T24:01", false],
              ["1970-01-01T00:00:00.123456710-", false],
            ],
            { descending: true, invalid: undefined },
          ],
        ],
      },
    );
  });

  it.each([
    ["days around the end of the first February", ["0000-02-28", "0000-02-29", "0000-03-01"]],
    [
      "a fraction that ends in 0 from a shorter one",
      ["2024-01-01T00:00:00.1234567", "2024-01-01T00:00:00.123456710"],
    ],
    ["a time after 24:00, which is none, from a date", ["2024-01-01T24:00:01", "2024-01-01"]],
  ])("tell apart %s", async (_, dates) => {
    const rows = dates.map((date) => `,${date}`);
    expect(await sorted(rows.toReversed(), byDate())).toEqual(rows);
  });

  it("are told apart by any digit of a second, and take no digits beyond the key", async () => {
    const zeros = "0".repeat(45);
    const rows = ["b", "a", ""].map((end) => `2024-01-01T00:00:00.${zeros}${end === "" ? "" : "1"},${end}`);
    const key = { begin: { field: 0, offset: 0 }, end: { field: 0 }, compare: "date" } as const;
    const order: RowOrder = { terminator: 10, separator: 44, quotes: true, keys: [key] };
    expect(await sorted(rows, order)).toEqual([rows[2], rows[0], rows[1]]);
    const cut: RowOrder = {
      ...order,
      separator: 32,
      quotes: false,
      keys: [{ ...key, end: { field: 0, bytes: 28 } }],
    };
    const beyond = ["2024-01-01T00:00:00.123456789", "2024-01-01T00:00:00.123456780"];
    expect(await sorted(beyond, cut)).toEqual(beyond);
  });
});
