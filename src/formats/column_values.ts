import type { NumberForm, RowComparison } from "../rows/order/row_order.js";

/** What the values of a column are compared as. */
export interface Reading {
  readonly compare: Extract<RowComparison, "number" | "date" | "bytes" | "natural" | "nocase">;
  readonly foldCase?: boolean;
  /** Whether any value is one: then empty ones have no place of their own. */
  readonly isText?: boolean;
  /** With its article, as in "price as a number". */
  readonly what: string;
  /** What follows a colon for a column that is said to hold this. */
  readonly type: ColumnType;
  /** Whether a value may be one, by its characters. The kernels of assembly/rows/ look closer at dates. */
  readonly fits: (value: string, form: NumberForm | undefined) => boolean;
}

/** What a column may be said to hold. */
export const columnTypes = ["number", "date", "text", "natural", "nocase"] as const;
export type ColumnType = (typeof columnTypes)[number];

export const number: Reading = { compare: "number", what: "a number", type: "number", fits: isNumber };
export const date: Reading = {
  compare: "date",
  what: "a date",
  type: "date",
  fits: (value) => isoDate.test(value),
};
const ofText = { isText: true, fits: () => true } as const;
const text: Reading = { ...ofText, compare: "bytes", what: "text", type: "text" };
const natural: Reading = { ...ofText, compare: "natural", what: "text in natural order", type: "natural" };
const nocase: Reading = { ...ofText, compare: "nocase", what: "text without regard to case", type: "nocase" };

/** The readings that are guessed: the first one that fits all values. */
export const readings: readonly Reading[] = [number, date, text];

/** How a column is read that is said to hold something: there is one way. */
export const typedReading = (type: string): readonly Reading[] =>
  [...readings, natural, nocase].filter((reading) => reading.type === type);

/** The same order, but text is compared without regard to case: of natural order, ASCII is. */
export function withoutCase(reading: Reading): Reading {
  if (reading.compare === "bytes") return nocase;
  if (reading.compare !== "natural") return reading;
  return { ...reading, foldCase: true, what: `${reading.what}, without regard to case` };
}

const isNan = (value: string) => /^[+-]?nan$/i.test(value);

/** Whether a value is no value of a column that is read so. @param value without blanks around it. */
export function isMissing(value: string, { compare }: Reading, nullWords: readonly string[]): boolean {
  return value === "" || nullWords.includes(value) || (compare === "number" && isNan(value));
}

/** Whether a value is a number: assembly/rows/numbers.ts reads it. */
function isNumber(value: string, { point = POINT, thousands }: NumberForm = {}): boolean {
  if (usualNumber.test(value) && point === POINT && thousands === undefined) return true;
  if (infinity.test(value)) return true;
  const [, , whole = "", , decimals = "", exponent = ""] = parts(point, thousands).exec(value) ?? [];
  if (whole === "" && decimals === "") return false;
  return exponent.replace(/^[+-]?0*/, "").length <= 18;
}

const POINT = 46;
const usualNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,18})?$/i;
const infinity = /^[+-]?inf(?:inity)?$/i;

/** The parts of a number: sign, whole part, decimals, exponent. */
function parts(point: number, thousands: number | undefined): RegExp {
  const [before, between] = [point, thousands].map(
    (byte) => byte !== undefined && `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  const grouped = between ? `\\d{1,3}(?:${between}\\d{3})+|` : "";
  return new RegExp(`^([+-]?)(${grouped}\\d*)(${before}(\\d*))?(?:e([+-]?\\d+))?$`, "i");
}

/**
 * What assembly/rows/dates.ts reads. Without separators, a date may be a number; that is looked at before.
 */
const isoDate = new RegExp(
  [
    String.raw`^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?ZONE)?)?$`,
    String.raw`^\d{8}(?:[T ]\d{4}(?:\d\d(?:[.,]\d+)?)?ZONE)?$`,
  ]
    .join("|")
    .replaceAll("ZONE", String.raw`(?: ?(?:Z|[+-]\d\d(?::?\d\d)?))?`),
  "i",
);
