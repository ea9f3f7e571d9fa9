import type { DataType } from "apache-arrow";

/**
 * A column of a table, or the child of a nested one, with all of its rows in one piece. What is in the
 * buffers was checked: offsets ascend and lie in the values, indices lie in the dictionary.
 */
export type Column = ColumnBase & Layout;

interface ColumnBase {
  readonly type: DataType;
  /** The number of rows. */
  readonly length: number;
  /** One byte per row: 1 if it has a value, 0 if it is null. Absent if no row is null. */
  readonly valid?: Uint8Array | undefined;
}

type Layout =
  | { readonly kind: "null" }
  /** One byte per row, 0 or 1. */
  | { readonly kind: "bool"; readonly values: Uint8Array }
  /** `width` bytes per row, in little-endian byte order. */
  | { readonly kind: "fixed"; readonly width: number; readonly values: Uint8Array }
  /** The bytes of row i: from `offsets[i]` up to `offsets[i + 1]`. */
  | { readonly kind: "bytes"; readonly offsets: Uint32Array; readonly values: Uint8Array }
  /** The elements of row i: from `offsets[i]` up to `offsets[i + 1]`. */
  | { readonly kind: "list"; readonly offsets: Uint32Array; readonly child: Column }
  /** The elements of row i: `size` of them from `i * size` on. */
  | { readonly kind: "fixed list"; readonly size: number; readonly child: Column }
  | { readonly kind: "struct"; readonly children: readonly Column[] }
  /** Row i has the value of row `indices[i]` of the dictionary. */
  | { readonly kind: "dictionary"; readonly indices: Uint32Array; readonly dictionary: Column };

export type ColumnOf<Kind extends Column["kind"]> = Extract<Column, { kind: Kind }>;
