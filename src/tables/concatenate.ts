import type {
  Data,
  DataType,
  Decimal,
  FixedSizeBinary,
  FixedSizeList,
  Float,
  Int,
  Interval,
  Time,
  Vector,
} from "apache-arrow";
import { InputError } from "../core/errors.js";
import type { Column, ColumnOf } from "./column.js";
import { DistinctRows } from "./distinct.js";
import { MOST_BYTES } from "./memory.js";
import { IntervalUnit, MILLISECOND_DATE, TypeId } from "./type_ids.js";

/** What is wrong with a column's bytes. Whoever knows the file turns it into an InputError. */
class DamagedColumn extends Error {}

/**
 * Puts the pieces of a column together.
 *
 * @param name the column, for errors.
 * @throws DamagedColumn if a buffer is too short, or if offsets or indices lie outside of what they refer to;
 *   InputError if the column has a type that gpusort cannot carry, or is too large.
 */
export function concatenateColumn(name: string, type: DataType, pieces: readonly Data[]): Column {
  let length = 0;
  for (const piece of pieces) {
    if (piece.offset !== 0 || !Number.isSafeInteger(piece.length) || piece.length < 0)
      throw new DamagedColumn("wrong length");
    length += piece.length;
  }
  if (length > MOST_BYTES) throw tooLarge(name);
  const valid = validity(type, pieces, length);
  const base = { type, length, valid };
  switch (type.typeId as number) {
    case TypeId.null:
      return { ...base, kind: "null" };
    case TypeId.bool:
      return { ...base, kind: "bool", values: bits(pieces, length) };
    case TypeId.utf8:
    case TypeId.binary:
    case TypeId.largeUtf8:
    case TypeId.largeBinary:
      return { ...base, kind: "bytes", ...variable(name, pieces, length) };
    case TypeId.utf8View:
    case TypeId.binaryView:
      return { ...base, kind: "bytes", ...views(name, pieces, length, valid) };
    case TypeId.list:
    case TypeId.largeList:
    case TypeId.map: {
      const children = pieces.map((piece) => child(piece, 0));
      const offsets = listOffsets(name, pieces, children, length);
      return {
        ...base,
        kind: "list",
        offsets,
        child: concatenateColumn(name, type.children[0]!.type, children),
      };
    }
    case TypeId.fixedSizeList: {
      const { listSize: size } = type as FixedSizeList;
      if (!(size >= 0)) throw new DamagedColumn("a list of negative size");
      const children = pieces.map((piece) => exactly(child(piece, 0), piece.length * size));
      return {
        ...base,
        kind: "fixed list",
        size,
        child: concatenateColumn(name, type.children[0]!.type, children),
      };
    }
    case TypeId.struct: {
      const children = type.children.map((field, i) =>
        concatenateColumn(
          name,
          field.type,
          pieces.map((piece) => exactly(child(piece, i), piece.length)),
        ),
      );
      return { ...base, kind: "struct", children };
    }
    case TypeId.dictionary:
      return dictionary(name, base, pieces);
    default: {
      const width = widthOf(type);
      if (width === undefined) {
        throw new InputError(`the column ${name} has the type ${type}, which gpusort cannot carry`, {
          hint: "leave the column out of the file, or convert it",
        });
      }
      return { ...base, kind: "fixed", width, values: fixed(name, pieces, width, length) };
    }
  }
}

/** Bytes per row of a type of fixed width; undefined for any other type. */
function widthOf(type: DataType): number | undefined {
  switch (type.typeId as number) {
    case TypeId.int:
      return (type as Int).bitWidth / 8;
    case TypeId.float:
      return [2, 4, 8][(type as Float).precision];
    case TypeId.decimal:
      return (type as Decimal).bitWidth / 8;
    case TypeId.date:
      return (type as unknown as { unit: number }).unit === MILLISECOND_DATE ? 8 : 4;
    case TypeId.time:
      return (type as Time).bitWidth / 8;
    case TypeId.timestamp:
    case TypeId.duration:
      return 8;
    case TypeId.interval: {
      const { unit } = type as unknown as Interval & { unit: number };
      if (unit === IntervalUnit.yearMonth) return 4;
      return unit === IntervalUnit.dayTime ? 8 : 16;
    }
    case TypeId.fixedSizeBinary:
      return (type as FixedSizeBinary).byteWidth;
    default:
      return undefined;
  }
}

function tooLarge(name: string): InputError {
  return new InputError(`the column ${name} is too large: gpusort keeps at most 4 GiB of a column`, {
    hint: "sort a part of the table",
  });
}

