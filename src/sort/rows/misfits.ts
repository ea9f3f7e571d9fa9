import type { ErrorDetails } from "../../core/errors.js";
import type { KeyTally } from "../../rows/order/tally.js";
import type { OrderOfInputs } from "../order_of_inputs.js";

/** Values of a column that are not what the column is said to hold. */
export interface Misfits {
  /** The column, as it was named. */
  readonly column: string;
  /** What its values are said to be, as in "a number". */
  readonly what: string;
  /** How many such values there are; of a merge with a head, among the rows that were merged. */
  readonly count: number;
  /** Where their rows go. */
  readonly place: "first" | "last";
  /** The first of them. */
  readonly first: {
    /** The name of the input that it is in. */
    readonly input: string;
    /** Its row in that input, from 1, headers included. */
    readonly row: number;
    /** The value as it is in the text, without quotes around it. */
    readonly value: string;
  };
}

/** Those of a key, by its number. */
export interface KeyMisfits extends Misfits {
  readonly key: number;
}

/** The values that do not fit, of the columns that have some. */
export function misfitsOf(
  tallies: readonly KeyTally[],
  { order, columns = [] }: OrderOfInputs,
): KeyMisfits[] {
  return tallies.flatMap(({ misfits: count, first }, key) => {
    const column = columns[key];
    if (!column || !first) return [];
    const { input, row } = first;
    const value = Buffer.from(first.value).toString();
    const place = order.keys[key]!.invalid === "first" ? "first" : "last";
    const own = { column: column.name, key, what: column.reading.what, count, place } as const;
    return [{ ...own, first: { input, row: row + 1, value } }];
  });
}

/** Those of several parts of some rows, in their order. */
export function combineMisfits(parts: readonly Misfits[]): Misfits[] {
  const all = new Map<string, Misfits>();
  for (const part of parts) {
    const before = all.get(part.column);
    all.set(part.column, before ? { ...before, count: before.count + part.count } : part);
  }
  return [...all.values()];
}

/** What to do about a value that is no number. */
export function misfitHint(value: string): Required<Pick<ErrorDetails, "hint" | "options">> {
  const text = value.trim();
  if (/^[+-]?\d{1,3}(\.\d{3})+(,\d*)?$/.test(text) || /^[+-]?\d+,\d*(e[+-]?\d+)?$/i.test(text)) {
    const hint = "if a comma stands before decimals, or a point between thousands, say so";
    return { hint, options: ["decimal", "thousands"] };
  }
  if (/^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(text)) {
    return { hint: "if a comma stands between thousands, say so", options: ["thousands"] };
  }
  if (/^(n\/?a|#n\/a|null|none|nil|missing|unknown|[-?.*]|--)$/i.test(text)) {
    return { hint: `if ${text} stands for no value, say so`, options: ["nullWords"] };
  }
  return { hint: "leave the type out, or name another column", options: ["by"] };
}
