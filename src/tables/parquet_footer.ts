import { InputError } from "../core/errors.js";
import {
  readStruct,
  type ThriftList,
  type ThriftStruct,
  ThriftType,
  type ThriftValue,
  writeStruct,
} from "./thrift.js";

/**
 * The footer of a Parquet file, and files of one row group that are made from a larger one or joined to one.
 *
 * Source: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */

/** "PAR1", with which a Parquet file begins and ends. */
export const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31);
/** The length of the footer, and the magic, which end a file. */
export const TAIL_BYTES = 8;

/** The numbers of the fields that are looked at, by their structs. */
const File = { schema: 2, rowCount: 3, groups: 4, metadata: 5, orders: 7, encryption: 8 } as const;
const Group = {
  ...{ columns: 1, bytes: 2, rowCount: 3, sorting: 4, fileOffset: 5, packedBytes: 6, ordinal: 7 },
} as const;
const Chunk = {
  ...{ path: 1, fileOffset: 2, metadata: 3, offsetIndex: 4, offsetIndexBytes: 5 },
  ...{ columnIndex: 6, columnIndexBytes: 7, crypto: 8, encrypted: 9 },
} as const;
const Column = {
  ...{
    type: 1,
    path: 3,
    codec: 4,
    values: 5,
    bytes: 6,
    packedBytes: 7,
    dataPage: 9,
    indexPage: 10,
    dictionaryPage: 11,
  },
  ...{ bloomFilter: 14, bloomFilterBytes: 15 },
} as const;
const Element = {
  ...{ type: 1, width: 2, repetition: 3, name: 4, childCount: 5, convertedType: 6, scale: 7, precision: 8 },
  ...{ fieldId: 9 },
} as const;

const Entry = { key: 1, value: 2 } as const;

/** The entry of the metadata that has the schema as an Arrow stream, in base64. */
const ARROW_SCHEMA = "ARROW:schema";

const REPEATED = 2n;
const INT96 = 3n;
const BYTES = 6n;
const FIXED = 7n;
const DECIMAL = 5n;
const INTERVAL = 21n;

/** The footer of a file. */
export interface Footer {
  readonly struct: ThriftStruct;
  readonly groups: readonly ThriftStruct[];
}

/** A range of a file. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** @throws RangeError if it is damaged. */
export function parseFooter(bytes: Uint8Array): Footer {
  const struct = readStruct(bytes, "its footer");
  const groups = structs(list(struct, File.groups));
  if (!struct.has(File.schema) || list(struct, File.schema).length === 0)
    throw new RangeError("its footer has no schema");
  return { struct, groups };
}

export const schemaOf = ({ struct }: Footer): ThriftStruct[] => structs(list(struct, File.schema));

/** The key-value metadata, as it is written. */
export const metadataOf = ({ struct }: Footer) => struct.get(File.metadata);

export function rowCountOf(group: ThriftStruct): number {
  return count(group, Group.rowCount);
}

export const fileRowCount = ({ struct }: Footer): number => count(struct, File.rowCount);

/** Some columns of a table that follow each other: the place of the first, and the one after the last. */
export interface ColumnRange {
  readonly from: number;
  readonly end: number;
}

/**
 * The footer of a file that has only some columns. Nothing of the metadata is kept but the schema of Arrow.
 *
 * @param arrowSchema that of these columns, as an Arrow stream. It is left out if `footer` has none.
 */
export function footerOfColumns(footer: Footer, columns: ColumnRange, arrowSchema: Uint8Array): Footer {
  const [root, ...elements] = schemaOf(footer);
  const starts = columnStarts(elements);
  const own = elements.slice(startOf(starts, columns.from).element, startOf(starts, columns.end).element);
  const count = { type: ThriftType.i32, value: BigInt(columns.end - columns.from) };
  const groups = footer.groups.map((group) => groupOfColumns(footer, group, columns));
  const struct = new Map(footer.struct)
    .set(File.schema, structList([new Map(root).set(Element.childCount, count), ...own]))
    .set(File.groups, structList(groups));
  struct.delete(File.orders);
  struct.delete(File.metadata);
  const entries = structs(list(footer.struct, File.metadata));
  const isSchema = (entry: ThriftStruct) => valueText(entry, Entry.key) === ARROW_SCHEMA;
  const value = Buffer.from(Buffer.from(arrowSchema).toString("base64"));
  const kept = entries.filter(isSchema).map((entry) => {
    return new Map(entry).set(Entry.value, { type: ThriftType.binary, value });
  });
  if (kept.length > 0) struct.set(File.metadata, structList(kept));
  return { struct, groups };
}

