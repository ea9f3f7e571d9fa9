/**
 * Checks the metadata of Arrow IPC before `apache-arrow` reads it. That package trusts the lengths of lists,
 * so a few wrong bytes would make it loop for minutes or take all memory. Here every table, list and string
 * must lie in its buffer, and what is visited must not exceed what fits in it.
 *
 * Source: https://flatbuffers.dev/internals, and Schema.fbs, Message.fbs and File.fbs of the Arrow format.
 */

/** What a table's fields refer to, by their numbers. Others hold numbers, or what is not looked at. */
interface TableShape {
  readonly strings?: readonly number[];
  readonly tables?: ReadonlyMap<number, () => TableShape>;
  /** Lists of tables. */
  readonly lists?: ReadonlyMap<number, () => TableShape>;
  /** Lists of values of so many bytes. */
  readonly arrays?: ReadonlyMap<number, number>;
}

/** An offset, a length of the metadata and a length of the body, each in 8 bytes. */
const BLOCK_BYTES = 24;

const keyValue: TableShape = { strings: [0, 1] };
const anyTable: TableShape = {};
const field: TableShape = {
  strings: [0],
  tables: new Map([
    [3, () => anyTable],
    [4, () => ({ tables: new Map([[1, () => anyTable]]) })],
  ]),
  lists: new Map([
    [5, () => field],
    [6, () => keyValue],
  ]),
};
const schema: TableShape = {
  lists: new Map([
    [1, () => field],
    [2, () => keyValue],
  ]),
  arrays: new Map([[3, 8]]),
};
const recordBatch: TableShape = {
  tables: new Map([[3, () => anyTable]]),
  arrays: new Map([
    [1, 16],
    [2, 16],
    [4, 8],
  ]),
};
const dictionaryBatch: TableShape = { tables: new Map([[1, () => recordBatch]]) };
const headers: readonly ({ kind: MessageKind; shape: TableShape } | undefined)[] = [
  undefined,
  { kind: "schema", shape: schema },
  { kind: "dictionary", shape: dictionaryBatch },
  { kind: "batch", shape: recordBatch },
];
const footer: TableShape = {
  tables: new Map([[1, () => schema]]),
  lists: new Map([[4, () => keyValue]]),
  arrays: new Map([
    [2, BLOCK_BYTES],
    [3, BLOCK_BYTES],
  ]),
};

/** What a message holds. */
export type MessageKind = "schema" | "dictionary" | "batch";

/**
 * Checks the metadata of a message.
 *
 * @returns what the message holds, and the bytes of its body, which follows the metadata.
 * @throws RangeError if the metadata is damaged.
 */
export function checkMessage(metadata: Uint8Array): { kind: MessageKind; bodyBytes: number } {
  const buffer = new Flatbuffer(metadata);
  const root = buffer.root();
  const header = headers[buffer.number(root, 1, 1)];
  if (!header) throw new RangeError("it has a message of an unknown kind");
  const { kind, shape } = header;
  buffer.check(root, { tables: new Map([[2, () => shape]]), lists: new Map([[4, () => keyValue]]) });
  const bodyBytes = buffer.number(root, 3, 8);
  if (!(bodyBytes >= 0)) throw new RangeError("a batch lies outside of it");
  return { kind, bodyBytes };
}

/**
 * Checks the footer of a file.
 *
 * @returns its schema as the metadata of a message, and where the messages of the dictionaries and of the
 *   batches begin, in bytes from the file's start.
 * @throws RangeError if it is damaged.
 */
export function checkFooter(bytes: Uint8Array): {
  schema: Uint8Array<ArrayBuffer>;
  dictionaries: number[];
  batches: number[];
} {
  const buffer = new Flatbuffer(bytes);
  const root = buffer.root();
  buffer.check(root, footer);
  const [dictionaries, batches] = [2, 3].map((list) =>
    Array.from(buffer.array(root, list, BLOCK_BYTES), (block) => Number(block.getBigInt64(0, true))),
  ) as [number[], number[]];
  const table = buffer.reference(root, 1);
  if (table === undefined) throw new RangeError("it has no schema");
  return { schema: schemaMessage(bytes, table, buffer.number(root, 0, 1)), dictionaries, batches };
}

