/** A key of rows, as far as kernels are chosen by it. */
export interface ReadKey {
  /**
   * Byte by byte; as a decimal number, or one with a unit; as a floating-point number, but for hexadecimal ones;
   * as the name of a month, or as a date.
   */
  readonly compare: "bytes" | "decimal" | "human" | "float" | "month" | "date";
  /** Whether other bytes stand for some of its bytes, or some are left out. */
  readonly isMapped: boolean;
}

/** How kernels read keys: the variants of their slots, so that what no key needs is not compiled. */
export interface RowReading {
  /** What fields are: those of lines, as sort(1) counts them, or those of tables, which may be in quotes. */
  readonly row_fields: "lines" | "tables";
  /** Whether bytes that are compared stand for themselves. */
  readonly row_bytes: "plain" | "mapped";
  /** Whether all keys that are numbers are decimal ones, or some floating-point ones. */
  readonly row_numbers: "decimals" | "floats";
  /** Whether all keys that are not compared byte by byte are numbers without units. */
  readonly row_kinds: "numbers" | "all";
}

const isNumber: ReadonlySet<ReadKey["compare"]> = new Set(["bytes", "decimal", "float"] as const);

/** @param isTable whether fields may be in quotes. */
export function rowReading(keys: readonly ReadKey[], isTable: boolean): RowReading {
  return {
    row_fields: isTable ? "tables" : "lines",
    row_bytes: keys.some(({ isMapped }) => isMapped) ? "mapped" : "plain",
    row_numbers: keys.some(({ compare }) => compare === "float") ? "floats" : "decimals",
    row_kinds: keys.every(({ compare }) => isNumber.has(compare)) ? "numbers" : "all",
  };
}