/** Bytes of each column of a row group, unpacked. @throws RangeError if the group lacks one. */
export function columnBytes(footer: Footer, group: ThriftStruct): number[] {
  const starts = columnStarts(schemaOf(footer).slice(1));
  const chunks = chunksOf(group, starts);
  return starts.slice(1).map(({ leaf }, i) => bytesOfChunks(chunks.slice(starts[i]!.leaf, leaf)));
}

/** A row group of a file, with some columns only. @throws RangeError if it lacks one of them. */
export function groupOfColumns(
  footer: Footer,
  group: ThriftStruct,
  { from, end }: ColumnRange,
): ThriftStruct {
  const starts = columnStarts(schemaOf(footer).slice(1));
  const chunks = chunksOf(group, starts);
  const leaves = chunks.slice(startOf(starts, from).leaf, startOf(starts, end).leaf);
  return new Map(group).set(Group.columns, structList(leaves));
}

/** The chunks of a row group, one for each leaf. */
function chunksOf(group: ThriftStruct, starts: readonly ColumnStart[]): ThriftStruct[] {
  const chunks = structs(list(group, Group.columns));
  if (chunks.length === starts.at(-1)!.leaf) return chunks;
  throw new RangeError("a row group has not the columns of the file");
}

/** Where a column begins: its element in the schema, and its first leaf. */
interface ColumnStart {
  readonly element: number;
  readonly leaf: number;
}

/**
 * Where each column begins, and after them where the last one ends.
 *
 * @param elements those of the schema, without the root.
 * @throws RangeError if the schema is damaged.
 */
function columnStarts(elements: readonly ThriftStruct[]): ColumnStart[] {
  const starts: ColumnStart[] = [];
  let [element, leaf] = [0, 0];
  const skip = () => {
    const own = elements[element++];
    if (!own) throw new RangeError("its schema ends too early");
    const children = childCount(own);
    if (children === 0) leaf++;
    for (let i = 0; i < children; i++) skip();
  };
  while (element < elements.length) {
    starts.push({ element, leaf });
    skip();
  }
  return [...starts, { element, leaf }];
}

function startOf(starts: readonly ColumnStart[], place: number): ColumnStart {
  const start = starts[place];
  if (!start) throw new RangeError("its schema has too few columns");
  return start;
}

const childCount = (element: ThriftStruct) => Number(element.get(Element.childCount)?.value ?? 0n);

/** Bytes of a row group's pages, unpacked. */
export function unpackedBytes(group: ThriftStruct): number {
  return bytesOfChunks(structs(list(group, Group.columns)));
}

/** What is packed small may be so many times as large in Arrow. */
const MOST_GROWTH = 8;
/** No value of a fixed type is longer. */
const WORD_BYTES = 8;
/** Texts of a dictionary are seldom longer where there are so many rows that it matters. */
const LONG_VALUE = 2 ** 10;
/** Pages that have numbers of values in a dictionary take less for each row. Others have the values themselves. */
const INDEX_BYTES = 4;

/**
 * The bytes that a row group may take in Arrow, unless values of a dictionary are very long. A dictionary has each
 * value once, however many rows have it.
 */
export function mostBytesInArrow(group: ThriftStruct): number {
  return structs(list(group, Group.columns)).reduce((sum, chunk) => {
    const column = columnOf(chunk);
    const bytes = count(column, Column.bytes);
    const type = column.get(Column.type)?.value;
    const isText = type === BYTES || type === FIXED;
    const longest = isText ? Math.min(bytes, LONG_VALUE) : WORD_BYTES;
    const values = count(column, Column.values);
    const isRepeated = column.has(Column.dictionaryPage) && bytes < INDEX_BYTES * values;
    return sum + Math.max(MOST_GROWTH * bytes, isRepeated ? longest * values : 0);
  }, 0);
}

function bytesOfChunks(chunks: readonly ThriftStruct[]): number {
  return chunks.reduce((sum, chunk) => sum + count(columnOf(chunk), Column.bytes), 0);
}

