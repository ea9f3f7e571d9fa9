import type { Share } from "./plan.js";

/** An input of a job, as far as its division into runs depends on it. */
export interface Divided {
  readonly bytes: number;
  /** Undefined if it can only be read from its start to its end; then one run reads all of it. */
  readonly itemCount: number | undefined;
}

/** A run opens all its inputs at once, and systems limit open files, some to 1024. */
const MOST_FILES = 500;

/**
 * Divides inputs into runs that each hold at most `runItems` items, in the order of the inputs. If the inputs
 * can be read in any order, all runs but the last have as many items, unless the inputs are many small files.
 *
 * @param runBytes the most bytes of inputs that are read from start to end by one run, unless one is longer.
 * @returns what each run sorts; at least one run.
 */
export function divide(inputs: readonly Divided[], runItems: number, runBytes: number): Share[][] {
  const counts = inputs.flatMap(({ itemCount }) => itemCount ?? []);
  return counts.length === inputs.length ? byItems(counts, runItems) : byFiles(inputs, runBytes);
}

function byItems(counts: readonly number[], runItems: number): Share[][] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const runs = Math.max(1, Math.ceil(total / runItems));
  const mostItems = Math.ceil(total / runs);
  const shares: Share[][] = [[]];
  let filled = 0;
  for (const [input, count] of counts.entries()) {
    let first = 0;
    // An empty input belongs to a run too, which finds out whether it is still empty.
    do {
      if ((filled === mostItems && count > 0) || shares.at(-1)!.length === MOST_FILES) {
        shares.push([]);
        filled = 0;
      }
      const taken = Math.min(count - first, mostItems - filled);
      shares.at(-1)!.push([input, first, taken]);
      first += taken;
      filled += taken;
    } while (first < count);
  }
  return shares;
}

function byFiles(inputs: readonly Divided[], runBytes: number): Share[][] {
  const shares: Share[][] = [];
  let filled = Number.POSITIVE_INFINITY;
  for (const [input, { bytes }] of inputs.entries()) {
    if (filled + bytes > runBytes || shares.at(-1)!.length === MOST_FILES) {
      shares.push([]);
      filled = 0;
    }
    shares.at(-1)!.push([input]);
    filled += bytes;
  }
  return shares;
}
