import { isUtf8 } from "node:buffer";
import {
  array,
  boolean,
  type InferInput,
  type InferOutput,
  literal,
  minLength,
  nullable,
  number,
  object,
  optional,
  parse,
  picklist,
  pipe,
  regex,
  string,
  transform,
  union,
  unknown,
} from "valibot";
import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { checksumOfText, checksumText } from "../../core/items/checksum.js";
import { type Item, keyItem } from "../../core/items/item.js";
import type { OrderSummary, Summary } from "../../core/items/summary.js";
import { recordKeyText, requireRecordKey } from "../../formats/options.js";
import { graysortRecord } from "../../graysort/record.js";
import { crcSumText, type ValsortSummary } from "../../graysort/valsort.js";
import { describeIssue, positiveInteger, wholeNumber } from "../../json_schemas.js";
import type { RowOrder } from "../../rows/order/row_order.js";
import type { Misfits } from "../../sort/rows/misfits.js";
import { requireRows } from "../../sort/rows/row_options.js";
import { parseRecordKey } from "../parse.js";
import { type KeyJson, keyFromJson, keyToJson } from "./key_json.js";

/** What `gpusort verify` checked and what it found. Summaries of consecutive parts can be combined. */
export type SummaryFile = ItemSummary | RowSummary | GraysortSummary;

interface ItemSummary {
  readonly item: Item;
  readonly descending: boolean;
  readonly summary: Summary;
}

/** Of lines, in this order. */
interface RowSummary {
  readonly rows: RowOrder;
  /** The columns in words, if some were named. */
  readonly by?: string;
  /** Values that are not what their columns are said to hold. */
  readonly misfits?: readonly Misfits[];
  readonly summary: Summary;
}

/** Of records of the sort benchmark. */
interface GraysortSummary {
  readonly records: "valsort";
  readonly summary: ValsortSummary;
}

/** What was checked as text, which is the same for summaries that can be combined. */
export function orderOf(file: SummaryFile): string {
  if ("records" in file) return file.records;
  return JSON.stringify("rows" in file ? file.rows : [file.item, file.descending]);
}

const checksum = pipe(string(), regex(/^[0-9a-f]{16}$/), transform(checksumOfText));
const bytes = pipe(
  string(),
  regex(/^([0-9a-f]{2})*$/),
  transform((text) => new Uint8Array(Buffer.from(text, "hex"))),
);
const orderFindings = {
  order: picklist(["ascending", "descending"]),
  count: wholeNumber,
  inversions: wholeNumber,
  firstInversion: nullable(wholeNumber),
  duplicates: wholeNumber,
};
const findings = { ...orderFindings, checksum };

const VERSION = 2;

const key = nullable(union([number(), string()]));
const keySummary = object({ version: literal(VERSION), type: string(), ...findings, first: key, last: key });

/** Records are bytes, in hexadecimal. */
const recordSummary = object({
  version: literal(VERSION),
  record: positiveInteger,
  keys: pipe(array(string()), minLength(1)),
  byteOrder: picklist(["little", "big"]),
  ...findings,
  first: nullable(bytes),
  last: nullable(bytes),
});

/** The checksum has as many digits as valsort prints. */
const graysortSummary = object({
  version: literal(VERSION),
  records: literal("valsort"),
  ...orderFindings,
  checksum: pipe(
    string(),
    regex(/^[0-9a-f]{1,32}$/),
    transform((digits) => BigInt(`0x${digits}`)),
  ),
  first: nullable(bytes),
  last: nullable(bytes),
});

/** Lines are text, or hexadecimal bytes if they are not UTF-8. */
const line = nullable(union([string(), object({ hex: bytes })]));
const rowSummary = object({
  version: literal(VERSION),
  rows: object({
    terminator: picklist([10, 13, 0]),
    separator: optional(number()),
    quotes: boolean(),
    keys: array(unknown()),
  }),
  by: optional(string()),
  misfits: optional(
    array(
      object({
        column: string(),
        what: string(),
        count: wholeNumber,
        place: picklist(["first", "last"]),
        first: object({ input: string(), row: wholeNumber, value: string() }),
      }),
    ),
  ),
  ...findings,
  first: line,
  last: line,
});

type SummaryJson =
  | InferInput<typeof keySummary>
  | InferInput<typeof recordSummary>
  | InferInput<typeof graysortSummary>
  | InferInput<typeof rowSummary>;

export function toJson(file: SummaryFile): SummaryJson {
  if ("rows" in file) return rowsToJson(file);
  if ("records" in file) return graysortToJson(file);
  const { item, descending, summary } = file;
  const { first, last } = summary;
  const findings = findingsJson(summary, descending);
  if (item.kind === "key") {
    const { type } = item;
    const ends = { first: first ? keyToJson(first, type) : null, last: last ? keyToJson(last, type) : null };
    return { version: VERSION, type: type.name, ...findings, ...ends };
  }
  const keys = item.keys.map((key) => recordKeyText("type" in key ? { ...key, type: key.type.name } : key));
  const { bytes: record, byteOrder } = item;
  return { version: VERSION, record, keys, byteOrder, ...findings, first: hex(first), last: hex(last) };
}

const hex = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString("hex") : null);

