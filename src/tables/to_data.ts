import type { Data, DataType, Int, Vector } from "apache-arrow";
import type { Column, ColumnOf } from "./column.js";
import type { Arrow } from "./packages.js";
import { TypeId } from "./type_ids.js";

/**
 * Turns columns into the data of `apache-arrow`. It keeps the dictionaries that it has made, so that all
 * batches share them and the writer writes each once.
 */
export class DataMaker {
  readonly #arrow: Arrow;
  readonly #dictionaries = new Map<Column, Vector>();

  constructor(arrow: Arrow) {
    this.#arrow = arrow;
  }

  /** @param column its buffers are used as they are, without a copy, where the layout is the same. */
  data(column: Column): Data {
    const { type, length } = column;
    const valid = column.valid && packBits(column.valid);
    const nullCount = column.valid ? count(column.valid, 0) : 0;
    const common = { type, length, nullCount, nullBitmap: valid };
    const make = (rest: object) => this.#arrow.makeData({ ...common, ...rest } as never) as Data;
    switch (column.kind) {
      case "null":
        return make({});
      case "bool":
        return make({ data: packBits(column.values) });
      case "fixed":
        return make({ data: wordsOf(type, column.values) });
      case "bytes":
        return this.#bytes(column, make);
      case "list":
        return make({ valueOffsets: offsetsOf(type, column.offsets), child: this.data(column.child) });
      case "fixed list":
        return make({ child: this.data(column.child) });
      case "struct":
        return make({ children: column.children.map((child) => this.data(child)) });
      case "dictionary":
        return make({
          data: indicesOf(type, column.indices),
          dictionary: this.#dictionary(column.dictionary),
        });
      default:
        return column satisfies never;
    }
  }

  #dictionary(column: Column): Vector {
    let vector = this.#dictionaries.get(column);
    if (!vector) {
      vector = new this.#arrow.Vector([this.data(column)]);
      this.#dictionaries.set(column, vector);
    }
    return vector;
  }

  #bytes(column: ColumnOf<"bytes">, make: (rest: object) => Data): Data {
    const { type, offsets, values } = column;
    const { typeId } = type as { typeId: number };
    if (typeId !== TypeId.utf8View && typeId !== TypeId.binaryView) {
      return make({ valueOffsets: offsetsOf(type, offsets), data: values });
    }
    const views = new Uint8Array(16 * column.length);
    const words = new DataView(views.buffer);
    for (let row = 0; row < column.length; row++) {
      const [start, end] = [offsets[row]!, offsets[row + 1]!];
      words.setInt32(16 * row, end - start, true);
      const isShort = end - start <= 12;
      views.set(values.subarray(start, isShort ? end : start + 4), 16 * row + 4);
      if (!isShort) words.setInt32(16 * row + 12, start, true); // in buffer 0
    }
    return make({ views, variadicBuffers: [values] });
  }
}

/** One bit per byte, the first one in the lowest bit. */
function packBits(bytes: Uint8Array): Uint8Array {
  const packed = new Uint8Array(Math.ceil(bytes.length / 64) * 8);
  for (let i = 0; i < bytes.length; i++) packed[i >> 3]! |= bytes[i]! << (i & 7);
  return packed;
}

function count(bytes: Uint8Array, value: number): number {
  let found = 0;
  for (const byte of bytes) if (byte === value) found++;
  return found;
}

/** The values as the array that the package has for a type. */
function wordsOf(type: DataType, { buffer }: Uint8Array): unknown {
  return new (type.ArrayType as unknown as new (buffer: ArrayBufferLike) => unknown)(buffer);
}

const LARGE: readonly number[] = [TypeId.largeUtf8, TypeId.largeBinary, TypeId.largeList];

function offsetsOf({ typeId }: DataType, offsets: Uint32Array): Int32Array | BigInt64Array {
  if (!LARGE.includes(typeId)) return new Int32Array(offsets.buffer, offsets.byteOffset, offsets.length);
  return BigInt64Array.from(offsets, BigInt);
}

function indicesOf(type: DataType, indices: Uint32Array): unknown {
  const { ArrayType, bitWidth } = (type as DataType & { indices: Int }).indices;
  if (bitWidth === 64) return (ArrayType as unknown as BigInt64ArrayConstructor).from(indices, BigInt);
  return (ArrayType as Uint32ArrayConstructor).from(indices);
}
