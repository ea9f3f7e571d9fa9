import { MAX_MEMORY_BYTES } from "../../core/cpu/memory.js";
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
 * Merges the runs of a sort, as `RowMerge` does, in the memory in which they were sorted. Of rows that are longer
 * than the memory has room for, each run has two in memory all the same.
 *
 * @throws VerifyError as `RowMerge.run`, or if the store does not hold what was written to it.
 */
export function mergeRuns(
  space: RowWorkspace,
  runs: readonly StoredRun[],
  store: ByteStore,
  { head, verify, ...options }: Pick<MergeOptions, "clock" | "head" | "verify" | "signal">,
  write: WriteText,
): Promise<MergedRows> {
  const rows = runs.reduce((sum, run) => sum + run.rows, 0);
  const hashes = sumOf(runs.map((run) => run.hashes));
  const inputs = runs.map((run) => new SortedInput(space, readerOf(store, run)));
  const rules: MergeOptions = {
    ...{ ...options, phase: "gather", header: false, head, verify, hashed: verify },
    mostBytes: MAX_MEMORY_BYTES,
    tallies: new KeyTallies(space.order.keys.length), // all rows were counted when they were sorted
    onMerged: (merged) => {
      const isAll = merged.written + merged.equal === rows;
      if (merged.written < head && !isAll) throw sortFault("rows were lost while they were merged");
      if (verify && isAll && merged.hashes !== hashes) throw sortFault("rows changed while they were merged");
    },
  };
  return new RowMerge(space, inputs, rules, write).run();
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
    ...(numbersReader && {
      readNumbers: async (into) => {
        await numbersReader.read(into);
      },
    }),
  };
}
