import type { OutputFile } from "../files/output_file.js";
import { readArrow } from "./arrow_input.js";
import { batchOf } from "./batch.js";
import type { TableCodec, TableShape, TableSink } from "./format.js";
import type { TableFormatName } from "./format_name.js";
import { loadArrow } from "./packages.js";

/** Rows of a batch, if the input does not say how many: enough to make a batch's own cost small. */
const BATCH_ROWS = 1 << 16;

/** The file format, which has a footer that says where its batches are. */
export const arrowFile: TableCodec = {
  read: (input, limits) => readArrow("arrow", "an Arrow file", input, limits),
  write: (output, table) => write("arrow", output, table),
};

/** The stream format. */
export const arrowStream: TableCodec = {
  read: (input, limits) => readArrow("arrows", "an Arrow stream", input, limits),
  write: (output, table) => write("arrows", output, table),
};

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
    copies: 1,
    batchRows: Math.min(table.like.groupRows ?? BATCH_ROWS, BATCH_ROWS),
    write: async (columns, rowCount) => {
      writer.write(batchOf(arrow, table.schema, [...columns], rowCount));
      await flush();
    },
    end: async () => {
      writer.close();
      await flush();
    },
    stop: async () => {},
  };
}