/** The compression codec of each column of a row group, by the column's path. */
export function codecsOf(group: ThriftStruct): Map<string, number> {
  return new Map(
    structs(list(group, Group.columns)).map((chunk) => {
      const column = columnOf(chunk);
      const path = list(column, Column.path).map((part) => textOf(part as Uint8Array));
      return [path.join("."), count(column, Column.codec)];
    }),
  );
}

/**
 * @throws InputError if a column has a type that would change on the way: the old timestamps of 96 bits, or
 *   intervals; or if the file is encrypted.
 */
export function requireCarried(name: string, footer: Footer): void {
  if (footer.struct.has(File.encryption)) throw encrypted(name);
  for (const element of schemaOf(footer)) {
    const isOld = element.get(Element.type)?.value === INT96;
    const isInterval = element.get(Element.convertedType)?.value === INTERVAL;
    if (!isOld && !isInterval) continue;
    const type = isOld ? "INT96" : "INTERVAL";
    throw new InputError(
      `the column ${nameOf(element)} of ${name} has the type ${type}, which gpusort cannot carry unchanged`,
      {
        hint: isOld
          ? "write its timestamps as INT64; Spark does with spark.sql.parquet.outputTimestampType"
          : "leave the column out",
      },
    );
  }
}

export function encrypted(name: string): InputError {
  return new InputError(`${name} is an encrypted Parquet file`, { hint: "decrypt it" });
}

/** Whether a row of a column is one value or null, so that its pages can be told apart by their rows. */
export function isFlat(footer: Footer, place: number): boolean {
  const elements = schemaOf(footer).slice(1);
  const element = elements[startOf(columnStarts(elements), place).element];
  return (
    element !== undefined && childCount(element) === 0 && element.get(Element.repetition)?.value !== REPEATED
  );
}

/** The range of each leaf column of a row group. @throws as `rangeOf` does. */
export function leafRanges(group: ThriftStruct, fileBytes: number): Range[] {
  return structs(list(group, Group.columns)).map((chunk) =>
    rangeOf(new Map(group).set(Group.columns, structList([chunk])), fileBytes),
  );
}

/**
 * Makes a file of some pages of a row group that has one leaf column.
 *
 * @param dictionary the page of the dictionary; empty if there is none.
 * @param pages those of data, which follow each other.
 */
export function pagesFile(
  footer: Footer,
  group: ThriftStruct,
  rowCount: number,
  dictionary: Uint8Array,
  pages: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const number = (value: number) => ({ type: ThriftType.i64, value: BigInt(value) });
  const [chunk] = structs(list(group, Group.columns)) as [ThriftStruct];
  const column = new Map(columnOf(chunk))
    .set(Column.values, number(rowCount))
    .set(Column.packedBytes, number(dictionary.length + pages.length))
    .set(Column.dataPage, number(MAGIC.length + dictionary.length));
  column.delete(Column.indexPage);
  if (dictionary.length > 0) column.set(Column.dictionaryPage, number(MAGIC.length));
  else column.delete(Column.dictionaryPage);
  const moved = new Map(chunk).set(Chunk.metadata, { type: ThriftType.struct, value: column });
  const own = new Map(group).set(Group.columns, structList([moved])).set(Group.rowCount, number(rowCount));
  const all = { start: MAGIC.length, end: MAGIC.length };
  return singleGroupFile(footer, own, all, joined([dictionary, pages]));
}

/** Where the pages of a row group are. @throws RangeError if that is nowhere in the file. */
export function rangeOf(group: ThriftStruct, fileBytes: number): Range {
  let [start, end] = [fileBytes, MAGIC.length];
  for (const chunk of structs(list(group, Group.columns))) {
    if (chunk.has(Chunk.path)) throw new RangeError("its columns are in another file");
    if (chunk.has(Chunk.crypto) || chunk.has(Chunk.encrypted))
      throw new RangeError("its columns are encrypted");
    const column = columnOf(chunk);
    const data = count(column, Column.dataPage);
    const dictionary = column.has(Column.dictionaryPage) ? count(column, Column.dictionaryPage) : 0;
    const first = dictionary > 0 ? Math.min(dictionary, data) : data;
    start = Math.min(start, first);
    end = Math.max(end, first + count(column, Column.packedBytes));
  }
  if (end > fileBytes || start < MAGIC.length) throw new RangeError("a row group lies outside of the file");
  return start < end ? { start, end } : { start: MAGIC.length, end: MAGIC.length };
}

