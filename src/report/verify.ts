import type { ElementType } from "../core/elements.js";
import { keyValue } from "../core/float16.js";
import { checksumText } from "../core/items/checksum.js";
import { describeItem, type Item, type RecordKey } from "../core/items/item.js";
import { itemOrder } from "../core/items/order.js";
import { compareItems, type Summary } from "../core/items/summary.js";
import { messageLine } from "../core/printable.js";
import { quoteBytes } from "../core/quote.js";
import type { ItemInput } from "../formats/format.js";
import { keyText } from "../formats/text/numbers.js";
import { graysortRecord } from "../graysort/record.js";
import { crcSumText, type ValsortSummary } from "../graysort/valsort.js";
import type { RowDisorder } from "../rows/check.js";
import type { RowOrder } from "../rows/order/row_order.js";
import type { Misfits } from "../sort/rows/misfits.js";
import type { CheckedTables } from "../sort/tables/check.js";
import { keysText, misfitsText } from "./row_order.js";
import { plainTable } from "./table.js";
import { formatCount } from "./units.js";

/**
 * The line that says which row of a table is out of order, or has the keys of the one before it where none may.
 *
 * @param row its number, from 0.
 */
export function tableDisorderText(input: string, row: number, isDuplicate: boolean): string {
  const what = isDuplicate ? "has a duplicate" : "is not in order";
  return `gpusort: ${messageLine(input)} ${what}: row ${row + 1} must not follow row ${row}\n`;
}

/**
 * Names two items that are out of order, by the first key in which they differ: "gpusort: keys.u32: key 5 is
 * out of order: 3 after 7"; or are equal, where none may be: "gpusort: keys.u32: key 5 is a duplicate: 3".
 */
export function disorderText(
  { name, item, firstLine }: ItemInput,
  index: number,
  before: Uint8Array,
  after: Uint8Array,
): string {
  const what = item.kind === "record" ? "record" : "key";
  const where = firstLine === undefined ? `${what} ${index}` : `line ${index + firstLine}`;
  const deciding = decidingKey(item, before, after);
  const how = deciding
    ? `out of order: ${formatItem(after, item, deciding)} after ${formatItem(before, item, deciding)}`
    : `a duplicate: ${formatItem(after, item)}`;
  return `${messageLine(`gpusort: ${name}: ${where} is ${how}`)}\n`;
}

/**
 * Names a line that is out of order, as `sort -c` does: "gpusort: a.csv:5: not in order: 'b,1'"; or that has
 * the keys of the one before it, where none may: "gpusort: a.csv:5: a duplicate: 'b,1'".
 *
 * @param order the order: with `quotes`, a row may have line breaks, so that its place is not the number of a
 *   line; `by`, the order in words if columns or a guess give it, follows on a line of its own.
 */
export function rowDisorderText(
  { input, row, after, isDuplicate }: RowDisorder,
  { order: { quotes }, by }: { readonly order: RowOrder; readonly by?: string },
): string {
  const place = quotes ? `${input}: row ${row + 1} is` : `${input}:${row + 1}:`;
  const how = isDuplicate ? "a duplicate" : "not in order";
  const guess = by === undefined ? "" : `  rows are compared by ${messageLine(by)}\n`;
  return `${messageLine(`gpusort: ${place} ${how}: ${quoteBytes(after)}`)}\n${guess}`;
}

function firstKeyText(bytes: Uint8Array, type: ElementType): string {
  return keyText(type)(keyValue(new type.array(bytes.slice().buffer)[0]!, type));
}

/** The first key in which two items differ; undefined if they are equal. */
function decidingKey(item: Item, before: Uint8Array, after: Uint8Array): RecordKey | undefined {
  const keys: readonly RecordKey[] = item.kind === "key" ? [{ offset: 0, type: item.type }] : item.keys;
  const differs = (own: Item) => compareItems(before, after, itemOrder(own, false)) !== 0;
  return keys.find((key) => differs(item.kind === "key" ? item : { ...item, keys: [key] }));
}

