import { setImmediate } from "node:timers/promises";
import type { Data, Field, RecordBatch, Schema } from "apache-arrow";
import { allEnded } from "../core/all_ended.js";
import { GpusortError, InputError } from "../core/errors.js";
import { serialQueue } from "../core/streams/serial_queue.js";
import type { InputFile } from "../files/input_file.js";
import type { OutputFile } from "../files/output_file.js";
import { ahead } from "./ahead.js";
import { batchOf } from "./batch.js";
import { runCodecTask, type TaskRunner } from "./codec_tasks.js";
import type { ReadLimits, TableCodec, TableInput, TableShape, TableSink, TableStyle } from "./format.js";
import { readerAt, readingFrom } from "./input_bytes.js";
import { type Arrow, loadArrowOfParquet } from "./packages.js";
import { besideEachOther, type ColumnPart, columnParts } from "./parquet_columns.js";
import {
  codecsOf,
  encrypted,
  type Footer,
  fileRowCount,
  footerOf,
  groupOfColumns,
  joinedGroup,
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
import type { BytesAt } from "./parquet_pages.js";
import { RowGroupPieces } from "./parquet_pieces.js";
import type { CodecName, Packing } from "./parquet_tasks.js";
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

/** Columns of fewer bytes are packed together, because each file costs some time, too. */
const PART_BYTES = 1 << 18;

/**
 * How many times the bytes of a row group are in memory while it is read or written: as pages, in the memory
 * of `parquet-wasm`, which never shrinks, and on their way between the two.
 */
const READ_COPIES = 4;

/** What an output takes over from an input. */
interface ParquetDetails {
  readonly footer: Footer;
}

/**
 * Parquet. Each row group is read as a file of its own, or each of its columns if there are fewer groups than
 * threads; and each column of a group is written as one. Some small columns are put together. So only these are
 * in the memory of `parquet-wasm` at a time, and several threads can work on a file. The columns and groups are
 * then joined, and their footer says how they are in order.
 */
export const parquet: TableCodec = { read, write };

async function read(input: InputFile, limits: ReadLimits, tasks: TaskRunner): Promise<TableInput> {
  const { name } = input;
  const byteLength = input.byteLength!;
  tasks.expect(byteLength); // while the packages are loaded
  const arrow = await loadArrowOfParquet();
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
    const bytes = groups.map(unpackedBytes);
    const atOnce = () => tasks.mostAtOnce(READ_COPIES * Math.max(0, ...bytes));
    const schema = await schemaIn(arrow, footer);
    const largest = groups[bytes.indexOf(Math.max(...bytes))]!;
    const isAlone = groups.length === 1;
    let parts: Promise<ColumnPart[] | undefined> | undefined;
    const unpackPart = async (part: Footer, group: ThriftStruct, rowCount: number, isAlone: boolean) => {
      const range = rangeOf(group, byteLength);
      const pages = await bytesAt(range.start, range.end - range.start);
      const file = singleGroupFile(part, group, range, pages);
      const task = { codec: "parquet", work: "unpack", file, rowCount } as const;
      // What is alone is unpacked as soon by the calling thread, which has nothing else to do.
      return isAlone
        ? runCodecTask(task)
        : tasks.run(task, READ_COPIES * unpackedBytes(group), [file.buffer]);
    };
    const pieces = new RowGroupPieces({
      ...{ arrow, footer, schema, bytesAt, limits, tasks },
      fileBytes: byteLength,
      copies: READ_COPIES,
      schemaIn: (part) => schemaIn(arrow, part),
      batchesOf: (stream, rowCount) => batchesOf(arrow, stream, rowCount),
    });
    /** @returns a stream of each part of the columns; undefined if the group is read in pieces. */
    const unpack = async (i: number): Promise<Uint8Array[] | undefined> => {
      const [group, rowCount] = [groups[i]!, rows[i]!];
      if (await pieces.needed(i)) return undefined;
      limits.require({ batch: i + 1, bytes: bytes[i]!, rows: rowCount });
      // Fewer groups than threads are unpacked column by column. A column needs less memory than its group.
      if (groups.length < tasks.mostAtOnce(0))
        parts ??= columnParts(arrow, footer, largest, schema, (part) => schemaIn(arrow, part));
      const own = await parts;
      if (!own) return [await unpackPart(footer, group, rowCount, isAlone)];
      return allEnded(
        own.map((part) =>
          unpackPart(part.footer, groupOfColumns(footer, group, part.columns), rowCount, false),
        ),
      );
    };
    const details: ParquetDetails = { footer };
    return {
      name,
      schema,
      style: { format: "parquet", groupRows: Math.max(0, ...rows) || undefined, details },
      readingBytes: (bytes) => READ_COPIES * bytes + pieces.readingBytes,
      async *batches() {
        for await (const [i, result] of ahead(groups.length, atOnce, unpack)) {
          const number = i + 1;
          const streams = await readingFrom(name, TITLE, result);
          if (streams) {
            const whole = await readingFrom(name, TITLE, () => {
              const batches = streams.map((stream) => batchesOf(arrow, stream, rows[i]!));
              return batches.length === 1 ? batches[0]! : besideEachOther(arrow, schema, batches);
            });
            for (const batch of whole) yield { batch, number };
            continue;
          }
          const some = pieces.batches(i);
          for (;;) {
            const { done, value } = await readingFrom(name, TITLE, () => some.next());
            if (done) break;
            yield { batch: value, number };
          }
        }
      },
    };
  });
}

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

/** The schema of a file that has this footer. @throws any error if it is damaged. */
function schemaIn(arrow: Arrow, footer: Footer): Promise<Schema> {
  const empty = footerOf(footer, schemaOf(footer), metadataOf(footer), [], []);
  return schemaOfFile(arrow, Buffer.concat([MAGIC, empty]));
}

