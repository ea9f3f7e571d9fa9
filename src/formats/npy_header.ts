import { type ElementType, elementTypes, type KeyOrder } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import type { ByteOrder } from "../core/items/item.js";
import { quote } from "../core/quote.js";
import { type Literal, LiteralError, parseLiteral, Tuple } from "./python_literal.js";

/** The header of a .npy file with an array that gpusort can sort. */
export interface NpyHeader {
  readonly version: 1 | 2 | 3;
  readonly type: ElementType;
  readonly byteOrder: ByteOrder;
  /** The number of elements. */
  readonly count: number;
  /** The offset of the array in the file, in bytes. */
  readonly dataOffset: number;
}

const npyMagic = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59);

/** NumPy refuses longer headers (its `max_header_size`). */
const MAX_HEADER_BYTES = 10_000;

/** The magic bytes, the version, and the header length in its longer form. */
export const NPY_PREAMBLE_BYTES = 12;

const orders: Record<string, KeyOrder> = { u: "unsigned", i: "signed", f: "float" };
const letters: Record<KeyOrder, string> = { unsigned: "u", signed: "i", float: "f" };

/**
 * The length of the header in bytes, preamble included.
 *
 * @param preamble the first 12 bytes of the file, or the whole file if it is shorter.
 * @throws InputError if it is not a .npy file, is of an unknown version, or has an incomplete or too long
 *   header.
 */
export function npyHeaderBytes(name: string, preamble: Uint8Array): number {
  if (npyMagic.some((byte, i) => preamble[i] !== byte)) {
    throw new InputError(`${name} is not a .npy file: it does not begin with \\x93NUMPY`, {
      hint: "name the format of the file, such as raw or text",
      options: ["format"],
    });
  }
  const [major, minor] = [preamble[6], preamble[7]];
  if (minor === undefined) throw cut(name);
  if ((major !== 1 && major !== 2 && major !== 3) || minor !== 0) {
    throw new InputError(`${name} is a .npy file of the unknown version ${major}.${minor}`, {
      hint: "save it with NumPy's np.save, which writes versions 1 to 3",
    });
  }
  const lengthBytes = major === 1 ? 2 : 4;
  if (preamble.length < 8 + lengthBytes) throw cut(name);
  const view = new DataView(preamble.buffer, preamble.byteOffset, preamble.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MAX_HEADER_BYTES) {
    throw broken(name, `its header has ${length} bytes, more than the ${MAX_HEADER_BYTES} that NumPy reads`);
  }
  return 8 + lengthBytes + length;
}

/**
 * Reads a header, which is a Python dictionary as text.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 * @param bytes the first bytes of the file, as many as `npyHeaderBytes` returns, or the whole file if it is
 *   shorter.
 * @throws InputError if the header is cut short or broken, or if gpusort cannot sort the array: if it does
 *   not have exactly one dimension, or if its elements are structured, objects, or of a type that gpusort
 *   lacks.
 */
export function readNpyHeader(name: string, bytes: Uint8Array): NpyHeader {
  const dataOffset = npyHeaderBytes(name, bytes);
  if (bytes.length < dataOffset) throw cut(name);
  const version = bytes[6] as 1 | 2 | 3;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, dataOffset)
    .subarray(version === 1 ? 10 : 12)
    .toString(version === 3 ? "utf8" : "latin1");
  const fields = parse(name, text, version < 3);
  if (!(fields instanceof Map)) throw broken(name, "its header is not a dictionary");
  const known = ["descr", "fortran_order", "shape"];
  for (const field of known) if (!fields.has(field)) throw broken(name, `its header has no '${field}'`);
  if (fields.size !== known.length)
    throw broken(name, "its header has other fields than descr, fortran_order and shape");
  if (typeof fields.get("fortran_order") !== "boolean")
    throw broken(name, "its fortran_order is not a boolean");
  return {
    version,
    ...readDescr(name, fields.get("descr")),
    count: readShape(name, fields.get("shape")),
    dataOffset,
  };
}

function parse(name: string, text: string, python2: boolean): Literal {
  try {
    return parseLiteral(text, python2);
  } catch (error) {
    throw error instanceof LiteralError ? broken(name, error.message) : error;
  }
}

function readShape(name: string, shape: Literal | undefined): number {
  const sizes = shape instanceof Tuple ? shape.items : [undefined];
  if (!sizes.every((size) => typeof size === "number")) {
    throw broken(name, "its shape is not a tuple of whole numbers");
  }
  if (sizes.some((size) => size < 0))
    throw broken(name, `its shape has the negative size ${Math.min(...sizes)}`);
  if (sizes.length === 1) return sizes[0]!;
  throw new InputError(
    `${name} has ${sizes.length} dimensions instead of 1: its shape is (${shorten(sizes.join(", "))})`,
    {
      hint: "save it with one dimension, for example np.save(FILE, array.ravel())",
    },
  );
}

function readDescr(name: string, descr: Literal | undefined) {
  const types = elementTypes.map(({ name }) => name).join(", ");
  const hint = `save it as one of the types ${types}, for example with array.astype`;
  if (Array.isArray(descr)) {
    const fields = descr.flatMap((field) => (field instanceof Tuple ? [String(field.items[0])] : []));
    throw new InputError(`${name} holds structured elements with the fields ${shorten(fields.join(", "))}`, {
      hint: "save one of the fields, for example np.save(FILE, array['name'])",
    });
  }
  if (typeof descr !== "string") throw broken(name, "its descr is not a string");
  const [, order, kind, bytes] = /^([<>|=])?([a-zA-Z])(\d*)/.exec(descr) ?? [];
  if (kind === "O") throw new InputError(`${name} holds Python objects (dtype ${quote(descr)})`, { hint });
  const type = elementTypes.find((one) => one.order === orders[kind ?? ""] && `${one.bytes}` === bytes);
  if (!type || !/^[<>|=]?[a-z]\d+$/.test(descr)) {
    throw new InputError(`${name} holds elements that gpusort cannot sort (dtype ${quote(descr)})`, { hint });
  }
  return { type, byteOrder: order === ">" ? ("big" as const) : ("little" as const) };
}

/**
 * Makes the header of a file with `count` keys. Its length does not depend on the count, so that the count
 * can be filled in later. The array begins at a multiple of 64 bytes, as in the files that NumPy writes.
 */
export function npyHeader(
  type: ElementType,
  byteOrder: ByteOrder,
  version: 1 | 2 | 3,
  count: number,
): Uint8Array {
  const order = type.bytes === 1 ? "|" : byteOrder === "big" ? ">" : "<";
  const descr = `${order}${letters[type.order]}${type.bytes}`;
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${count},), }`;
  const preamble = version === 1 ? 10 : 12;
  const length = 128 - preamble;
  const header = Buffer.alloc(128);
  header.set(npyMagic);
  header[6] = version;
  if (version === 1) header.writeUInt16LE(length, 8);
  else header.writeUInt32LE(length, 8);
  header.write(`${dictionary.padEnd(length - 1)}\n`, preamble, "latin1");
  return header;
}

/** Headers may be long, messages may not. */
function shorten(list: string): string {
  return list.length > 80 ? `${list.slice(0, 80)}…` : list;
}

function cut(name: string): InputError {
  return broken(name, "it ends inside its header");
}

function broken(name: string, how: string): InputError {
  return new InputError(`${name} is a broken .npy file: ${how}`, { hint: "save it again with np.save" });
}
