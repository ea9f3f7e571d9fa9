/** Computes the stable ascending order of keys: the index of the first one, then of the second, … */
export type Argsort = (keys: Uint32Array | BigUint64Array) => Promise<Uint32Array>;

/** One unsigned number per row, of at most 64 bits: `high` times 2^32 plus `low`. */
export interface Codes {
  /** No code has more bits. */
  readonly bits: number;
  readonly low: Uint32Array;
  /** Absent if there are at most 32 bits. */
  readonly high?: Uint32Array | undefined;
}

/** The order of a column as numbers: rows compare as their codes do, the first ones first. */
export interface ColumnCodes {
  /** None if all values are equal. The codes of a null row mean nothing. */
  readonly codes: readonly Codes[];
  /** As in `Column`. */
  readonly valid: Uint8Array | undefined;
}
