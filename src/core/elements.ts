import { InputError } from "./errors.js";
import { Float16Bits } from "./float16.js";
import { nameHint, ownProperty, shown } from "./names.js";

/** How the bits of a key determine the order; wgsl/shared/order.wgsl defines the exact function. */
export type KeyOrder = "unsigned" | "signed" | "float";

/** The typed arrays whose elements are numbers of 8, 16 or 32 bits. */
export type NumberArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float16Keys;
/** `Float16Array` where TypeScript's library has it ("esnext.float16"), else nothing. */
export type Float16Keys = typeof globalThis extends {
  /** The class, if it is declared. */
  Float16Array: {
    /** What its instances are. */
    prototype: infer A;
  };
}
  ? A
  : never;
/** The typed arrays whose elements are bigints: integers of 64 bits. */
export type BigArray = BigUint64Array | BigInt64Array;
/** The typed arrays that gpusort sorts. */
export type KeyArray = NumberArray | BigArray | Float64Array;

/** A class of typed arrays that hold keys. */
export interface KeyArrayConstructor {
  /** Bytes per key. */
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): KeyArray;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): KeyArray;
}

/** One row of the table of element types: everything that gpusort knows about a type. */
export interface ElementType {
  /** The name that `elementType`, options and file name extensions have for it. */
  readonly name: TypeName;
  /** Bytes per key. */
  readonly bytes: 1 | 2 | 4 | 8;
  /** 32-bit words per key after WGSL has read it from memory, least significant word first. */
  readonly words: 1 | 2;
  /** Whether keys are compared as unsigned integers, signed integers or floats. */
  readonly order: KeyOrder;
  /**
   * The typed array class whose `sort()` defines the ascending order. That of f16 is a Uint16Array of the keys'
   * bits, as not every runtime has Float16Array.
   */
  readonly array: KeyArrayConstructor;
  /** The type in words, such as "unsigned 8-bit integer". */
  readonly description: string;
}

/**
 * The names of the element types: unsigned integers, signed integers and floats, each with its number of
 * bits.
 */
export type TypeName = "u8" | "i8" | "u16" | "i16" | "f16" | "u32" | "i32" | "f32" | "u64" | "i64" | "f64";

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
  { name: "f16", bytes: 2, words: 1, order: "float", array: Float16Bits, description: "16-bit IEEE float" },
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

/** All element types that gpusort sorts. */
export const elementTypes: readonly ElementType[] = rows;

const byName = new Map<string, ElementType>(rows.map((row) => [row.name, row]));

/**
 * Finds an element type by its name.
 *
 * @param name a name of `elementTypes`, such as "f32".
 * @throws InputError if no type has that name; the hint lists all names.
 */
export function elementType(name: string): ElementType {
  if (typeof name !== "string") {
    throw new InputError(`the element type is ${shown(name)}`, { hint: nameHint("", [...byName.keys()]) });
  }
  const type = byName.get(name);
  if (type) return type;
  throw new InputError(`unknown element type '${name}'`, {
    hint: nameHint(name, [...byName.keys()], nameElsewhere(name)),
  });
}

/** What other languages call types, apart from those names that say the number of bits or bytes. */
const namesElsewhere: Readonly<Record<string, TypeName>> = {
  byte: "u8",
  short: "i16",
  int: "i32",
  integer: "i32",
  uint: "u32",
  unsigned: "u32",
  long: "i64",
  half: "f16",
  float: "f32",
  single: "f32",
  double: "f64",
};

/**
 * Our name for a type of C, JavaScript or NumPy: uint32_t, Float64Array or <f8. Nothing else is guessed: a
 * type such as u24 is close to others, but means none of them.
 */
function nameElsewhere(name: string): string | null {
  const word = name.trim().toLowerCase();
  const [, kind, bits] = /^(?:np\.|big)?(u?int|float)(\d+)(?:_t|array)?$/.exec(word) ?? [];
  const [, letter, bytes] = /^[<>=|]([uif])(\d)$/.exec(word) ?? [];
  const numbered = kind ? `${kind[0]}${bits}` : letter ? `${letter}${8 * Number(bytes)}` : word;
  return (
    [numbered, ownProperty(namesElsewhere, word)].find((ours) => ours !== undefined && byName.has(ours)) ??
    null
  );
}

/** @returns the number of keys of a type that differ in their bits. */
export function mostDistinct({ bytes }: ElementType): number {
  return 2 ** (8 * bytes);
}

/** The class of the arrays that callers pass. */
const classOfCallers = ({ name, array }: ElementType) => (name === "f16" ? "Float16Array" : array.name);

/** The classes of arrays whose element type is known, for messages. */
export const arrayClasses: readonly string[] = rows.map(classOfCallers);

/**
 * Finds the element type of a typed array, from any JavaScript realm. That of a Uint16Array is u16.
 *
 * @returns undefined if gpusort cannot sort this class of array.
 */
export function typeOfArray(keys: ArrayBufferView): ElementType | undefined {
  if (keys instanceof Float16Bits) return byName.get("f16");
  const name = (keys as unknown as Record<symbol, string | undefined>)[Symbol.toStringTag];
  return rows.find((row) => classOfCallers(row) === name);
}

/**
 * Finds the element type of a typed array by its class, from any JavaScript realm. That of a Uint16Array is
 * u16.
 *
 * @param keys of one of the classes of `KeyArray`.
 * @throws InputError if gpusort cannot sort this class of array.
 */
export function elementTypeOfArray(keys: ArrayBufferView): ElementType {
  const type = ArrayBuffer.isView(keys) ? typeOfArray(keys) : undefined;
  if (type) return type;
  throw new InputError(`cannot sort a ${shown(keys)}`, {
    hint: `pass one of ${arrayClasses.join(", ")}`,
  });
}