function graysortToJson({ records, summary }: GraysortSummary): SummaryJson {
  const checksum = crcSumText(summary.crcSum);
  const ends = { first: hex(summary.first), last: hex(summary.last) };
  return { version: VERSION, records, ...orderJson(summary, false), checksum, ...ends };
}

function rowsToJson({ rows, by, misfits, summary }: RowSummary): SummaryJson {
  const { first, last } = summary;
  const findings = findingsJson(summary, rows.keys[0]?.descending ?? false);
  const { terminator, separator, quotes, keys } = rows;
  // Names are for errors alone; with them, parts whose headers differ could not be combined.
  const order = { terminator, separator, quotes, keys: keys.map(({ name: _, ...key }) => key) };
  const columns = { ...(by !== undefined && { by }), ...(misfits && { misfits: [...misfits] }) };
  const ends = { first: lineToJson(first), last: lineToJson(last) };
  return { version: VERSION, rows: order, ...columns, ...findings, ...ends };
}

function findingsJson(summary: Summary, descending: boolean) {
  const checksum = checksumText(summary.checksum);
  return { ...orderJson(summary, descending), checksum };
}

function orderJson({ count, inversions, firstInversion, duplicates }: OrderSummary, descending: boolean) {
  return {
    order: descending ? ("descending" as const) : ("ascending" as const),
    count,
    inversions,
    firstInversion: firstInversion ?? null,
    duplicates,
  };
}

function lineToJson(bytes: Uint8Array | undefined): string | { hex: string } | null {
  if (bytes === undefined) return null;
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : { hex: Buffer.from(bytes).toString("hex") };
}

function lineFromJson(line: string | { hex: Uint8Array } | null): Uint8Array | undefined {
  if (line === null) return undefined;
  return typeof line === "string" ? new Uint8Array(Buffer.from(line)) : line.hex;
}

/**
 * Reads a summary that `toJson` made.
 *
 * @param name the file's, for the error message.
 * @throws InputError if the text is not such a summary.
 */
export function fromJson(name: string, text: string): SummaryFile {
  try {
    const json = JSON.parse(text);
    if (has(json, "rows")) {
      const parsed = parse(rowSummary, json);
      const rows = { separator: undefined, ...parsed.rows } as unknown as RowOrder;
      requireRows(rows, {});
      const [first, last] = [lineFromJson(parsed.first), lineFromJson(parsed.last)];
      const { by, misfits } = parsed;
      const columns = { ...(by !== undefined && { by }), ...(misfits && { misfits }) };
      return { rows, ...columns, summary: summaryOf(parsed, first, last) };
    }
    if (has(json, "records")) {
      const { checksum: crcSum, ...parsed } = parse(graysortSummary, json);
      const { first, last } = parsed;
      const order = orderOfFile(parsed, first ?? undefined, last ?? undefined, graysortRecord.bytes);
      return { records: parsed.records, summary: { ...order, crcSum } };
    }
    const parsed = has(json, "record") ? parse(recordSummary, json) : parse(keySummary, json);
    const { item, first, last } = "record" in parsed ? recordsOf(parsed) : keysOf(parsed);
    return {
      item,
      descending: parsed.order === "descending",
      summary: summaryOf(parsed, first, last, item.bytes),
    };
  } catch (cause) {
    throw new InputError(`${name} is not a summary: ${describeIssue(cause)}`, {
      hint: "make one with gpusort verify FILE --json",
      cause,
    });
  }
}

function summaryOf(
  findings: ParsedFindings,
  first: Uint8Array | undefined,
  last: Uint8Array | undefined,
  itemBytes?: number,
): Summary {
  return { ...orderOfFile(findings, first, last, itemBytes), checksum: findings.checksum };
}

/** @param itemBytes the length of the first and the last item; undefined if it varies. */
function orderOfFile(
  { count, inversions, duplicates, firstInversion }: Omit<ParsedFindings, "checksum">,
  first: Uint8Array | undefined,
  last: Uint8Array | undefined,
  itemBytes?: number,
): OrderSummary {
  for (const end of [first, last]) {
    const isWrong = end && itemBytes !== undefined && end.length !== itemBytes;
    if ((end === undefined) !== (count === 0) || isWrong) {
      throw new Error("the first and the last item do not match the number or the length of the items");
    }
  }
  return {
    count,
    inversions,
    duplicates,
    firstInversion: firstInversion ?? undefined,
    first,
    last,
  };
}

type ParsedKeys = InferOutput<typeof keySummary>;
type ParsedFindings = Pick<ParsedKeys, "count" | "inversions" | "duplicates" | "checksum" | "firstInversion">;

const has = (json: unknown, field: string) => typeof json === "object" && json !== null && field in json;

function keysOf(json: ParsedKeys) {
  const type = elementType(json.type);
  const bytesOf = (key: KeyJson | null) => (key === null ? undefined : keyFromJson(key, type));
  return { item: keyItem(type), first: bytesOf(json.first), last: bytesOf(json.last) };
}

function recordsOf({ record: bytes, byteOrder, ...json }: InferOutput<typeof recordSummary>) {
  const keys = json.keys.map((key) => requireRecordKey(parseRecordKey(key), bytes));
  const item: Item = { kind: "record", bytes, keys, byteOrder };
  return { item, first: json.first ?? undefined, last: json.last ?? undefined };
}
