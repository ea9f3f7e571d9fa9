/** How long a machine that was not measured may take, from keys in memory to keys in memory. */
export interface Estimate {
  /** The sort on the CPU. */
  readonly cpuSeconds: number;
  /** The sum of opening a GPU and the sort itself. */
  readonly gpuSeconds: number;
}

/** A core of a server sorts a byte of keys in 2 to 4 ns, and finds memory for it; see BENCHMARKS.md. */
const CPU_SECONDS_PER_BYTE = 5e-9;

/** Threads share the memory: 16 of them sort five times as fast as one. */
const THREADS_EXPONENT = 0.6;

/**
 * To load Dawn, to open a device and to compile kernels. An H200 takes 0.3 s, with its first kernels 0.5 s.
 */
const GPU_OPEN_SECONDS = 0.33;

/** The way to a GPU and back, which takes longer than the sort. */
const GPU_SECONDS_PER_BYTE = 0.3e-9;

/** @param bytes bytes of all keys. */
export function estimate(bytes: number, threads: number): Estimate {
  return {
    cpuSeconds: bytes * CPU_SECONDS_PER_BYTE * slowdown(threads, 1),
    gpuSeconds: GPU_OPEN_SECONDS + bytes * GPU_SECONDS_PER_BYTE,
  };
}

/**
 * What a byte and a row take one core, and what a byte takes to a GPU and into the output file; see
 * BENCHMARKS.md. Both leave out what a process costs in any case, some 0.3 s. 20 million lines, 757 MB, took 16
 * threads 0.8 to 1.4 s in all, and 20 million rows of CSV, 727 MB, 1.9 to 2.5 s, an H200 1.3 s. A GPU takes nearly
 * as long for few rows as for many.
 */
const ROW_SECONDS = {
  lines: { cpuByte: 2.6e-9, cpuRow: 240e-9, gpuByte: 0.5e-9 },
  csv: { cpuByte: 4e-9, cpuRow: 360e-9, gpuByte: 1.2e-9 },
} as const;

/** Rows of text: lines, or CSV, whose fields may be in quotes. */
export type RowKind = keyof typeof ROW_SECONDS;

/** To open a device, and to compile the kernels for rows. */
const GPU_ROWS_OPEN_SECONDS = 0.45;

/**
 * For rows of text, from a file to a file.
 *
 * @param bytes bytes of the text.
 * @param rowBytes bytes of a row, on average.
 */
export function estimateRows(bytes: number, rowBytes: number, kind: RowKind, threads: number): Estimate {
  const { cpuByte, cpuRow, gpuByte } = ROW_SECONDS[kind];
  return {
    cpuSeconds: (bytes * cpuByte + (bytes / rowBytes) * cpuRow) * slowdown(threads, 1),
    gpuSeconds: GPU_ROWS_OPEN_SECONDS + bytes * gpuByte,
  };
}

/** How many times as long the CPU takes with so many threads as with `other` threads. */
export function slowdown(threads: number, other: number): number {
  return (other / threads) ** THREADS_EXPONENT;
}
