import type { RecordBatch } from "apache-arrow";
import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import type { OutputFile } from "../files/output_file.js";
import { checkFile, checkStream } from "./arrow_messages.js";
import type { ReadLimits, TableCodec, TableFormatName, TableInput, TableShape, TableSink } from "./format.js";
import { readingFrom, readWhole } from "./input_bytes.js";
import { type Arrow, loadArrow, loadLz4, loadZstd } from "./packages.js";

/** "ARROW1", with which an Arrow file begins, after two bytes of padding, and ends. */
const MAGIC = [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31];
const PADDED_MAGIC = 8;

/** Rows of a batch, if the input does not say how many: enough to make a batch's own cost small. */
const BATCH_ROWS = 1 << 16;

const isFile = (bytes: Uint8Array) => MAGIC.every((byte, i) => bytes[i] === byte);

/** The file format, which has a footer that says where its batches are. */
export const arrowFile: TableCodec = {
  read: (input, limits) => read("arrow", "an Arrow file", input, limits),
  write: (output, table) => write("arrow", output, table),
};

/** The stream format. */
export const arrowStream: TableCodec = {
  read: (input, limits) => read("arrows", "an Arrow stream", input, limits),
  write: (output, table) => write("arrows", output, table),
};

async function read(
  format: TableFormatName,
  title: string,
  input: InputFile,
  limits: ReadLimits,
): Promise<TableInput> {
  const arrow = await loadArrow();
  const { name } = input;
  const bytes = await readWhole(input, limits);
  return readingFrom(name, title, async () => {
    requireEnd(name, title, format, bytes);
    if (format === "arrow") checkFile(bytes);
    else checkStream(bytes);
    await prepareCodecs(arrow, bytes);
    const reader = arrow.RecordBatchReader.from(bytes);
    reader.open();
    if (!reader.schema) throw new Error("it has no schema");
    const { schema } = reader;
    return {
      name,
      schema,
      style: { format },
      async *batches() {
        // A file's batches are read by its footer, a stream's one after the other.
        for (;;) {
          const { done, value } = await readingFrom(name, title, () => reader.next());
          if (done) break;
          if (value) yield value as RecordBatch;
        }
      },
    };
  });
}

/** A file that is cut short must not be taken for a shorter one. */
function requireEnd(name: string, title: string, format: TableFormatName, bytes: Uint8Array): void {
  const end = format === "arrow" ? bytes.subarray(-MAGIC.length) : bytes.subarray(-8);
  const isComplete =
    format === "arrow"
      ? bytes.length > 2 * PADDED_MAGIC && isFile(end)
      : end.length === 8 && end.every((byte, i) => byte === (i < 4 ? 0xff : 0));
  if (isComplete) return;
  throw new InputError(`${name} is cut short: it is ${title} without its end mark`, {
    hint: "write it anew, and close its writer",
  });
}

/** What `apache-arrow` cannot unpack by itself. The packages are loaded only if a file may need them. */
async function prepareCodecs(arrow: Arrow, bytes: Uint8Array): Promise<void> {
  const { compressionRegistry, CompressionType } = arrow;
  const codecs = [
    { type: CompressionType.LZ4_FRAME, magic: 0x184d2204, load: loadLz4 },
    { type: CompressionType.ZSTD, magic: 0xfd2fb528, load: loadZstd },
  ];
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
  for (const { type, magic, load } of codecs) {
    if (compressionRegistry.get(type)?.decode || !words.includes(magic)) continue;
    const unpack = await load();
    // The package reads numbers in place, so the bytes must begin at the beginning of a buffer.
    compressionRegistry.set(type, { decode: (packed) => new Uint8Array(unpack(packed)) });
  }
}

async function write(format: TableFormatName, output: OutputFile, table: TableShape): Promise<TableSink> {
  const arrow = await loadArrow();
  let at = 0;
  let waiting: Uint8Array[] = [];
  class Queue extends arrow.AsyncByteQueue {
    override write(bytes: never): void {
      waiting.push(bytes as Uint8Array);
    }
  }
  const writer = new (format === "arrow" ? arrow.RecordBatchFileWriter : arrow.RecordBatchStreamWriter)();
  const flush = async () => {
    const pieces = waiting;
    waiting = [];
    const bytes = Buffer.concat(pieces);
    if (bytes.length > 0) await output.write(bytes, at);
    at += bytes.length;
  };
  writer.reset(new Queue() as never, table.schema);
  return {
    batchRows: Math.min(table.like.groupRows ?? BATCH_ROWS, BATCH_ROWS),
    write: async (batch) => {
      writer.write(batch);
      await flush();
    },
    end: async () => {
      writer.close();
      await flush();
    },
  };
}
