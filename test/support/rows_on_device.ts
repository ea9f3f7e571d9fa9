import fc from "fast-check";
import { expect } from "vitest";
import { parseRowOrder } from "../../src/commands/sort/line_keys.js";
import type { Gpu } from "../../src/core/device/gpu.js";
import { GpuRows } from "../../src/core/engines/gpu_rows.js";
import type { DeviceRows } from "../../src/core/engines/row_job.js";
import { deviceKeys, RowSource } from "../../src/rows/device_rows.js";
import { deviceOrder } from "../../src/rows/order/order_words.js";
import type { RowKey, RowOrder } from "../../src/rows/order/row_order.js";
import { rowComparison, rowsOf, sortPlainly, withoutMisfits } from "./plain_rows.js";
import { deviceLineKey, someRows, someTable, tableOrder } from "./row_cases.js";
import { rowInput } from "./row_inputs.js";

/** Lines that are compared byte by byte, as wholes. */
export const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

/** Rows of CSV, without keys yet. */
export const csv: RowOrder = { terminator: 10, separator: 44, quotes: true, keys: [] };

/** A key of CSV: a column by its number, from 0. */
export const column = (field: number, more: Partial<RowKey> = {}): RowKey =>
  ({ begin: { field, offset: 0 }, end: { field }, compare: "bytes", ...more }) as RowKey;

/** Which of the sorted rows are written. */
type WantedRows = Pick<DeviceRows, "unique" | "head">;

/** The rows of a sorted text that are wanted. */
function wantedRows(all: Buffer, order: RowOrder, { unique, head }: WantedRows): Buffer {
  const compare = rowComparison(order);
  const isWanted = (row: Buffer, i: number, sorted: Buffer[]) =>
    !unique || i === 0 || compare(sorted[i - 1]!, row) !== 0;
  const rows = rowsOf(all, order).filter(isWanted).slice(0, head);
  return Buffer.concat(rows.flatMap((row) => [row, Buffer.of(order.terminator)]));
}

/**
 * Keys of lines that a device takes: such as take no map of bytes and are no units or months, or any. Few
 * readings mean few kernels to compile, so keys that hardly any line has choose the same one for all others.
 */
const lineKeys = fc
  .tuple(fc.array(deviceLineKey, { maxLength: 3 }), fc.boolean())
  .map(([keys, isPlain]) =>
    isPlain
      ? keys.map((key) => key.replace(/[hgMfdi]/g, ""))
      : [...keys.map((key) => key.replace("g", "")), "9fd", "9M"],
  );

/** An order of tables, of whose columns one that no row has is a date. */
export const dateOrder = tableOrder("bytes", "date", "decimal").map((order) => ({
  ...order,
  keys: [...order.keys, column(9, { compare: "date", invalid: "last" })],
}));

/** Lines, or rows with fields in quotes, and an order of them that a device takes. */
export const someTexts = fc.oneof(
  fc.tuple(someRows, lineKeys).map(([{ text, separator, zeroTerminated }, key]) => ({
    text,
    order: parseRowOrder({ key, fieldSeparator: separator, zeroTerminated }) ?? whole,
  })),
  fc
    .record({ text: someTable(), order: dateOrder })
    .map(({ text, order }) => ({ text: withoutMisfits(text, order), order })),
);

/** A row of one letter. */
export const long = (letter: string, bytes: number) => letter.repeat(bytes);

/** Texts whose rows lie at the bounds of words, vectors and tiles. */
export const rowTexts: Record<string, Buffer> = {
  "one empty row": Buffer.from("\n"),
  "one byte": Buffer.from("x"),
  "empty rows, more than fit the memory of a tile": Buffer.from(`${"\n".repeat(30_000)}b\na`),
  "rows of one byte": Buffer.from("zyxwvutsrqponmlkjihgfedcba".split("").join("\n").repeat(900)),
  "bytes of all values": Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)),
  "rows longer than tiles, and short ones": Buffer.from(
    [long("c", 70_000), "b", long("c", 8192), long("a", 8191), "", long("c", 70_001), "c", ""].join("\n"),
  ),
  "rows around every length of a word and of a vector": Buffer.from(
    Array.from({ length: 80 }, (_, i) => long(String.fromCharCode(97 + ((i * 7) % 26)), i)).join("\n"),
  ),
  "rows that begin alike": Buffer.from(
    Array.from({ length: 600 }, (_, i) => `the same beginning ${(i * 7919) % 40} ${(i * 31) % 7}`).join("\n"),
  ),
  "rows that are equal": Buffer.from("the same row again\n".repeat(300)),
  "rows with long equal parts": Buffer.from(
    Array.from(
      { length: 90 },
      (_, i) => `${long("a", 500 + 200 * (i % 3))}${i % 5}${long("b", 3000)}${i % 4}`,
    ).join("\n"),
  ),
  "rows with carriage returns": Buffer.from("b\r\na\r\n\r\nab\r\n"),
};

/**
 * A table in which separators, quotes and line breaks within quotes lie at any place of words and of chunks.
 */
export function manyFields(seed: number, bytes: number): Buffer {
  let state = seed;
  const below = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const piece = () => ["a", "bc", ",", "\n", "\r\n", '""', "0123456789"][below(7)];
  const quoted = () => `"${Array.from({ length: below(12) }, piece).join("")}"`;
  const rows: string[] = [];
  for (let length = 0; length < bytes; length += rows.at(-1)!.length)
    rows.push(`${quoted()},${below(50)},${quoted()}${below(2) === 0 ? "\n" : "\r\n"}`);
  return Buffer.from(rows.join(""));
}

/** Sorts texts on a device. @param name the name of the device, for messages. */
export function rowsOn(gpu: Gpu, name: string) {
  const engine = new GpuRows(gpu, name);

  /** @returns what the device did, and the rows that it wrote. */
  async function sorted(
    texts: readonly Buffer[],
    order: RowOrder,
    { engine: own = engine, ...given }: Partial<DeviceRows> & { readonly engine?: GpuRows } = {},
  ) {
    const source = await RowSource.open(
      texts.map((text) => rowInput(text)),
      { order, header: false },
    );
    const parts: Buffer[] = [];
    const job = {
      bytes: source!.byteLength,
      terminator: order.terminator,
      separator: order.quotes ? order.separator : undefined,
      order: deviceOrder(order),
      keys: deviceKeys(order),
      verify: true,
      ...given,
    };
    const result = await own.sort(job, source!, {
      write: async (from, offset) => {
        parts[offset] = Buffer.from(from);
      },
      end: async () => {},
    });
    return { result, text: Buffer.concat(Object.values(parts)) };
  }

  /** Expects the rows that the reference finds. */
  async function expectSorted(texts: readonly Buffer[], order: RowOrder, wanted: WantedRows = {}) {
    const { result, text } = await sorted(texts, order, wanted);
    expect(result).not.toHaveProperty("fallback");
    const all = sortPlainly(texts, order);
    const rows = wantedRows(all, order, wanted);
    expect(text.toString("latin1")).toBe(rows.toString("latin1"));
    expect(result).toMatchObject({ written: rowsOf(rows, order).length });
  }

  return { sorted, expectSorted };
}
