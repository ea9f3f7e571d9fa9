import type { Data, RecordBatch, Schema } from "apache-arrow";
import type { InputFile } from "../files/input_file.js";
import type { OutputFile } from "../files/output_file.js";
import type { TaskRunner } from "./codec_tasks.js";
import type { TableFormatName } from "./format_name.js";

/** A file format for tables. To add one, add a file beside this one and a row in registry.ts. */
export interface TableFormat {
  /** As it is named in options. */
  readonly name: TableFormatName;
  /** As it is named in messages, with its article. */
  readonly title: string;
  /** The file name extensions of the format, without the dot. */
  readonly extensions: readonly string[];
  /** What the format calls a batch of rows. */
  readonly piece: "batch" | "row group";
  /** Whether a file of the format is read in any order. */
  readonly randomAccess: boolean;
  /** Whether a file with these first bytes, `HEAD_BYTES` if it is long enough, is of the format. */
  matches(head: Uint8Array): boolean;
  /** Loads the code that reads and writes the format. Few runs need it. */
  load(): Promise<TableCodec>;
}

/** Reads and writes a format. */
export interface TableCodec {
  /**
   * Opens an input. Batches are read one by one.
   *
   * @param input can be read in any order if the format is `randomAccess`.
   * @param tasks may do some of the work until the last batch was read.
   * @throws InputError if it is damaged, or holds what gpusort cannot carry; also while batches are read.
   */
  read(input: InputFile, limits: ReadLimits, tasks: TaskRunner): Promise<TableInput>;
  /**
   * Opens an output.
   *
   * @param tasks may do some of the work until the sink has ended.
   * @throws InputError if the format cannot hold such a table; also while it is written.
   */
  write(output: OutputFile, table: TableShape, tasks: TaskRunner): Promise<TableSink>;
}

/** What an input may take. */
export interface ReadLimits {
  /** Bytes of memory that the sort may take. */
  readonly budget: number;
  /**
   * @param part a batch, by its number from 1, the bytes of its data, its rows if they are known, and the
   *   bytes of memory that are taken while it is read; those of its data if left out.
   * @throws InputError if they, and what the sort adds to them, do not fit in memory.
   */
  require(part: {
    readonly batch: number;
    readonly bytes: number;
    readonly rows?: number;
    readonly reading?: number;
  }): void;
}

/** An input as batches of rows. */
export interface TableInput {
  readonly name: string;
  readonly schema: Schema;
  /** What an output of the same format gets from the input. */
  readonly style: TableStyle;
  /** Bytes of memory that are taken while a batch is read. @param bytes those of the batch. */
  readingBytes(bytes: number): number;
  batches(): AsyncIterable<NumberedBatch>;
}

/** Rows of a table, and the number of the batch or row group that they are of, from 1. */
export interface NumberedBatch {
  readonly batch: RecordBatch;
  readonly number: number;
}

/** How a file lays out its table. */
export interface TableStyle {
  readonly format: TableFormatName;
  /** Rows of the largest batch or row group, if they are known beforehand. */
  readonly groupRows?: number | undefined;
  /** What only the format itself understands. */
  readonly details?: unknown;
}

/** What is written. */
export interface TableShape {
  readonly schema: Schema;
  /** The style of the first input. */
  readonly like: TableStyle;
  /** About how many bytes the data of the rows have. */
  readonly bytes: number;
  /** The columns by which the rows are in order: their names, and how they are sorted. */
  readonly order: readonly {
    readonly place: number;
    readonly descending: boolean;
    readonly nullsFirst: boolean;
  }[];
}

/** Takes batches of rows in order. */
export interface TableSink {
  /** How many rows each batch has, but for the last. */
  readonly batchRows: number;
  /** How many times the bytes of a batch are in memory while it is written. */
  readonly copies: number;
  /**
   * Writes a batch. It may still be under way afterwards.
   *
   * @param columns are made one by one as they are asked for, so that not all need to be in memory.
   */
  write(columns: Iterable<Data>, rowCount: number): Promise<void>;
  /** Completes the file. The output is not published yet. */
  end(): Promise<void>;
  /** Waits for what is under way. Call it before the output is discarded, once no task is done any more. */
  stop(): Promise<void>;
}
