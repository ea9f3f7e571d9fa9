import { type ElementType, elementTypes, type KeyOrder } from "../elements.js";
import { InputError } from "../errors.js";
import type { ByteOrder } from "./format.js";

/** What the header of a .npy file says, of the arrays that gpusort takes. */
export interface NpyHeader {
  readonly version: 1 | 2 | 3;
  readonly type: ElementType;
  readonly byteOrder: ByteOrder;
  readonly count: number;
  /** Where the array begins. */
  readonly dataOffset: number;
}

export const npyMagic = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59);

/** Where NumPy itself would not believe a header either is 10,000 bytes; this is for headers of the other makers. */
const MAX_HEADER_BYTES = 1 << 20;

/** Magic, version, and the longer of the two lengths. */
export const NPY_PREAMBLE_BYTES = 12;

const orders: Record<string, KeyOrder> = { u: "unsigned", i: "signed", f: "float" };
const letters: Record<KeyOrder, string> = { unsigned: "u", signed: "i", float: "f" };

/**
 * How long the header is, preamble included.
 *
 * @param preamble the file's first 12 bytes, or all if there are fewer.
 * @throws InputError if this is no .npy file of a version that is known.
 */
export function npyHeaderBytes(name: string, preamble: Uint8Array): number {
  if (npyMagic.some((byte, i) => preamble[i] !== byte)) {
    throw new InputError(`${name} is no .npy file: it does not begin with \\x93NUMPY`, {
      hint: "name what it is with --format raw or --format text",
    });
  }
  const [major, minor] = [preamble[6], preamble[7]];
  if (major !== 1 && major !== 2 && major !== 3) {
    throw new InputError(`${name} is a .npy file of version ${major}.${minor}`, {
      hint: "save it with NumPy's np.save, which writes versions 1 to 3",
    });
  }
  const lengthBytes = major === 1 ? 2 : 4;
  if (preamble.length < 8 + lengthBytes) throw cut(name);
  const view = new DataView(preamble.buffer, preamble.byteOffset, preamble.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MAX_HEADER_BYTES) throw broken(name, `its header of ${length} bytes is too long`);
  return 8 + lengthBytes + length;
}

/**
 * Reads a header, which is a Python dictionary as text.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 * @param bytes as many as `npyHeaderBytes` says, or all if there are fewer.
 * @throws InputError if it is cut or broken, or if it describes what cannot be sorted: more than one dimension,
 *   structured or object elements, or numbers of a type that gpusort does not have.
 */
export function readNpyHeader(name: string, bytes: Uint8Array): NpyHeader {
  const dataOffset = npyHeaderBytes(name, bytes);
  if (bytes.length < dataOffset) throw cut(name);
  const version = bytes[6] as 1 | 2 | 3;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, dataOffset)
    .subarray(version === 1 ? 10 : 12)
    .toString(version === 3 ? "utf8" : "latin1");
  const fields = parseLiteral(name, text);
  if (!(fields instanceof Map)) throw broken(name, "its header is no dictionary");
  const known = ["descr", "fortran_order", "shape"];
  for (const field of known) if (!fields.has(field)) throw broken(name, `its header has no '${field}'`);
  if (fields.size !== known.length)
    throw broken(name, "its header has more than descr, fortran_order and shape");
  if (typeof fields.get("fortran_order") !== "boolean") throw broken(name, "fortran_order is no boolean");
  return {
    version,
    ...readDescr(name, fields.get("descr")),
    count: readShape(name, fields.get("shape")),
    dataOffset,
  };
}

function readShape(name: string, shape: Literal | undefined): number {
  if (!Array.isArray(shape) || !shape.every((size) => typeof size === "number")) {
    throw broken(name, "its shape is no tuple of numbers");
  }
  if (shape.length === 1) return shape[0] as number;
  throw new InputError(`${name} has ${shape.length} dimensions: its shape is (${shape.join(", ")})`, {
    hint: "save one dimension of it, for example np.save(FILE, array.ravel())",
  });
}