/** Makes a file of one row group. Its indices and filters are left out. @param pages those of the group. */
export function singleGroupFile(
  footer: Footer,
  group: ThriftStruct,
  { start }: Range,
  pages: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const moved = movedGroup(group, MAGIC.length - start, { keepsIndices: false });
  const struct = new Map(footer.struct);
  struct.set(File.rowCount, { type: ThriftType.i64, value: group.get(Group.rowCount)?.value ?? 0n });
  struct.set(File.groups, { type: ThriftType.list, value: { itemType: ThriftType.struct, items: [moved] } });
  return joined([MAGIC, pages, footerBytes(struct)]);
}

/** Moves the offsets of a row group by some bytes. */
export function movedGroup(
  group: ThriftStruct,
  by: number,
  { keepsIndices = true }: { keepsIndices?: boolean } = {},
): ThriftStruct {
  const chunks = structs(list(group, Group.columns)).map((chunk) => {
    const column = new Map(columnOf(chunk));
    for (const field of [Column.dataPage, Column.indexPage, Column.dictionaryPage]) move(column, field, by);
    const moved = new Map(chunk).set(Chunk.metadata, { type: ThriftType.struct, value: column });
    move(moved, Chunk.fileOffset, by);
    if (keepsIndices) {
      for (const field of [Chunk.offsetIndex, Chunk.columnIndex]) move(moved, field, by);
      move(column, Column.bloomFilter, by);
    } else {
      for (const field of [
        Chunk.offsetIndex,
        Chunk.offsetIndexBytes,
        Chunk.columnIndex,
        Chunk.columnIndexBytes,
      ])
        moved.delete(field);
      for (const field of [Column.bloomFilter, Column.bloomFilterBytes]) column.delete(field);
    }
    return moved;
  });
  const moved = new Map(group).set(Group.columns, structList(chunks));
  move(moved, Group.fileOffset, by);
  return moved;
}

/**
 * Joins row groups that have different columns of the same rows.
 *
 * @param parts at least one, in the order of the columns.
 * @param paths the names of the leaf columns.
 */
export function joinedGroup(parts: readonly ThriftStruct[], paths: readonly ThriftValue[][]): ThriftStruct {
  const chunks = parts.flatMap((part) => structs(list(part, Group.columns)));
  const named = chunks.map((chunk, leaf) => {
    const path: ThriftList = { itemType: ThriftType.binary, items: paths[leaf]! };
    const column = new Map(columnOf(chunk)).set(Column.path, { type: ThriftType.list, value: path });
    return new Map(chunk).set(Chunk.metadata, { type: ThriftType.struct, value: column });
  });
  const whole = new Map(parts[0]!).set(Group.columns, structList(named));
  for (const field of [Group.bytes, Group.packedBytes]) {
    const bytes = parts.reduce((sum, part) => sum + count(part, field), 0);
    whole.set(field, { type: ThriftType.i64, value: BigInt(bytes) });
  }
  return whole;
}

