import { loadParquetWasm, type ParquetWasm } from "./packages.js";

/** The names of the compression codecs, as the package has them. */
export type CodecName = "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "LZO" | "BROTLI" | "LZ4_RAW" | "ZSTD";

/** How pages are packed. */
export interface Packing {
  readonly usual: CodecName;
  /** Leaf columns that have another codec, by their paths. */
  readonly others: readonly (readonly [path: string, codec: CodecName])[];
  /** A row group has at most so many rows. */
  readonly groupRows: number;
}

/** Work of `parquet-wasm` that needs nothing but bytes. */
export type ParquetTask =
  | {
      readonly codec: "parquet";
      readonly work: "unpack";
      /** A whole file. */
      readonly file: Uint8Array;
      readonly rowCount: number;
      /** The first row, if not all rows of the file are wanted. */
      readonly from?: number;
    }
  | {
      readonly codec: "parquet";
      readonly work: "pack";
      /** An Arrow stream. */
      readonly stream: Uint8Array;
      readonly packing: Packing;
    };

/**
 * Loads what turns a file into an Arrow stream, and a stream into a file. It throws any error if they are
 * damaged, or of a type that the package does not have.
 *
 * @throws InputError if the package is not installed.
 */
export async function loadParquetTasks(): Promise<(task: ParquetTask) => Uint8Array> {
  const parquet = await loadParquetWasm();
  return (task) => {
    if (task.work === "unpack") {
      const { file, from, rowCount } = task;
      const some = from === undefined ? {} : { offset: from, limit: rowCount };
      return parquet.readParquet(file, { batchSize: Math.max(1, rowCount), ...some }).intoIPCStream();
    }
    const settings = settingsOf(parquet, task.packing);
    return parquet.writeParquet(parquet.Table.fromIPCStream(task.stream), settings);
  };
}

function settingsOf(
  { Compression, WriterPropertiesBuilder }: ParquetWasm,
  { usual, others, groupRows }: Packing,
) {
  const start = new WriterPropertiesBuilder()
    .setCompression(Compression[usual])
    .setMaxRowGroupSize(groupRows);
  return others
    .reduce((builder, [path, codec]) => builder.setColumnCompression(path, Compression[codec]), start)
    .build();
}
