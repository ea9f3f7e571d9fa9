import {
  array,
  type InferInput,
  type InferOutput,
  literal,
  minLength,
  minValue,
  nullable,
  number,
  object,
  optional,
  parse,
  picklist,
  pipe,
  regex,
  safeInteger,
  string,
  transform,
  union,
} from "valibot";
import { describeIssue } from "../bench/describe_issue.js";
import { elementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { type Item, keyItem } from "../core/items/item.js";
import type { Summary } from "../core/items/summary.js";
import { recordKeyText, requireRecordKey } from "../formats/options.js";
import { type KeyJson, keyFromJson, keyToJson } from "./key_json.js";
import { parseRecordKey } from "./parse.js";

/** What `gpusort verify` checked and what it found. Summaries of consecutive parts can be combined. */
export interface SummaryFile {
  readonly item: Item;
  readonly descending: boolean;
  readonly summary: Summary;
}

const count = pipe(number(), safeInteger(), minValue(0));
const checksum = pipe(
  string(),
  regex(/^[0-9a-f]{16}$/),
  transform((text) => [Number.parseInt(text.slice(0, 8), 16), Number.parseInt(text.slice(8), 16)] as const),
);
const bytes = pipe(
  string(),
  regex(/^([0-9a-f]{2})*$/),
  transform((text) => new Uint8Array(Buffer.from(text, "hex"))),
);
const findings = {
  order: picklist(["ascending", "descending"]),
  count,
  inversions: count,
  firstInversion: nullable(count),
  duplicates: count,
  checksum,
};

const VERSION = 2;

const key = nullable(union([number(), string()]));
const keySummary = object({ version: literal(VERSION), type: string(), ...findings, first: key, last: key });

/** gpusort printed this until it printed versions: the bytes of keys in memory order, in hexadecimal. */
const keySummaryWithoutVersion = object({
  type: string(),
  ...findings,
  first: nullable(bytes),
  last: nullable(bytes),
});

/** Records are bytes, in hexadecimal. */
const recordSummary = object({
  version: optional(literal(VERSION)),
  record: pipe(number(), safeInteger(), minValue(1)),
  keys: pipe(array(string()), minLength(1)),
  byteOrder: picklist(["little", "big"]),
  ...findings,
  first: nullable(bytes),
  last: nullable(bytes),
});

export function toJson({
  item,
  descending,
  summary,
}: SummaryFile): InferInput<typeof keySummary> | InferInput<typeof recordSummary> {
  const { first, last, checksum, firstInversion, ...counts } = summary;
  const findings = {
    order: descending ? ("descending" as const) : ("ascending" as const),
    ...counts,
    firstInversion: firstInversion ?? null,
    checksum: checksum.map((sum) => sum.toString(16).padStart(8, "0")).join(""),
  };
  if (item.kind === "key") {
    const { type } = item;
    const ends = { first: first ? keyToJson(first, type) : null, last: last ? keyToJson(last, type) : null };
    return { version: VERSION, type: type.name, ...findings, ...ends };
  }
  const hex = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString("hex") : null);
  const keys = item.keys.map((key) => recordKeyText("type" in key ? { ...key, type: key.type.name } : key));
  const { bytes: record, byteOrder } = item;
  return { version: VERSION, record, keys, byteOrder, ...findings, first: hex(first), last: hex(last) };
}

/**
 * Reads a summary that `toJson` made, or that it made before summaries had versions.
 *
 * @param name the file's, for the error message.
 * @throws InputError if the text is not such a summary.
 */
export function fromJson(name: string, text: string): SummaryFile {
  try {
    const json = parseSummary(JSON.parse(text));
    const item = itemOf(json);
    const { order, count, inversions, duplicates, checksum, firstInversion } = json;
    const [first, last] = [json.first, json.last].map((end) => bytesOfEnd(end, item));
    for (const end of [first, last]) {
      if ((end === undefined) !== (count === 0) || (end && end.length !== item.bytes)) {
        throw new Error("the first and the last item do not match the number or the length of the items");
      }
    }
    return {
      item,
      descending: order === "descending",
      summary: {
        count,
        inversions,
        duplicates,
        checksum,
        firstInversion: firstInversion ?? undefined,
        first,
        last,
      },
    };
  } catch (cause) {
    throw new InputError(`${name} is not a summary: ${describeIssue(cause)}`, {
      hint: "make one with gpusort verify FILE --json",
      cause,
    });
  }
}

type ParsedSummary = InferOutput<typeof keySummary | typeof keySummaryWithoutVersion | typeof recordSummary>;

function parseSummary(json: unknown): ParsedSummary {
  const has = (field: string) => typeof json === "object" && json !== null && field in json;
  if (has("record")) return parse(recordSummary, json);
  return has("version") ? parse(keySummary, json) : parse(keySummaryWithoutVersion, json);
}

function bytesOfEnd(end: KeyJson | Uint8Array | null, item: Item): Uint8Array | undefined {
  if (end === null || end instanceof Uint8Array) return end ?? undefined;
  if (item.kind === "record") throw new TypeError("the ends of records are bytes");
  return keyFromJson(end, item.type);
}

function itemOf(json: ParsedSummary): Item {
  if ("type" in json) return keyItem(elementType(json.type));
  const { record: bytes, byteOrder } = json;
  const keys = json.keys.map((key) => requireRecordKey(parseRecordKey(key), bytes));
  return { kind: "record", bytes, keys, byteOrder };
}