/** The schema of a file without rows. @throws any error if it is damaged. */
async function schemaOfFile(arrow: Arrow, file: Uint8Array): Promise<Schema> {
  const stream = await runCodecTask({ codec: "parquet", work: "unpack", file, rowCount: 0 });
  const reader = arrow.RecordBatchReader.from(stream);
  reader.open();
  return reader.schema as Schema;
}

/** @throws any error if the stream has another number of rows. */
function batchesOf(arrow: Arrow, stream: Uint8Array, rowCount: number): RecordBatch[] {
  const batches = [...arrow.RecordBatchReader.from(stream)] as RecordBatch[];
  const found = batches.reduce((sum, { numRows }) => sum + numRows, 0);
  if (found !== rowCount) throw new Error(`a row group has ${found} rows instead of ${rowCount}`);
  return batches;
}

async function write(output: OutputFile, table: TableShape, tasks: TaskRunner): Promise<TableSink> {
  tasks.expect(table.bytes);
  const arrow = await loadArrowOfParquet();
  const { like, schema: own } = table;
  const from = like.format === "parquet" ? (like.details as ParquetDetails).footer : undefined;
  const packing = packingOf(from);
  // A file without rows shows what becomes of the schema.
  const none = new arrow.Table(own);
  const empty = await packed(runCodecTask({ ...PACK, stream: streamOf(arrow, none), packing }));
  const lost =
    withoutType(own.fields) ?? firstDifference(own, await schemaOfFile(arrow, empty.file), { views: false });
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
  let parts: ThriftStruct[] = [];
  let at = MAGIC.length;
  await output.write(MAGIC, 0);
  const inOrder = serialQueue("stop");
  const underWay: Promise<void>[] = [];
  const writePart = async (part: Promise<PackedFile>) => {
    const { file, footer, body } = await part;
    await output.write(file.subarray(MAGIC.length, body), at);
    parts.push(...footer.groups.map((group) => movedGroup(group, at - MAGIC.length)));
    at += body - MAGIC.length;
  };
  return {
    copies: READ_COPIES,
    batchRows: groupRows(like),
    write: async (columns, rowCount) => {
      let place = 0;
      for (const some of severalOf(columns, own.fields.length)) {
        const schema = new arrow.Schema(own.fields.slice(place, place + some.length));
        place += some.length;
        const batch = batchOf(arrow, schema, some, rowCount);
        const stream = streamOf(arrow, new arrow.Table(schema, [batch]));
        const bytes = READ_COPIES * stream.byteLength;
        const part = packed(tasks.run({ ...PACK, stream, packing }, bytes, [stream.buffer]));
        part.catch(() => {}); // it is awaited in its turn
        underWay.push(inOrder(() => writePart(part)));
        const most = Math.min(tasks.mostAtOnce(bytes), own.fields.length);
        while (underWay.length >= most) await underWay.shift();
        await setImmediate(); // so that threads are heard that are done
      }
      underWay.push(
        inOrder(async () => {
          groups.push(joinedGroup(parts, paths));
          parts = [];
        }),
      );
    },
    end: async () => {
      for (const one of underWay) await one;
      await output.write(footerOf(empty.footer, schema, metadata, groups, sorting), at);
    },
    stop: async () => {
      await Promise.allSettled(underWay);
    },
  };
}

/** Puts columns together until they have enough bytes. @param count how many columns there are. */
function* severalOf(columns: Iterable<Data>, count: number): Generator<Data[]> {
  let [some, bytes, seen]: [Data[], number, number] = [[], 0, 0];
  for (const data of columns) {
    some.push(data);
    bytes += data.byteLength + (data.dictionary?.byteLength ?? 0);
    if (++seen < count && bytes < PART_BYTES) continue;
    yield some;
    [some, bytes] = [[], 0];
  }
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

/** A file with its footer, and where that begins. */
interface PackedFile {
  readonly file: Uint8Array;
  readonly footer: Footer;
  readonly body: number;
}

const PACK = { codec: "parquet", work: "pack" } as const;

/** @returns a stream that has its buffer for itself. */
function streamOf(arrow: Arrow, table: InstanceType<Arrow["Table"]>): Uint8Array<ArrayBuffer> {
  const stream = arrow.tableToIPC(table, "stream") as Uint8Array<ArrayBuffer>;
  return stream.byteLength === stream.buffer.byteLength ? stream : stream.slice();
}

/** Opens a file that was packed. @throws InputError if the package cannot write a type. */
async function packed(bytes: Promise<Uint8Array>): Promise<PackedFile> {
  try {
    const file = await bytes;
    const length = new DataView(file.buffer, file.byteOffset + file.length - TAIL_BYTES).getUint32(0, true);
    const body = file.length - TAIL_BYTES - length;
    // A copy, as what is kept of the footer would keep all pages in memory.
    return { file, footer: parseFooter(file.slice(body, body + length)), body };
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
const codecs: readonly CodecName[] = [
  ...(["UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4_RAW", "ZSTD", "LZ4_RAW"] as const),
];

/** The codecs of the input, or snappy, which most readers have and which is quick. */
function packingOf(from: Footer | undefined): Packing {
  const [group] = from?.groups ?? [];
  const named = [...(group ? codecsOf(group) : [])].map(
    ([path, codec]) => [path, codecs[codec] ?? "SNAPPY"] as const,
  );
  const usual = mostFrequent(named.map(([, codec]) => codec)) ?? "SNAPPY";
  return { usual, others: named.filter(([, codec]) => codec !== usual), groupRows: MOST_GROUP_ROWS };
}

function mostFrequent<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