function child(piece: Data, i: number): Data {
  const found = piece.children[i];
  if (!found) throw new DamagedColumn("a nested column without a child");
  return found;
}

/** A child of a known length. It may be longer, as the end of a buffer is never looked at. */
function exactly(piece: Data, length: number): Data {
  if (piece.length < length) throw new DamagedColumn("a child that is too short");
  return piece.length === length ? piece : piece.slice(0, length);
}

function bytesOf(view: ArrayBufferView | undefined, bytes: number, what: string): Uint8Array {
  if (bytes === 0) return new Uint8Array(0);
  if (!view || view.byteLength < bytes) throw new DamagedColumn(`${what} end too early`);
  return new Uint8Array(view.buffer, view.byteOffset, bytes);
}

/** @returns a byte per row; undefined if no row is null. */
function validity(type: DataType, pieces: readonly Data[], length: number): Uint8Array | undefined {
  if (type.typeId === TypeId.null) return undefined;
  const bitmapOf = ({ nullBitmap }: Data) => (nullBitmap && nullBitmap.length > 0 ? nullBitmap : undefined);
  if (!pieces.some(bitmapOf)) return undefined;
  const valid = new Uint8Array(length);
  let at = 0;
  let nulls = 0;
  for (const piece of pieces) {
    const found = bitmapOf(piece);
    if (found) {
      const bitmap = bytesOf(found, Math.ceil(piece.length / 8), "the null bits");
      for (let i = 0; i < piece.length; i++) valid[at + i] = (bitmap[i >> 3]! >> (i & 7)) & 1;
      for (let i = 0; i < piece.length; i++) nulls += 1 - valid[at + i]!;
    } else valid.fill(1, at, at + piece.length);
    at += piece.length;
  }
  return nulls === 0 ? undefined : valid;
}

function bits(pieces: readonly Data[], length: number): Uint8Array {
  const values = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    const packed = bytesOf(piece.values, Math.ceil(piece.length / 8), "the values");
    for (let i = 0; i < piece.length; i++) values[at + i] = (packed[i >> 3]! >> (i & 7)) & 1;
    at += piece.length;
  }
  return values;
}

function fixed(name: string, pieces: readonly Data[], width: number, length: number): Uint8Array {
  if (length * width > MOST_BYTES) throw tooLarge(name);
  const values = new Uint8Array(length * width);
  let at = 0;
  for (const piece of pieces) {
    values.set(bytesOf(piece.values, piece.length * width, "the values"), at);
    at += piece.length * width;
  }
  return values;
}

/**
 * Copies the offsets of a piece, so that its first one becomes `start`.
 * @returns where it begins and ends.
 */
function copyOffsets(
  { valueOffsets, length }: Data,
  limit: number,
  into: Uint32Array,
  start: number,
): { begin: number; end: number } {
  const offsets = valueOffsets as unknown as Int32Array | BigInt64Array | undefined;
  if (!offsets || offsets.length === 0) {
    if (length > 0) throw new DamagedColumn("the offsets are missing");
    return { begin: 0, end: 0 };
  }
  if (offsets.length < length + 1) throw new DamagedColumn("the offsets end too early");
  const begin = Number(offsets[0]);
  let last = begin;
  for (let i = 1; i <= length; i++) {
    const offset = Number(offsets[i]);
    if (!(offset >= last)) throw new DamagedColumn("the offsets do not ascend");
    into[i] = offset - begin + start;
    last = offset;
  }
  if (!(begin >= 0 && last <= limit)) throw new DamagedColumn("the offsets lie outside of the values");
  return { begin, end: last };
}

function variable(
  name: string,
  pieces: readonly Data[],
  length: number,
): { offsets: Uint32Array; values: Uint8Array } {
  const offsets = new Uint32Array(length + 1);
  const parts: Uint8Array[] = [];
  let at = 0;
  let bytes = 0;
  for (const piece of pieces) {
    const values = bytesOf(piece.values, piece.values?.byteLength ?? 0, "the values");
    const { begin, end } = copyOffsets(piece, values.length, offsets.subarray(at), bytes);
    parts.push(values.subarray(begin, end));
    at += piece.length;
    bytes += end - begin;
    if (bytes > MOST_BYTES) throw tooLarge(name);
  }
  const values = new Uint8Array(bytes);
  let to = 0;
  for (const part of parts) {
    values.set(part, to);
    to += part.length;
  }
  return { offsets, values };
}

/** Bytes of a view: a length, and then up to 12 bytes, or four bytes, a buffer and an offset in it. */
const VIEW_BYTES = 16;
const INLINE_BYTES = 12;

