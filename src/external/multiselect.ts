import type { ItemOrder, ItemView } from "../core/items/order.js";

/** A sorted run, or a part of one. */
export interface SortedItems {
  readonly view: ItemView;
  readonly count: number;
}

/**
 * Finds where to cut sorted runs so that the first `rank` items of their stable merge lie left of the cuts,
 * and all other items right of them. Equal items are ordered by their run, then by their place in it. So each
 * rank has exactly one cut per run, however many keys are equal.
 *
 * The method is that of P. J. Varman, S. D. Scheufler, B. R. Iyer, G. R. Ricard, "Merging multiple lists on
 * hierarchical-memory multiprocessors", 1991. It takes at most about runs * log(items) rounds, each with one
 * binary search per run.
 *
 * @returns for each run, the number of its items left of its cut.
 */
export function multiselect(runs: readonly SortedItems[], rank: number, { compare }: ItemOrder): number[] {
  const low = runs.map(() => 0);
  const high = runs.map(({ count }) => count);
  for (;;) {
    const widest = widestOf(low, high);
    if (low[widest]! === high[widest]!) return low;
    const pivot = (low[widest]! + high[widest]!) >>> 1;
    const { view } = runs[widest]!;
    // For each run, the number of its items before the pivot. In earlier runs, equal items count as well.
    const before = runs.map((run, i) => {
      if (i === widest) return pivot;
      const bound = i < widest ? 1 : 0;
      let [from, to] = [low[i]!, high[i]!];
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (compare(run.view, middle, view, pivot) < bound) from = middle + 1;
        else to = middle;
      }
      return from;
    });
    if (rank <= before.reduce((sum, count) => sum + count, 0)) {
      for (let i = 0; i < runs.length; i++) high[i] = before[i]!;
    } else {
      for (let i = 0; i < runs.length; i++) low[i] = before[i]!;
      low[widest] = pivot + 1;
    }
  }
}

function widestOf(low: readonly number[], high: readonly number[]): number {
  let widest = 0;
  for (let i = 1; i < low.length; i++) {
    if (high[i]! - low[i]! > high[widest]! - low[widest]!) widest = i;
  }
  return widest;
}
