/** The byte that encloses a field: a double quote. */
export const QUOTE = 34;

/** A key of rows, as far as kernels are chosen by it. */
export interface ReadKey {
  /**
   * Byte by byte; as a decimal number, or one with a unit; as a floating-point number, but for hexadecimal
   * ones; as the name of a month, or as a date.
   */
  readonly compare: "bytes" | "decimal" | "human" | "float" | "month" | "date";
  /** Whether other bytes stand for some of its bytes, or some are left out. */
  readonly isMapped: boolean;
}

/** How kernels read keys, so that what no key needs is not compiled. */
export interface RowReading {
  readonly variants: RowVariants;
  /** Constants of the variants. */
  readonly constants: { readonly BLANKS?: number };
}

/** The variants of the slots of kernels that read keys. */
interface RowVariants {
  /** What fields are: those of lines, as sort(1) counts them, or those of tables, which may be in quotes. */
  readonly row_fields: "lines" | "tables";
  /** Whether some keys are compared byte by byte, and whether other bytes stand for some of theirs. */
  readonly row_bytes: "plain" | "mapped" | undefined;
  /** Whether some keys are decimal numbers, and whether some may have a unit. */
  readonly row_decimals: "plain" | "units" | undefined;
  readonly row_floats: "some" | undefined;
  readonly row_months: "some" | undefined;
  readonly row_dates: "some" | undefined;
}

/** The second word of an order, if no byte separates fields. */
const NO_SEPARATOR = 0xffff_ffff;

/** @param isTable whether fields may be in quotes; `order` as words: see src/rows/order/order_words.ts. */
export function rowReading(keys: readonly ReadKey[], isTable: boolean, order: Uint32Array): RowReading {
  const has = (kind: ReadKey["compare"]) => keys.some(({ compare }) => compare === kind);
  const isMapped = keys.some((key) => key.compare === "bytes" && key.isMapped);
  const variants = {
    row_fields: isTable ? "tables" : "lines",
    row_bytes: isMapped ? "mapped" : has("bytes") ? "plain" : undefined,
    row_decimals: has("human") ? "units" : has("decimal") ? "plain" : undefined,
    row_floats: has("float") ? "some" : undefined,
    row_months: has("month") ? "some" : undefined,
    row_dates: has("date") ? "some" : undefined,
  } as const;
  return { variants, constants: isTable ? {} : { BLANKS: Number(order[1] === NO_SEPARATOR) } };
}
