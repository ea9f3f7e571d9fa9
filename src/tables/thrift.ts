/**
 * Thrift's compact protocol, as far as the footer of a Parquet file and the headers of its pages use it: structs
 * are read without knowing what their fields mean, changed, and written again. What is not changed stays as it
 * was.
 *
 * Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

export type ThriftValue = boolean | bigint | Uint8Array | ThriftList | ThriftStruct;

/** Numbers of the compact protocol. */
export const ThriftType = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  struct: 12,
} as const;

export interface ThriftList {
  readonly itemType: number;
  readonly items: ThriftValue[];
}

/** The fields of a struct by their numbers. */
export type ThriftStruct = Map<number, { readonly type: number; readonly value: ThriftValue }>;

/** No footer and no header has structs that are nested deeper. */
const DEEPEST = 32;

/** The bytes end before the struct does. */
export class TooShortError extends RangeError {}

/**
 * Reads a struct.
 *
 * @param name what it is, as errors name it.
 * @throws TooShortError if the bytes end too early; RangeError if they are no such struct.
 */
export function readStruct(bytes: Uint8Array, name: string): ThriftStruct {
  return readStructAtStart(bytes, name).struct;
}

/**
 * Reads a struct that other bytes may follow.
 *
 * @returns it, and its length in bytes.
 * @throws RangeError as `readStruct` does.
 */
export function readStructAtStart(bytes: Uint8Array, name: string): { struct: ThriftStruct; length: number } {
  const reader = new Reader(bytes, name);
  return { struct: reader.struct(0), length: reader.at };
}

export function writeStruct(struct: ThriftStruct): Uint8Array {
  const writer = new Writer();
  writer.struct(struct);
  return writer.bytes();
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #name: string;
  #at = 0;

  constructor(bytes: Uint8Array, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }

  get at(): number {
    return this.#at;
  }

  struct(depth: number): ThriftStruct {
    if (depth > DEEPEST) throw new RangeError(`${this.#name} is nested too deeply`);
    const fields: ThriftStruct = new Map();
    let id = 0;
    for (;;) {
      const header = this.#byte();
      if (header === 0) return fields;
      const type = header & 15;
      id = header >> 4 ? id + (header >> 4) : Number(this.#zigzag());
      const value =
        type === ThriftType.true || type === ThriftType.false
          ? type === ThriftType.true
          : this.#value(type, depth);
      fields.set(id, { type: type === ThriftType.false ? ThriftType.true : type, value });
    }
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case ThriftType.byte:
        return BigInt(this.#byte());
      case ThriftType.i16:
      case ThriftType.i32:
      case ThriftType.i64:
        return this.#zigzag();
      case ThriftType.double:
        return this.#take(8);
      case ThriftType.binary:
        return this.#take(Number(this.#varint()));
      case ThriftType.list:
      case ThriftType.set:
        return this.#list(depth + 1);
      case ThriftType.struct:
        return this.struct(depth + 1);
      default:
        throw new RangeError(`${this.#name} has a field of the unknown type ${type}`);
    }
  }

  #list(depth: number): ThriftList {
    if (depth > DEEPEST) throw new RangeError(`${this.#name} is nested too deeply`);
    const header = this.#byte();
    const itemType = header & 15;
    const count = header >> 4 === 15 ? Number(this.#varint()) : header >> 4;
    // Every item takes a byte at least.
    if (count > this.#bytes.length - this.#at) throw new TooShortError(`${this.#name} ends too early`);
    const items: ThriftValue[] = [];
    for (let i = 0; i < count; i++) {
      const isBool = itemType === ThriftType.true || itemType === ThriftType.false;
      items.push(isBool ? this.#byte() === ThriftType.true : this.#value(itemType, depth));
    }
    return { itemType, items };
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new TooShortError(`${this.#name} ends too early`);
    return byte;
  }

  #take(count: number): Uint8Array {
    if (count > this.#bytes.length - this.#at) throw new TooShortError(`${this.#name} ends too early`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
      if (shift > 63n) throw new RangeError(`${this.#name} has a number that is too long`);
    }
  }

  #zigzag(): bigint {
    const value = this.#varint();
    return (value >> 1n) ^ -(value & 1n);
  }
}

class Writer {
  #buffer = new Uint8Array(1 << 12);
  #length = 0;

  bytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  struct(fields: ThriftStruct): void {
    let last = 0;
    for (const [id, { type, value }] of [...fields].sort(([a], [b]) => a - b)) {
      const written = value === false ? ThriftType.false : type;
      const step = id - last;
      if (step > 0 && step < 16) this.#byte((step << 4) | written);
      else {
        this.#byte(written);
        this.#zigzag(BigInt(id));
      }
      last = id;
      if (typeof value !== "boolean") this.#value(type, value);
    }
    this.#byte(0);
  }

  #value(type: number, value: ThriftValue): void {
    if (value instanceof Map) this.struct(value);
    else if (value instanceof Uint8Array) {
      if (type !== ThriftType.double) this.#varint(BigInt(value.length));
      this.#append(value);
    } else if (typeof value === "bigint") {
      if (type === ThriftType.byte) this.#byte(Number(value));
      else this.#zigzag(value);
    } else if (typeof value === "boolean") this.#byte(value ? ThriftType.true : ThriftType.false);
    else {
      const { itemType, items } = value;
      if (items.length < 15) this.#byte((items.length << 4) | itemType);
      else {
        this.#byte(0xf0 | itemType);
        this.#varint(BigInt(items.length));
      }
      for (const item of items) this.#value(itemType, item);
    }
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = byte;
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = new Uint8Array(2 * (this.#length + count));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }

  #varint(value: bigint): void {
    for (; value > 127n; value >>= 7n) this.#byte(Number(value & 127n) | 128);
    this.#byte(Number(value));
  }

  #zigzag(value: bigint): void {
    this.#varint(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
  }
}