function readDescr(name: string, descr: Literal | undefined) {
  const hint = `save it as one of ${elementTypes.map(({ name }) => name).join(", ")}, for example with array.astype`;
  if (Array.isArray(descr)) {
    const fields = descr.flatMap((field) => (Array.isArray(field) ? [String(field[0])] : []));
    throw new InputError(`${name} holds structured elements, of the fields ${fields.join(", ")}`, {
      hint: "save one field of it, for example np.save(FILE, array['name'])",
    });
  }
  if (typeof descr !== "string") throw broken(name, "its descr is no text");
  const [, order, kind, bytes] = /^([<>|=])?([a-zA-Z])(\d*)/.exec(descr) ?? [];
  if (kind === "O") throw new InputError(`${name} holds Python objects (dtype '${descr}')`, { hint });
  const type = elementTypes.find((one) => one.order === orders[kind ?? ""] && `${one.bytes}` === bytes);
  if (!type || !/^[<>|=]?[a-z]\d+$/.test(descr)) {
    throw new InputError(`${name} holds elements that gpusort cannot sort (dtype '${descr}')`, { hint });
  }
  return { type, byteOrder: order === ">" ? ("big" as const) : ("little" as const) };
}

/**
 * The header for so many keys. Its length does not depend on the count, so that the count may be filled in later;
 * the array begins at a multiple of 64 bytes, as NumPy has it.
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

type Literal = string | number | boolean | null | Literal[] | Map<string, Literal>;

/** The few of Python's literals that headers are made of. */
function parseLiteral(name: string, text: string): Literal {
  const tokens =
    /\s*(?:('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(\d+)L?|(True|False|None)\b|([{}()[\]:,]))/y;
  const words: Record<string, Literal> = { True: true, False: false, None: null };
  let depth = 0;

  const token = (): string => {
    const match = tokens.exec(text);
    if (!match) throw broken(name, "its header is no Python dictionary");
    return match[0].trim();
  };
  const peek = (): string => {
    const at = tokens.lastIndex;
    const next = token();
    tokens.lastIndex = at;
    return next;
  };
  const value = (): Literal => {
    const next = token();
    if (/^['"]/.test(next)) return next.slice(1, -1).replace(/\\(.)/g, "$1");
    if (/^\d/.test(next)) return wholeNumber(next);
    if (next in words) return words[next]!;
    if (++depth > 20) throw broken(name, "its header is nested too deeply");
    const made =
      next === "{" ? dictionary() : next === "(" ? sequence(")") : next === "[" ? sequence("]") : undefined;
    depth--;
    if (made === undefined) throw broken(name, `its header has a '${next}' out of place`);
    return made;
  };
  const wholeNumber = (digits: string): number => {
    const number = Number.parseInt(digits, 10);
    if (Number.isSafeInteger(number)) return number;
    throw broken(name, `${digits} is no number of elements`);
  };
  const sequence = (end: string): Literal[] => {
    const items: Literal[] = [];
    while (peek() !== end) {
      items.push(value());
      if (peek() !== ",") break;
      token();
    }
    expect(end);
    return items;
  };
  const dictionary = (): Map<string, Literal> => {
    const fields = new Map<string, Literal>();
    while (peek() !== "}") {
      const field = value();
      if (typeof field !== "string" || fields.has(field))
        throw broken(name, "its header repeats a field, or misnames one");
      expect(":");
      fields.set(field, value());
      if (peek() !== ",") break;
      token();
    }
    expect("}");
    return fields;
  };
  const expect = (what: string) => {
    const next = token();
    if (next !== what) throw broken(name, `its header has a '${next}' instead of a '${what}'`);
  };

  const literal = value();
  if (text.slice(tokens.lastIndex).trim() !== "")
    throw broken(name, "its header goes on after its dictionary");
  return literal;
}

function cut(name: string): InputError {
  return broken(name, "it ends within its header");
}

function broken(name: string, how: string): InputError {
  return new InputError(`${name} is a broken .npy file: ${how}`, { hint: "save it again with np.save" });
}