/** How the rows of a file are in order: by a leaf column, counted from 0. */
export interface SortingColumn {
  readonly leaf: number;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** Puts row groups into one footer, and says how their rows are in order. */
export function footerOf(
  like: Footer,
  schema: readonly ThriftStruct[],
  metadata: ReturnType<typeof metadataOf>,
  groups: readonly ThriftStruct[],
  sorting: readonly SortingColumn[],
): Uint8Array {
  const order = sorting.map(
    ({ leaf, descending, nullsFirst }): ThriftStruct =>
      new Map([
        [1, { type: ThriftType.i32, value: BigInt(leaf) as ThriftValue }],
        [2, { type: ThriftType.true, value: descending }],
        [3, { type: ThriftType.true, value: nullsFirst }],
      ]),
  );
  const numbered = groups.map((group, i) => {
    const own = new Map(group).set(Group.sorting, structList(order));
    if (i < 2 ** 15) own.set(Group.ordinal, { type: ThriftType.i16, value: BigInt(i) });
    else own.delete(Group.ordinal);
    return own;
  });
  const rows = groups.reduce((sum, group) => sum + rowCountOf(group), 0);
  const struct = new Map(like.struct)
    .set(File.schema, structList(schema))
    .set(File.rowCount, { type: ThriftType.i64, value: BigInt(rows) })
    .set(File.groups, structList(numbered));
  if (metadata) struct.set(File.metadata, metadata);
  else struct.delete(File.metadata);
  return footerBytes(struct);
}

/**
 * The schema that a file gets if it holds the columns of another one: the elements of the other one, with
 * their logical types and field ids, where the columns are laid out in the same way.
 *
 * @param from the schema of the other file. @param own the schema as it was written.
 * @throws InputError that names the first column that would change.
 */
export function keptSchema(from: readonly ThriftStruct[], own: readonly ThriftStruct[]): ThriftStruct[] {
  const [root] = from;
  const kept = own.slice(1).map((written, i) => {
    const wanted = from[i + 1];
    const same = (...fields: number[]) =>
      fields.every((field) => valueText(written, field) === valueText(wanted, field));
    const isFixed = written.get(Element.type)?.value === FIXED;
    if (wanted && same(Element.childCount, Element.repetition)) {
      if (same(Element.type) && (!isFixed || same(Element.width))) return wanted;
      const isDecimal = written.get(Element.convertedType)?.value === DECIMAL;
      if (isDecimal && same(Element.convertedType, Element.precision, Element.scale)) {
        const id = wanted.get(Element.fieldId);
        return id ? new Map(written).set(Element.fieldId, id) : written;
      }
    }
    throw new InputError(
      `the column ${nameOf(wanted ?? written)} cannot be written to Parquet as it was read`,
      {
        hint: "leave the column out, or write the output as Arrow",
        options: ["to"],
      },
    );
  });
  if (from.length !== own.length) {
    throw new InputError(
      `the column ${nameOf(from[own.length]!)} cannot be written to Parquet as it was read`,
      {
        hint: "leave the column out, or write the output as Arrow",
        options: ["to"],
      },
    );
  }
  return [root!, ...kept];
}

/** The path of each leaf column: the names from the root on. */
export function leafPaths(schema: readonly ThriftStruct[]): ThriftValue[][] {
  const paths: ThriftValue[][] = [];
  let at = 1;
  const visit = (inside: ThriftValue[]) => {
    const element = schema[at++]!;
    const path = [...inside, element.get(Element.name)!.value];
    const children = childCount(element);
    if (children === 0) paths.push(path);
    for (let i = 0; i < children; i++) visit(path);
  };
  while (at < schema.length) visit([]);
  return paths;
}

/** The number of leaf columns before a column of the table. */
export function leafOf(schema: readonly ThriftStruct[], place: number): number {
  return startOf(columnStarts(schema.slice(1)), place).leaf;
}

/** The footer, its length and the magic: the end of a file. */
function footerBytes(struct: ThriftStruct): Uint8Array {
  const bytes = writeStruct(struct);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  return joined([bytes, length, MAGIC]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const structList = (items: readonly ThriftStruct[]) => ({
  type: ThriftType.list,
  value: { itemType: ThriftType.struct, items: [...items] } as ThriftList,
});

function columnOf(chunk: ThriftStruct): ThriftStruct {
  const value = chunk.get(Chunk.metadata)?.value;
  if (!(value instanceof Map)) throw new RangeError("a column has no metadata");
  return value;
}

function list(struct: ThriftStruct, field: number): ThriftValue[] {
  const value = struct.get(field)?.value;
  if (value === undefined) return [];
  if (typeof value !== "object" || !("items" in value))
    throw new RangeError("its footer has a field of a wrong type");
  return value.items;
}

function structs(items: readonly ThriftValue[]): ThriftStruct[] {
  if (!items.every((item) => item instanceof Map))
    throw new RangeError("its footer has a list of a wrong type");
  return items as ThriftStruct[];
}

/** A number that counts something. */
function count(struct: ThriftStruct, field: number): number {
  const value = struct.get(field)?.value;
  if (typeof value !== "bigint" || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RangeError("its footer has a number that is missing or wrong");
  }
  return Number(value);
}

function move(struct: ThriftStruct, field: number, by: number): void {
  const found = struct.get(field);
  // 0 stands for an offset that is not known.
  if (typeof found?.value !== "bigint" || found.value === 0n) return;
  struct.set(field, { type: found.type, value: found.value + BigInt(by) });
}

function valueText(struct: ThriftStruct | undefined, field: number): string {
  const value = struct?.get(field)?.value;
  return value instanceof Uint8Array ? textOf(value) : String(value);
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const nameOf = (element: ThriftStruct) => valueText(element, Element.name);
