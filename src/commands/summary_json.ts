import {
  array,
  type InferInput,
  type InferOutput,
  minLength,
  minValue,
  nullable,
  number,
  object,
  parse,
  picklist,
  pipe,
  regex,
  safeInteger,
  string,
  transform,
} from "valibot";
import { describeIssue } from "../bench/describe_issue.js";
import { elementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { type Item, keyItem } from "../core/items/item.js";
import type { Summary } from "../core/items/summary.js";
import { recordKeyText, requireRecordKey } from "../formats/options.js";
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
  first: nullable(bytes),
  last: nullable(bytes),
};

/** The bytes of items are hexadecimal, in memory order: JSON has no NaN and no exact 64-bit numbers. */
const keySummary = object({ type: string(), ...findings });
const recordSummary = object({
  record: pipe(number(), safeInteger(), minValue(1)),
  keys: pipe(array(string()), minLength(1)),
  byteOrder: picklist(["little", "big"]),
  ...findings,
});

export function toJson({
  item,
  descending,
  summary,
}: SummaryFile): InferInput<typeof keySummary> | InferInput<typeof recordSummary> {
  const { first, last, checksum, firstInversion, ...counts } = summary;
  const hex = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString("hex") : null);
  const findings = {
    order: descending ? ("descending" as const) : ("ascending" as const),
    ...counts,
    firstInversion: firstInversion ?? null,
    checksum: checksum.map((sum) => sum.toString(16).padStart(8, "0")).join(""),
    first: hex(first),
    last: hex(last),
  };
  if (item.kind === "key") return { type: item.type.name, ...findings };
  const keys = item.keys.map((key) => recordKeyText("type" in key ? { ...key, type: key.type.name } : key));
  return { record: item.bytes, keys, byteOrder: item.byteOrder, ...findings };
}

/**
 * Reads a summary that `toJson` made.
 *
 * @param name the file's, for the error message.
 * @throws InputError if the text is not such a summary.
 */
export function fromJson(name: string, text: string): SummaryFile {
  try {
    const untyped = JSON.parse(text);
    const ofRecords = typeof untyped === "object" && untyped !== null && "record" in untyped;
    const json = parse(ofRecords ? recordSummary : keySummary, untyped);
    const item = itemOf(json);
    const { order, count, inversions, duplicates, checksum, firstInversion, first, last } = json;
    for (const end of [first, last]) {
      if ((end === null) !== (count === 0) || (end && end.length !== item.bytes)) {
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
        first: first ?? undefined,
        last: last ?? undefined,
      },
    };
  } catch (cause) {
    throw new InputError(`${name} is not a summary: ${describeIssue(cause)}`, {
      hint: "make one with gpusort verify FILE --json",
      cause,
    });
  }
}

function itemOf(json: InferOutput<typeof keySummary> | InferOutput<typeof recordSummary>): Item {
  if ("type" in json) return keyItem(elementType(json.type));
  const { record: bytes, byteOrder } = json;
  const keys = json.keys.map((key) => requireRecordKey(parseRecordKey(key), bytes));
  return { kind: "record", bytes, keys, byteOrder };
}
