import { InputError } from "./errors.js";

/** How a key's bits decide its place; see wgsl/shared/order32.wgsl for the exact function of the bits. */
export type KeyOrder = "unsigned" | "signed" | "float";

export type NumberArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array;
export type BigArray = BigUint64Array | BigInt64Array;
export type KeyArray = NumberArray | BigArray | Float64Array;

interface KeyArrayConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): KeyArray;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): KeyArray;
}

/** One row of the table of element types: everything that gpusort knows about a type. */
export interface ElementType {
  readonly name: TypeName;
  /** Bytes a key. */
  readonly bytes: 1 | 2 | 4 | 8;
  /** 32-bit words a key once it is taken out of memory, least significant first, as WGSL sees it. */
  readonly words: 1 | 2;
  readonly order: KeyOrder;
  /** The view whose `sort()` defines the ascending order. */
  readonly array: KeyArrayConstructor;
  readonly description: string;
}

export type TypeName = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f32" | "u64" | "i64" | "f64";

const rows: ElementType[] = [
  {
    name: "u8",
    bytes: 1,
    words: 1,
    order: "unsigned",
    array: Uint8Array,
    description: "unsigned 8-bit integer",
  },
  { name: "i8", bytes: 1, words: 1, order: "signed", array: Int8Array, description: "signed 8-bit integer" },
  {
    name: "u16",
    bytes: 2,
    words: 1,
    order: "unsigned",
    array: Uint16Array,
    description: "unsigned 16-bit integer",
  },
  {
    name: "i16",
    bytes: 2,
    words: 1,
    order: "signed",
    array: Int16Array,
    description: "signed 16-bit integer",
  },
  {
    name: "u32",
    bytes: 4,
    words: 1,
    order: "unsigned",
    array: Uint32Array,
    description: "unsigned 32-bit integer",
  },
  {
    name: "i32",
    bytes: 4,
    words: 1,
    order: "signed",
    array: Int32Array,
    description: "signed 32-bit integer",
  },
  { name: "f32", bytes: 4, words: 1, order: "float", array: Float32Array, description: "32-bit IEEE float" },
  {
    name: "u64",
    bytes: 8,
    words: 2,
    order: "unsigned",
    array: BigUint64Array,
    description: "unsigned 64-bit integer",
  },
  {
    name: "i64",
    bytes: 8,
    words: 2,
    order: "signed",
    array: BigInt64Array,
    description: "signed 64-bit integer",
  },
  { name: "f64", bytes: 8, words: 2, order: "float", array: Float64Array, description: "64-bit IEEE float" },
];

export const elementTypes: readonly ElementType[] = rows;

const byName = new Map<string, ElementType>(rows.map((row) => [row.name, row]));

/** @throws InputError if there is no type of that name; the hint lists those that there are. */
export function elementType(name: string): ElementType {
  const found = byName.get(name);
  if (found) return found;
  throw new InputError(`unknown element type '${name}'`, {
    hint: `use one of ${rows.map((row) => row.name).join(", ")}`,
  });
}

/** The type that a file's extension names (`keys.f64` holds f64), or undefined. */
export function elementTypeOfPath(path: string): ElementType | undefined {
  return byName.get(/\.([a-z]\d+)$/i.exec(path)?.[1]?.toLowerCase() ?? "");
}

/** The type of a typed array's elements. @throws InputError for a view that gpusort cannot sort. */
export function elementTypeOfArray(keys: ArrayBufferView): ElementType {
  const found = rows.find((row) => keys instanceof row.array);
  if (found) return found;
  throw new InputError(`cannot sort a ${keys.constructor.name}`, {
    hint: `pass one of ${rows.map((row) => row.array.name).join(", ")}`,
  });
}
