import type { Column } from "./column.js";

/** Buffers begin at multiples of this, so that those of words can be read where they are. */
const ALIGNMENT = 8;

/**
 * Puts columns one after the other. Of dictionaries, only the indices are kept.
 *
 * @param before bytes that are left free before them, a multiple of 8.
 */
export function packColumns(columns: readonly Column[], before: number): Uint8Array<ArrayBuffer> {
  const buffers = buffersOf(columns);
  const packed = new Uint8Array(before + bytesOf(buffers));
  let at = before;
  for (const { buffer, byteOffset, byteLength } of buffers) {
    packed.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  return packed;
}

/**
 * Takes columns apart that were packed. Their values stay where they are, without a copy.
 *
 * @param like columns of the same types, with the dictionaries.
 */
export function unpackColumns(packed: Uint8Array<ArrayBuffer>, like: readonly Column[]): Column[] {
  let at = packed.byteOffset;
  const bytes: TakeBytes = (count) => {
    const taken = new Uint8Array(packed.buffer, at, count);
    at += aligned(count);
    return taken;
  };
  return like.map((column) => takeColumn(bytes, column));
}

/** The bytes that columns take when they are packed. */
export function packedBytes(columns: readonly Column[]): number {
  return bytesOf(buffersOf(columns));
}

const bytesOf = (buffers: readonly ArrayBufferView[]) =>
  buffers.reduce((sum, { byteLength }) => sum + aligned(byteLength), 0);

const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

function buffersOf(columns: readonly Column[]): ArrayBufferView[] {
  const buffers: ArrayBufferView[] = [];
  for (const column of columns) addBuffers(column, buffers);
  return buffers;
}

function addBuffers(column: Column, buffers: ArrayBufferView[]): void {
  const { length, valid } = column;
  buffers.push(Uint32Array.of(length, Number(valid !== undefined)));
  if (valid) buffers.push(valid);
  switch (column.kind) {
    case "null":
      break;
    case "bool":
    case "fixed":
      buffers.push(column.values);
      break;
    case "bytes":
      buffers.push(column.offsets, column.values);
      break;
    case "list":
      buffers.push(column.offsets);
      addBuffers(column.child, buffers);
      break;
    case "fixed list":
      addBuffers(column.child, buffers);
      break;
    case "struct":
      for (const child of column.children) addBuffers(child, buffers);
      break;
    case "dictionary":
      buffers.push(column.indices);
      break;
    default:
      column satisfies never;
  }
}

type TakeBytes = (count: number) => Uint8Array<ArrayBuffer>;

function takeColumn(take: TakeBytes, like: Column): Column {
  const words = (count: number) => {
    const { buffer, byteOffset } = take(4 * count);
    return new Uint32Array(buffer, byteOffset, count);
  };
  const [length, hasNulls] = words(2) as unknown as [number, number];
  const base = { type: like.type, length, valid: hasNulls ? take(length) : undefined };
  switch (like.kind) {
    case "null":
      return { ...base, kind: "null" };
    case "bool":
      return { ...base, kind: "bool", values: take(length) };
    case "fixed":
      return { ...base, kind: "fixed", width: like.width, values: take(length * like.width) };
    case "bytes": {
      const offsets = words(length + 1);
      return { ...base, kind: "bytes", offsets, values: take(offsets[length]!) };
    }
    case "list":
      return { ...base, kind: "list", offsets: words(length + 1), child: takeColumn(take, like.child) };
    case "fixed list":
      return { ...base, kind: "fixed list", size: like.size, child: takeColumn(take, like.child) };
    case "struct":
      return { ...base, kind: "struct", children: like.children.map((child) => takeColumn(take, child)) };
    case "dictionary":
      return { ...base, kind: "dictionary", indices: words(length), dictionary: like.dictionary };
    default:
      return like satisfies never;
  }
}