function views(
  name: string,
  pieces: readonly Data[],
  length: number,
  valid: Uint8Array | undefined,
): { offsets: Uint32Array; values: Uint8Array } {
  const offsets = new Uint32Array(length + 1);
  const each = (visit: (bytes: Uint8Array, row: number) => void) => {
    let row = 0;
    for (const piece of pieces) {
      const packed = bytesOf(piece.values, piece.length * VIEW_BYTES, "the views");
      const words = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
      for (let at = 0; at < packed.length; at += VIEW_BYTES, row++) {
        if (valid?.[row] === 0) continue;
        const count = words.getInt32(at, true);
        if (count < 0) throw new DamagedColumn("a string of negative length");
        if (count <= INLINE_BYTES) visit(packed.subarray(at + 4, at + 4 + count), row);
        else {
          const from = words.getInt32(at + 12, true);
          const buffer = piece.variadicBuffers[words.getInt32(at + 8, true)];
          if (!buffer || from < 0 || from + count > buffer.length)
            throw new DamagedColumn("a view outside of its buffers");
          visit(buffer.subarray(from, from + count), row);
        }
      }
    }
  };
  each((bytes, row) => {
    offsets[row + 1] = bytes.length;
  });
  let end = 0;
  for (let row = 0; row < length; row++) {
    end += offsets[row + 1]!;
    if (end > MOST_BYTES) throw tooLarge(name);
    offsets[row + 1] = end;
  }
  const values = new Uint8Array(end);
  each((bytes, row) => values.set(bytes, offsets[row]!));
  return { offsets, values };
}

function listOffsets(
  name: string,
  pieces: readonly Data[],
  children: readonly Data[],
  length: number,
): Uint32Array {
  const offsets = new Uint32Array(length + 1);
  let at = 0;
  let elements = 0;
  pieces.forEach((piece, i) => {
    const count = children[i]!.length;
    // The elements before the first list stay, so a list that begins late gets an empty one before it.
    const { begin } = copyOffsets(piece, count, offsets.subarray(at), elements);
    if (begin !== 0) throw new DamagedColumn("a list whose offsets do not begin at 0");
    at += piece.length;
    elements += count;
    if (elements > MOST_BYTES) throw tooLarge(name);
  });
  return offsets;
}

/**
 * The pieces may have dictionaries of their own. Then these are put together without their duplicates, and
 * the indices are changed.
 */
function dictionary(
  name: string,
  base: { type: DataType; length: number; valid: Uint8Array | undefined },
  pieces: readonly Data[],
): ColumnOf<"dictionary"> {
  const { dictionary: valueType } = base.type as DataType & { dictionary: DataType };
  const starts = new Map<Vector | undefined, number>();
  const parts: Data[] = [];
  let entries = 0;
  const indices = new Uint32Array(base.length);
  let at = 0;
  for (const piece of pieces) {
    const { dictionary } = piece;
    let start = starts.get(dictionary);
    if (start === undefined) {
      start = entries;
      starts.set(dictionary, start);
      parts.push(...(dictionary?.data ?? []));
      entries += dictionary?.length ?? 0;
    }
    const count = dictionary?.length ?? 0;
    const values = piece.values as unknown as ArrayLike<number | bigint>;
    if (piece.length > 0 && !(values?.length >= piece.length))
      throw new DamagedColumn("the indices end too early");
    for (let i = 0; i < piece.length; i++) {
      if (base.valid && base.valid[at + i] === 0) continue;
      const index = Number(values[i]);
      if (!(index >= 0 && index < count)) throw new DamagedColumn("an index outside of its dictionary");
      indices[at + i] = start + index;
    }
    at += piece.length;
  }
  const all = concatenateColumn(name, valueType, parts);
  if (starts.size <= 1) return { ...base, kind: "dictionary", indices, dictionary: all };
  const distinct = new DistinctRows();
  const places = distinct.add(all);
  for (let i = 0; i < indices.length; i++) indices[i] = places[indices[i]!] ?? 0;
  requireIndices(name, base.type, distinct.length);
  return { ...base, kind: "dictionary", indices, dictionary: distinct.column() };
}

/** @throws InputError if the dictionaries of a column have more values together than its indices can tell. */
export function requireIndices(name: string, type: DataType, values: number): void {
  const { indices } = type as DataType & { indices: Int };
  if (values <= 2 ** (indices.bitWidth - Number(indices.isSigned))) return;
  throw new InputError(
    `the dictionaries of the column ${name} have ${values} values together, too many for its ${indices} indices`,
    { hint: "write the column with wider indices, or as plain values" },
  );
}