/** Bytes of what stands before the footer in a message that is made of one. */
const HEAD_BYTES = 32;

/**
 * Makes a message of the schema in a footer, because not every writer begins a file with such a message. The
 * message's table refers to the schema where it is in the footer.
 *
 * @param table where the schema is. @param version that of the metadata.
 */
function schemaMessage(footer: Uint8Array, table: number, version: number): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(HEAD_BYTES + footer.length);
  message.set(footer, HEAD_BYTES);
  const words = new DataView(message.buffer);
  const [layout, root] = [4, 16];
  words.setUint32(0, root, true);
  // The bytes of the layout and of the table; where its version, the header's kind and the header are.
  for (const [i, size] of [12, 12, 4, 6, 8, 0].entries()) words.setUint16(layout + 2 * i, size, true);
  words.setInt32(root, root - layout, true);
  words.setUint16(root + 4, version, true);
  words.setUint8(root + 6, 1); // a schema
  words.setUint32(root + 8, HEAD_BYTES + table - (root + 8), true);
  return message;
}

class Flatbuffer {
  readonly #words: DataView;
  /** Each visit needs bytes of its own, unless tables are shared, which no writer does. */
  #visits: number;

  constructor(bytes: Uint8Array) {
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#visits = bytes.length / 4;
  }

  root(): number {
    return this.#words.getUint32(0, true);
  }

  check(table: number, { strings = [], tables, lists, arrays }: TableShape): void {
    if (--this.#visits < 0) throw new RangeError("its metadata refers to itself");
    this.#words.getInt32(table, true);
    for (const number of strings) this.#vector(table, number, 1);
    for (const [number, bytes] of arrays ?? []) this.#vector(table, number, bytes);
    for (const [number, shape] of tables ?? []) {
      const at = this.reference(table, number);
      if (at !== undefined) this.check(at, shape());
    }
    for (const [number, shape] of lists ?? []) {
      const { start, count } = this.#vector(table, number, 4);
      for (let at = start; at < start + 4 * count; at += 4)
        this.check(at + this.#words.getUint32(at, true), shape());
    }
  }

  /** A number of 1 or 8 bytes in a table; 0 if it is missing. */
  number(table: number, number: number, bytes: 1 | 8): number {
    const at = this.#field(table, number);
    if (at === undefined) return 0;
    return bytes === 1 ? this.#words.getUint8(at) : Number(this.#words.getBigInt64(at, true));
  }

  *array(table: number, number: number, bytes: number): Iterable<DataView> {
    const { start, count } = this.#vector(table, number, bytes);
    const { buffer, byteOffset } = this.#words;
    for (let i = 0; i < count; i++) yield new DataView(buffer, byteOffset + start + i * bytes, bytes);
  }

  /** Where a field is; undefined if it is missing. */
  #field(table: number, number: number): number | undefined {
    const layout = table - this.#words.getInt32(table, true);
    if (4 + 2 * number >= this.#words.getUint16(layout, true)) return undefined;
    const offset = this.#words.getUint16(layout + 4 + 2 * number, true);
    return offset === 0 ? undefined : table + offset;
  }

  /** Where a table, list or string is that a table refers to; undefined if it is missing. */
  reference(table: number, number: number): number | undefined {
    const at = this.#field(table, number);
    return at === undefined ? undefined : at + this.#words.getUint32(at, true);
  }

  #vector(table: number, number: number, bytes: number): { start: number; count: number } {
    const at = this.reference(table, number);
    if (at === undefined) return { start: 0, count: 0 };
    const count = this.#words.getUint32(at, true);
    if (at + 4 + count * bytes > this.#words.byteLength)
      throw new RangeError("a list lies outside of its metadata");
    return { start: at + 4, count };
  }
}
