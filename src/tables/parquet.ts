import type { Field, RecordBatch, Schema } from "apache-arrow";
import type { WriterProperties } from "parquet-wasm";
import { GpusortError, InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import type { OutputFile } from "../files/output_file.js";
import type { ReadLimits, TableCodec, TableInput, TableShape, TableSink, TableStyle } from "./format.js";
import { readerAt, readingFrom } from "./input_bytes.js";
import { type Arrow, loadParquet, type ParquetWasm } from "./packages.js";
import {
  codecsOf,
  encrypted,
  type Footer,
  fileRowCount,
  footerOf,
  keptSchema,
  leafOf,
  leafPaths,
  MAGIC,
  metadataOf,
  movedGroup,
  parseFooter,
  rangeOf,
  requireCarried,
  rowCountOf,
  schemaOf,
  singleGroupFile,
  TAIL_BYTES,
  unpackedBytes,
} from "./parquet_footer.js";
import { firstDifference } from "./schema.js";
import type { ThriftStruct } from "./thrift.js";
import { MILLISECOND_DATE, TypeId } from "./type_ids.js";

const TITLE = "a Parquet file";

/** Rows of a row group, if the input has none. Readers skip whole groups, and read several at a time. */
const GROUP_ROWS = 1 << 17;
/** A larger group is divided, because it is packed in memory. */
const MOST_GROUP_ROWS = 1 << 20;
/** Smaller groups are joined, because each costs a reader some work. */
const LEAST_GROUP_ROWS = 1 << 14;

/**
 * How many times the bytes of a row group are in memory while it is read or written: as pages, in the memory
 * of `parquet-wasm`, which never shrinks, and on their way between the two.
 */
const COPIES = 4;

/** What an output takes over from an input. */
interface ParquetDetails {
  readonly footer: Footer;
}

/**
 * Parquet. Each row group is read and written as a file of its own, so that only one is in the memory of
 * `parquet-wasm` at a time; the groups are then joined, and their footer says how they are in order.
 */
export const parquet: TableCodec = { read, write };

async function read(input: InputFile, limits: ReadLimits): Promise<TableInput> {
  const { arrow, parquet } = await loadParquet();
  const { name } = input;
  const byteLength = input.byteLength!;
  const bytesAt: BytesAt = async (offset, count) => {
    const bytes = await readerAt(input, offset)(count);
    if (!bytes) throw new Error("it ends too early");
    return bytes;
  };
  const footer = await readingFrom(name, TITLE, () => readFooter(name, byteLength, bytesAt));
  requireCarried(name, footer);
  const { groups } = footer;
  return readingFrom(name, TITLE, async () => {
    const rows = groups.map(rowCountOf);
    if (rows.reduce((sum, count) => sum + count, 0) !== fileRowCount(footer))
      throw new Error("its numbers of rows differ");
    const decode = async (group: ThriftStruct, i: number) => {
      limits.require({ batch: i + 1, bytes: unpackedBytes(group), rows: rowCountOf(group) });
      const range = rangeOf(group, byteLength);
      const pages = await bytesAt(range.start, range.end - range.start);
      return decoded(arrow, parquet, singleGroupFile(footer, group, range, pages), rowCountOf(group));
    };
    const empty = footerOf(footer, schemaOf(footer), metadataOf(footer), [], []);
    const { schema } = decoded(arrow, parquet, Buffer.concat([MAGIC, empty]), 0);
    const details: ParquetDetails = { footer };
    return {
      name,
      schema,
      style: { format: "parquet", groupRows: Math.max(0, ...rows) || undefined, details },
      copies: COPIES,
      async *batches() {
        for (const [i, group] of groups.entries())
          yield* (await readingFrom(name, TITLE, () => decode(group, i))).batches;
      },
    };
  });
}

type BytesAt = (offset: number, count: number) => Promise<Uint8Array>;

async function readFooter(name: string, byteLength: number, bytesAt: BytesAt): Promise<Footer> {
  if (byteLength < MAGIC.length + TAIL_BYTES) throw new Error("it is too short");
  const tail = await bytesAt(byteLength - TAIL_BYTES, TAIL_BYTES);
  const magic = Buffer.from(tail.subarray(4)).toString("latin1");
  if (magic === "PARE") throw encrypted(name);
  if (magic !== "PAR1") {
    throw new InputError(`${name} is cut short: it is a Parquet file without its end mark`, {
      hint: "write it anew",
    });
  }
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  if (length > byteLength - MAGIC.length - TAIL_BYTES) throw new Error("its footer is longer than the file");
  return parseFooter(await bytesAt(byteLength - TAIL_BYTES - length, length));
}

/** Reads a file in memory. @throws any error if it is damaged. */
function decoded(
  arrow: Arrow,
  { readParquet }: ParquetWasm,
  file: Uint8Array,
  rowCount: number,
): { schema: Schema; batches: RecordBatch[] } {
  const ipc = readParquet(file, { batchSize: Math.max(1, rowCount) }).intoIPCStream();
  const reader = arrow.RecordBatchReader.from(ipc);
  reader.open();
  const { schema } = reader; // the reader forgets it at the end
  const batches = [...reader] as RecordBatch[];
  const found = batches.reduce((sum, { numRows }) => sum + numRows, 0);
  if (found !== rowCount) throw new Error(`a row group has ${found} rows instead of ${rowCount}`);
  return { schema: schema as Schema, batches };
}

async function write(output: OutputFile, table: TableShape): Promise<TableSink> {
  const { arrow, parquet } = await loadParquet();
  const { like } = table;
  const from = like.format === "parquet" ? (like.details as ParquetDetails).footer : undefined;
  const settings = () => writerProperties(parquet, from);
  const encode = (batches: RecordBatch[]) =>
    encoded(arrow, parquet, new arrow.Table(table.schema, batches), settings());
  // A file without rows shows what becomes of the schema.
  const empty = encode([]);
  const { schema: written } = decoded(arrow, parquet, empty.file, 0);
  const lost = withoutType(table.schema.fields) ?? firstDifference(table.schema, written, { views: false });
  if (lost) {
    throw new InputError(`Parquet cannot hold the table as it is: ${lost}`, {
      hint: "convert the column, or write the output as Arrow",
      options: ["to"],
    });
  }
  const schema = from ? keptSchema(schemaOf(from), schemaOf(empty.footer)) : schemaOf(empty.footer);
  const paths = leafPaths(schema);
  const metadata = metadataOf(from ?? empty.footer);
  const sorting = table.order.map((key) => ({ ...key, leaf: leafOf(schema, key.place) }));
  const groups: ThriftStruct[] = [];
  let at = MAGIC.length;
  await output.write(MAGIC, 0);
  return {
    copies: COPIES,
    batchRows: groupRows(like),
    write: async (batch) => {
      const { file, footer, body } = encode([batch]);
      await output.write(file.subarray(MAGIC.length, body), at);
      groups.push(...footer.groups.map((group) => movedGroup(group, at - MAGIC.length, { paths })));
      at += body - MAGIC.length;
    },
    end: async () => output.write(footerOf(empty.footer, schema, metadata, groups, sorting), at),
  };
}

/** Units of times. Parquet has no seconds. */
const SECOND = 0;

/**
 * A column that the package would write as plain numbers, as Parquet has no type for it, so that most readers
 * would not know what they mean.
 */
function withoutType(fields: readonly Field[], inside = ""): string | undefined {
  for (const { name, type } of fields) {
    const { typeId, unit } = type as { typeId: number; unit?: number };
    const isSecond = (typeId === TypeId.timestamp || typeId === TypeId.time) && unit === SECOND;
    const isLongDate = typeId === TypeId.date && unit === MILLISECOND_DATE;
    if (isSecond || isLongDate) return `it has no type for ${type}, which the column ${inside}${name} has`;
    const nested = withoutType(type.children ?? [], `${inside}${name}.`);
    if (nested) return nested;
  }
  return undefined;
}

function groupRows({ format, groupRows }: TableStyle): number {
  if (format !== "parquet" || groupRows === undefined) return GROUP_ROWS;
  return Math.min(MOST_GROUP_ROWS, Math.max(LEAST_GROUP_ROWS, groupRows));
}

/**
 * @returns a file, its footer, and where that begins.
 * @throws InputError if the package cannot write a type.
 */
function encoded(
  arrow: Arrow,
  { Table, writeParquet }: ParquetWasm,
  table: InstanceType<Arrow["Table"]>,
  settings: WriterProperties,
): { file: Uint8Array; footer: Footer; body: number } {
  try {
    const file = writeParquet(Table.fromIPCStream(arrow.tableToIPC(table, "stream")), settings);
    const length = new DataView(file.buffer, file.byteOffset + file.length - TAIL_BYTES).getUint32(0, true);
    const body = file.length - TAIL_BYTES - length;
    return { file, footer: parseFooter(file.subarray(body, body + length)), body };
  } catch (cause) {
    if (cause instanceof GpusortError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InputError(`the table cannot be written as Parquet: ${reason}`, {
      hint: "write the output as Arrow",
      options: ["to"],
      cause,
    });
  }
}

/** The names of the codecs, by their numbers in a file. */
const codecs = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4_RAW", "ZSTD", "LZ4_RAW"] as const;

/** The codecs of the input, or snappy, which most readers have and which is quick. */
function writerProperties(parquet: ParquetWasm, from: Footer | undefined): WriterProperties {
  const { Compression, WriterPropertiesBuilder } = parquet;
  const [group] = from?.groups ?? [];
  const named = [...(group ? codecsOf(group) : [])].map(
    ([path, codec]) => [path, codecs[codec] ?? "SNAPPY"] as const,
  );
  const usual = mostFrequent(named.map(([, codec]) => codec)) ?? "SNAPPY";
  let settings = new WriterPropertiesBuilder()
    .setCompression(Compression[usual])
    .setMaxRowGroupSize(MOST_GROUP_ROWS);
  for (const [path, codec] of named) {
    if (codec !== usual) settings = settings.setColumnCompression(path, Compression[codec]);
  }
  return settings.build();
}

function mostFrequent<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