/** A key as a number; a record as one of its keys, which is a number, printable text or hexadecimal digits. */
function formatItem(
  bytes: Uint8Array,
  item: Item,
  key = item.kind === "record" ? item.keys[0] : undefined,
): string {
  if (item.kind === "key") return firstKeyText(bytes, item.type);
  if (key === undefined) return hex(bytes);
  const length = "type" in key ? key.type.bytes : key.bytes;
  const field = bytes.slice(key.offset, key.offset + length);
  if ("type" in key) {
    if (item.byteOrder === "big") field.reverse();
    return firstKeyText(field, key.type);
  }
  const text = Buffer.from(field).toString("latin1");
  return /^[ -~]*$/.test(text) ? JSON.stringify(text) : hex(field);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** What was found in items, or in lines. */
export type VerifyReport = { readonly input: string; readonly summary: Summary } & (
  | { readonly item: Item; readonly descending: boolean }
  | {
      readonly rows: RowOrder;
      readonly by?: string;
      readonly misfits?: readonly Misfits[];
    }
);

/** What was found in tables, as `verifyText`. */
export function tableText(input: string, tables: CheckedTables): string {
  const { keys, sums, inversions, firstInversion, duplicates } = tables;
  const rows = [
    [input, "rows"],
    [
      "by",
      messageLine(keys.map(({ name, descending }) => `${name}${descending ? " descending" : ""}`).join(", ")),
    ],
    ["count", formatCount(Number(sums[0]))],
    ["in order", inversions === 0 ? "yes" : disorderCount(inversions, firstInversion! - 1)],
    [inversions === 0 ? "duplicates" : "equal neighbours", formatCount(duplicates)],
    ["checksum", tableChecksum(sums)],
  ];
  return plainTable(rows, ["left", "left"]);
}

/** What was found in tables, for JSON. Such findings cannot be combined. */
export function tableJson({ keys, sums, inversions, firstInversion, duplicates }: CheckedTables) {
  return {
    table: keys.map(({ name, descending, nullsFirst }) => ({
      column: name,
      descending,
      nulls: nullsFirst ? "first" : "last",
    })),
    count: Number(sums[0]),
    inversions,
    firstInversion: firstInversion === undefined ? null : firstInversion - 1,
    duplicates,
    checksum: tableChecksum(sums),
  };
}

/** A sum of hashes of all rows, modulo 2^64, which does not depend on their order. */
const tableChecksum = ([, , sum]: CheckedTables["sums"]) =>
  BigInt.asUintN(64, BigInt(sum ?? 0))
    .toString(16)
    .padStart(16, "0");

/** @param first the first of the pair. */
function disorderCount(inversions: number, first: number, how = ""): string {
  const pairs = inversions === 1 ? "pair of neighbours is" : "pairs of neighbours are";
  return `no${how}: ${formatCount(inversions)} ${pairs} out of order, the first pair begins at ${first}`;
}

export function verifyText(report: VerifyReport): string {
  const { input, summary } = report;
  const { count, inversions, firstInversion, duplicates, first, last } = summary;
  const [what, show] =
    "rows" in report
      ? (["lines", quoteBytes] as const)
      : ([describeItem(report.item), (bytes: Uint8Array) => formatItem(bytes, report.item)] as const);
  const order = "rows" in report ? "" : report.descending ? ", descending" : ", ascending";
  const isSorted =
    inversions === 0
      ? `yes${order}`
      : disorderCount(inversions, firstInversion!, order && `, not${order.slice(1)}`);
  const rows = [
    [input, what],
    ...("rows" in report ? [["order", messageLine(`by ${report.by || keysText(report.rows)}`)]] : []),
    ...("rows" in report
      ? (report.misfits ?? []).map((one) => ["misfits", messageLine(misfitsText(one))])
      : []),
    ["count", formatCount(count)],
    ["in order", isSorted],
    [inversions === 0 ? "duplicates" : "equal neighbours", formatCount(duplicates)],
    ["checksum", checksumText(summary.checksum)],
    ...(first && last
      ? [
          ["first", messageLine(show(first))],
          ["last", messageLine(show(last))],
        ]
      : []),
  ];
  return plainTable(rows, ["left", "left"]);
}

/** What valsort prints of records, in the same lines, and their first and their last key. */
export function valsortText({
  count,
  inversions,
  firstInversion,
  duplicates,
  crcSum,
  ...ends
}: ValsortSummary) {
  const keys = [ends.first, ends.last].map((record) => record && formatItem(record, graysortRecord));
  return [
    ...(inversions > 0 ? [`First unordered record is record ${firstInversion! + 1}`] : []),
    `Records: ${count}`,
    `Checksum: ${crcSumText(crcSum)}`,
    ...(keys[0] ? [`First key: ${keys[0]}`, `Last key: ${keys[1]}`] : []),
    ...(inversions > 0
      ? [`ERROR - there are ${inversions} unordered records`]
      : [`Duplicate keys: ${duplicates}`, "SUCCESS - all records are in order"]),
    "",
  ].join("\n");
}
