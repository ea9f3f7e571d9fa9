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
const headers: readonly (TableShape | undefined)[] = [undefined, schema, dictionaryBatch, recordBatch];
const footer: TableShape = {
  tables: new Map([[1, () => schema]]),
  lists: new Map([[4, () => keyValue]]),
  arrays: new Map([
    [2, BLOCK_BYTES],
    [3, BLOCK_BYTES],
  ]),
};

/** @throws RangeError if a stream's metadata is damaged, or if its end mark is missing. */
export function checkStream(bytes: Uint8Array): void {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; ; ) {
    const next = checkMessage(bytes, words, at);
    if (next === undefined) break;
    at = next;
  }
}

/** @throws RangeError if a file's metadata is damaged. */
export function checkFile(bytes: Uint8Array): void {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 10; // before the footer's length and the magic
  const length = words.getInt32(end, true);
  if (length <= 0 || length > end - 8) throw new RangeError("its footer lies outside of it");
  const buffer = new Flatbuffer(bytes.subarray(end - length, end));
  const root = buffer.root();
  buffer.check(root, footer);
  for (const list of [2, 3]) {
    for (const block of buffer.array(root, list, BLOCK_BYTES)) {
      const at = Number(block.getBigInt64(0, true));
      if (!(at >= 8 && at < end - length) || checkMessage(bytes, words, at) === undefined) {
        throw new RangeError("a batch lies outside of it");
      }
    }
  }
}

/** @returns where the next message begins; undefined for the end mark. */
function checkMessage(bytes: Uint8Array, words: DataView, at: number): number | undefined {
  const hasMark = words.getInt32(at, true) === -1; // older files have none
  const start = at + (hasMark ? 8 : 4);
  const length = words.getInt32(start - 4, true);
  if (length === 0) return undefined;
  if (length < 0 || start + length > bytes.length) throw new RangeError("a message lies outside of it");
  const buffer = new Flatbuffer(bytes.subarray(start, start + length));
  const root = buffer.root();
  const shape = headers[buffer.number(root, 1, 1)];
  if (!shape) throw new RangeError("it has a message of an unknown kind");
  buffer.check(root, { tables: new Map([[2, () => shape]]), lists: new Map([[4, () => keyValue]]) });
  const body = buffer.number(root, 3, 8);
  if (!(body >= 0 && start + length + body <= bytes.length))
    throw new RangeError("a batch lies outside of it");
  return start + length + body;
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
      const at = this.#reference(table, number);
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

  #reference(table: number, number: number): number | undefined {
    const at = this.#field(table, number);
    return at === undefined ? undefined : at + this.#words.getUint32(at, true);
  }

  #vector(table: number, number: number, bytes: number): { start: number; count: number } {
    const at = this.#reference(table, number);
    if (at === undefined) return { start: 0, count: 0 };
    const count = this.#words.getUint32(at, true);
    if (at + 4 + count * bytes > this.#words.byteLength)
      throw new RangeError("a list lies outside of its metadata");
    return { start: at + 4, count };
  }
}
