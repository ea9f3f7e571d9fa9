import { elementType } from "../elements.js";
import { InputError } from "../errors.js";
import { type Item, keyItem } from "../formats/format.js";
import { parseByteOrder } from "../formats/options.js";
import { parseRecordKey } from "../formats/records.js";
import type { Summary } from "./summary.js";

/** What was looked at, and what was found: all that is needed to put it together with the findings of other parts. */
export interface SummaryFile {
  readonly item: Item;
  readonly descending: boolean;
  readonly summary: Summary;
}

/** Items' bytes are in hexadecimal digits, as they stand in memory: a NaN or a 64-bit number is no JSON number. */
export function toJson({ item, descending, summary }: SummaryFile): Record<string, unknown> {
  const { first, last, checksum, firstInversion, ...counts } = summary;
  const hex = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString("hex") : null);
  return {
    ...(item.kind === "key"
      ? { type: item.type.name }
      : {
          record: item.bytes,
          keys: item.keys.map((key) => `${key.offset}:${"type" in key ? key.type.name : key.bytes}`),
          byteOrder: item.byteOrder,
        }),
    order: descending ? "descending" : "ascending",
    ...counts,
    firstInversion: firstInversion ?? null,
    checksum: checksum.map((sum) => sum.toString(16).padStart(8, "0")).join(""),
    first: hex(first),
    last: hex(last),
  };
}

/** @throws InputError if the text is not what `toJson` gives. */
export function fromJson(name: string, text: string): SummaryFile {
  try {
    const json = JSON.parse(text) as Record<string, unknown>;
    const item = itemOf(json);
    const words = /^([0-9a-f]{8})([0-9a-f]{8})$/.exec(String(json.checksum));
    if (!words || !["ascending", "descending"].includes(String(json.order)))
      throw new Error("a field is missing");
    const summary: Summary = {
      count: whole(json.count),
      inversions: whole(json.inversions),
      firstInversion: json.firstInversion === null ? undefined : whole(json.firstInversion),
      duplicates: whole(json.duplicates),
      checksum: [Number.parseInt(words[1]!, 16), Number.parseInt(words[2]!, 16)],
      first: bytesOf(json.first, item),
      last: bytesOf(json.last, item),
    };
    if (summary.count > 0 !== (summary.first !== undefined && summary.last !== undefined)) {
      throw new Error("the first and the last item do not fit the count");
    }
    return { item, descending: json.order === "descending", summary };
  } catch (cause) {
    throw new InputError(`${name} is no summary: ${(cause as Error).message}`, {
      hint: "make one with gpusort verify FILE --json",
      cause,
    });
  }
}

function itemOf({ type, record, keys, byteOrder }: Record<string, unknown>): Item {
  if (record === undefined) return keyItem(elementType(String(type)));
  const bytes = whole(record);
  if (!Array.isArray(keys) || keys.length === 0) throw new Error("it names no keys");
  return {
    kind: "record",
    bytes,
    keys: keys.map((key) => parseRecordKey(String(key), bytes)),
    byteOrder: parseByteOrder(String(byteOrder)),
  };
}

function whole(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new Error(`${value} is no count`);
}

function bytesOf(value: unknown, { bytes }: Item): Uint8Array | undefined {
  if (value === null) return undefined;
  if (typeof value !== "string" || !/^([0-9a-f]{2})*$/.test(value) || value.length !== 2 * bytes) {
    throw new Error(`${value} is no item of ${bytes} bytes`);
  }
  return new Uint8Array(Buffer.from(value, "hex"));
}
