/**
 * How long a sort is likely to take on each device: an H200 and a server's cores were measured, not this
 * machine. Sorts in memory that were measured on both devices of a machine, and kept, misled: they took memory
 * that had been used before, and no files.
 */
export interface Estimate {
  /** The sort on the CPU. */
  readonly cpuSeconds: number;
  /** The sum of opening a GPU and the sort itself. */
  readonly gpuSeconds: number;
}

/** A core of a server sorts a byte of keys in 2 to 4 ns, and finds memory for it; see BENCHMARKS.md. */
const CPU_SECONDS_PER_BYTE = 4.1e-9;

/** Threads share the memory: 16 of them sort five times as fast as one. With more, none were measured. */
const THREADS_EXPONENT = 0.6;
const MOST_MEASURED_THREADS = 16;

/**
 * To load Dawn, to open a device and to compile kernels. An H200 takes 0.3 s, with its first kernels 0.5 s.
 */
const GPU_OPEN_SECONDS = 0.33;

/** The way to a GPU and back, which takes longer than the sort. */
const GPU_SECONDS_PER_BYTE = 0.3e-9;

/** @param bytes bytes of all keys. */
export function estimate(bytes: number, threads: number): Estimate {
  return {
    cpuSeconds: bytes * cpuSecondsPerByte(threads),
    gpuSeconds: GPU_OPEN_SECONDS + bytes * GPU_SECONDS_PER_BYTE,
  };
}

/** The bytes of keys from which the estimate is less for a GPU. */
export function gpuFromBytes(threads: number): number {
  return GPU_OPEN_SECONDS / (cpuSecondsPerByte(threads) - GPU_SECONDS_PER_BYTE);
}

function cpuSecondsPerByte(threads: number): number {
  return CPU_SECONDS_PER_BYTE / Math.min(threads, MOST_MEASURED_THREADS) ** THREADS_EXPONENT;
}

/** Rows of text: lines, or CSV, whose fields may be in quotes. */
export type RowKind = "lines" | "csv";

/** Rows of text to be sorted. */
export interface RowsToSort {
  /** Bytes of the text. */
  readonly bytes: number;
  /** Bytes of a row, on average. */
  readonly rowBytes: number;
  readonly kind: RowKind;
  /** How many keys have to be found in a row; 0 if rows are compared from their first byte on. */
  readonly keys: number;
}

/**
 * Seconds of one core: for a byte, which is read, checked, moved and written; for a row, which is found and
 * moved; and for each of its keys, which is found, read and sorted. A line that is itself the key is not taken
 * apart. They fit what was measured: see the sorts of lines in BENCHMARKS.md.
 */
const ROWS_CPU_SECONDS = { byte: 3.6e-9, row: 56e-9, key: { lines: 120e-9, csv: 160e-9 } };

/** What threads do not shorten: the start of Node and of the threads, and the end of the process. */
const ROWS_CPU_FIXED_SECONDS = 0.35;

/** Threads share the memory: 16 of them go over rows eight times as fast as one. */
const ROW_THREADS_EXPONENT = 0.75;

/** Seconds with a GPU: for Node, Dawn, the device and its end; for a byte, there and into a file; for a row. */
const ROWS_GPU_SECONDS = { fixed: 0.62, byte: 0.33e-9, row: 2e-9 };

/** How long the whole process takes that sorts rows of text, from a file in memory to a file in memory. */
export function estimateRows({ bytes, rowBytes, kind, keys }: RowsToSort, threads: number): Estimate {
  const rows = bytes / rowBytes;
  const { byte, row, key } = ROWS_CPU_SECONDS;
  const cpuWork = bytes * byte + rows * (row + keys * key[kind]);
  return {
    cpuSeconds: ROWS_CPU_FIXED_SECONDS + cpuWork / threads ** ROW_THREADS_EXPONENT,
    gpuSeconds: ROWS_GPU_SECONDS.fixed + bytes * ROWS_GPU_SECONDS.byte + rows * ROWS_GPU_SECONDS.row,
  };
}
