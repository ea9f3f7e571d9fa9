import { MAX_MEMORY_BYTES } from "../../core/cpu/memory.js";
import { InputError } from "../../core/errors.js";
import type { ByteStore } from "../../core/streams/byte_stream.js";
import type { WriteText } from "../double_buffer.js";
import { sortFault } from "../errors.js";
import { KeyTallies } from "../order/tally.js";
import { sumOf } from "../report.js";
import { BlockReader, type StoredBytes } from "../stored_bytes.js";
import type { RowWorkspace } from "../workspace.js";
import { type MergedRows, type MergeOptions, RowMerge } from "./merge_rows.js";
import { SortedInput, type SortedInputReader } from "./sorted_input.js";

/** A sorted part of the input in a store. */
export interface StoredRun {
  readonly rows: number;
  readonly text: StoredBytes;
  /** The numbers of its rows in the input, as u32; undefined unless they are written instead of the rows. */
  readonly numbers: StoredBytes | undefined;
  /** The sum of the hashes of its rows, modulo 2^64. */
  readonly hashes: bigint;
}

/**
 * Merges the runs of a sort, as `RowMerge` does, in the memory in which they were sorted. If rows are too
 * long for the regions, these grow until each run has two rows in memory, even beyond the memory of the sort.
 *
 * @throws VerifyError as `RowMerge.run`, or if the store does not hold what was written to it.
 * @throws InputError if the longest rows of all runs do not fit in the memory together.
 */
export function mergeRuns(
  space: RowWorkspace,
  runs: readonly StoredRun[],
  store: ByteStore,
  { clock, head, verify, signal }: Pick<MergeOptions, "clock" | "head" | "verify" | "signal">,
  write: WriteText,
): Promise<MergedRows> {
  const rows = runs.reduce((sum, run) => sum + run.rows, 0);
  const hashes = sumOf(runs.map((run) => run.hashes));
  const inputs = runs.map((run) => new SortedInput(space, readerOf(store, run)));
  const options: MergeOptions = {
    clock,
    phase: "gather",
    header: false,
    head,
    verify,
    hashed: verify,
    mostBytes: MAX_MEMORY_BYTES,
    tallies: new KeyTallies(space.order.keys.length), // all rows were counted when they were sorted
    signal,
    tooLong: () => rowsTooLong(runs.length),
    onMerged: ({ written, equal, hashes: merged }) => {
      const isComplete = inputs.every(({ ended, total }, i) => !ended || total.rows === runs[i]!.rows);
      const isAll = written + equal === rows;
      if (!isComplete || (written < head && !isAll)) throw lostRows();
      if (verify && isAll && merged !== hashes) throw sortFault("rows changed while they were merged");
    },
  };
  return new RowMerge(space, inputs, options, write).run();
}

const lostRows = () => sortFault("rows were lost while they were merged");

function rowsTooLong(runs: number): InputError {
  return new InputError(
    `the longest rows of the ${runs} parts that were sorted do not fit in memory together`,
    {
      hint: "allow more memory, so that there are fewer parts",
      options: ["memoryBytes"],
    },
  );
}

/** Reads a run. */
function readerOf(store: ByteStore, { text, numbers }: StoredRun): SortedInputReader {
  const reader = new BlockReader(store, text);
  const numbersReader = numbers && new BlockReader(store, numbers);
  return {
    header: new Uint8Array(0),
    starts: [{ name: "a temporary file", position: 0, firstLine: 1 }],
    byteLength: text.byteLength,
    get bytesRead() {
      return reader.bytesRead;
    },
    read: (into) => reader.read(into),
    misquoted: lostRows,
    ...(numbersReader && {
      readNumbers: async (into) => {
        if ((await numbersReader.read(into)) < into.length) throw lostRows();
      },
    }),
  };
}
