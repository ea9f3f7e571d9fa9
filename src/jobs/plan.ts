import {
  array,
  boolean,
  type InferOutput,
  literal,
  minLength,
  object,
  optional,
  parse,
  picklist,
  pipe,
  string,
  tuple,
  union,
} from "valibot";
import { fileCompressions } from "../core/compression.js";
import { elementType } from "../core/elements.js";
import { type Item, keyItem } from "../core/items/item.js";
import type { Style } from "../formats/format.js";
import { requireRecordKey } from "../formats/options.js";
import { positiveInteger, wholeNumber } from "../json_schemas.js";
import type { OpenInputsOptions } from "../sort/inputs.js";
import { digest } from "./sealed.js";

const byteOrder = picklist(["little", "big"]);
const recordKey = union([
  object({ offset: wholeNumber, bytes: positiveInteger }),
  object({ offset: wholeNumber, type: string() }),
]);

/** What is sorted, as data. */
const item = union([
  object({ type: string() }),
  object({ recordBytes: positiveInteger, keys: pipe(array(recordKey), minLength(1)), byteOrder }),
]);

/** How the inputs are read: what the caller said of them. */
const reading = object({
  format: optional(string()),
  type: optional(string()),
  byteOrder: optional(byteOrder),
  skipBytes: optional(wholeNumber),
  recordBytes: optional(positiveInteger),
  keys: optional(array(recordKey)),
  blankLines: optional(picklist(["error", "skip"])),
  header: optional(boolean()),
  textOverflow: optional(picklist(["error", "inf"])),
});

/** How the parts are written. The header line of text is base64. */
const writing = object({
  format: string(),
  byteOrder,
  npyVersion: optional(picklist([1, 2, 3])),
  header: optional(string()),
  compress: picklist(fileCompressions),
  extension: string(),
});

/** Items of an input: its place in the list of inputs, the first item and their number; or all of an input. */
const share = union([tuple([wholeNumber, wholeNumber, wholeNumber]), tuple([wholeNumber])]);

export const PLAN_KIND = "plan of a gpusort job" as const;

/**
 * What a job sorts, and how it is divided into tasks. It is made once, and never changed: every task does what
 * it says, wherever and whenever it runs.
 */
const planSchema = object({
  kind: literal(PLAN_KIND),
  /** The version of gpusort that made it. Tasks of another version refuse it. */
  gpusort: string(),
  /** Absolute paths. An input that has another size or time of modification is refused. */
  inputs: pipe(array(object({ path: string(), bytes: wholeNumber, mtimeNs: string() })), minLength(1)),
  /** The folder of the parts, an absolute path. */
  output: string(),
  reading,
  item,
  descending: boolean(),
  unique: boolean(),
  writing,
  /** Bytes of memory that a task may use, the device's included. */
  memoryBytes: positiveInteger,
  /** Every `stride`-th item of a run is kept as a sample, and the cuts are found from the samples. */
  stride: positiveInteger,
  /** What each run sorts, in the order of the inputs. */
  runs: pipe(array(array(share)), minLength(1)),
  /** The number of parts of the output. */
  parts: positiveInteger,
});

export type JobPlan = InferOutput<typeof planSchema>;
export type Share = JobPlan["runs"][number][number];
export type ItemPlan = JobPlan["item"];

/** The items of some shares; undefined if the plan does not know how many an input holds. */
export function plannedItems(shares: readonly Share[]): number | undefined {
  const items = shares.reduce((sum, [, , count]) => sum + (count ?? Number.NaN), 0);
  return Number.isNaN(items) ? undefined : items;
}

/** Reads a plan. @throws Error if it is something else. */
export function parsePlan(json: unknown): JobPlan {
  return parse(planSchema, json);
}

/** Names a plan by its content, so that equal plans are one job. */
export function planId(plan: JobPlan): string {
  return digest(JSON.stringify(plan)).slice(0, 16);
}

export function itemToPlan(item: Item): ItemPlan {
  if (item.kind === "key") return { type: item.type.name };
  const keys = item.keys.map((key) => ("type" in key ? { offset: key.offset, type: key.type.name } : key));
  return { recordBytes: item.bytes, keys, byteOrder: item.byteOrder };
}

export function itemOfPlan(planned: ItemPlan): Item {
  if ("type" in planned) return keyItem(elementType(planned.type));
  const { recordBytes: bytes, byteOrder } = planned;
  const keys = planned.keys.map((key) => requireRecordKey(key as never, bytes));
  return { kind: "record", bytes, keys, byteOrder };
}

/** The style of the parts. */
export function styleOfParts({ writing }: JobPlan): Style {
  const { format, byteOrder, npyVersion, header } = writing;
  return {
    format,
    byteOrder,
    ...(npyVersion && { npyVersion }),
    ...(header !== undefined && { header: new Uint8Array(Buffer.from(header, "base64")) }),
  };
}

/** How a part is read again. */
export function readingOfParts({ writing, item }: JobPlan): OpenInputsOptions {
  const { format, byteOrder, header } = writing;
  if ("recordBytes" in item) {
    const hasNumbers = item.keys.some((key) => "type" in key);
    const { recordBytes, keys } = item;
    return { recordBytes, keys, ...(hasNumbers && { byteOrder: item.byteOrder }) } as OpenInputsOptions;
  }
  const common = { format, type: item.type } as OpenInputsOptions;
  if (format === "raw") return { ...common, byteOrder };
  return format === "text" ? { ...common, header: header !== undefined } : common;
}
