import type { ItemOrder, ItemView } from "../keys/order.js";

/** A sorted run, or a part of one. */
export interface SortedItems {
  readonly view: ItemView;
  readonly count: number;
}

/**
 * Where to cut sorted runs so that the first `rank` items of their merge lie left of the cuts, and the others right.
 * Equal items are told apart by run and place, so a rank has one cut only, however many keys are equal, and the merge
 * is a stable one.
 *
 * P. J. Varman, S. D. Scheufler, B. R. Iyer, G. R. Ricard, "Merging multiple lists on hierarchical-memory
 * multiprocessors", 1991. About runs * log(items) rounds at most, each of as many binary searches as there are runs.
 *
 * @returns of every run, how many of its items are left of its cut.
 */
export function multiselect(runs: readonly SortedItems[], rank: number, { compare }: ItemOrder): number[] {
  const low = runs.map(() => 0);
  const high = runs.map(({ count }) => count);
  for (;;) {
    const widest = widestOf(low, high);
    if (low[widest]! === high[widest]!) return low;
    const pivot = (low[widest]! + high[widest]!) >>> 1;
    const { view } = runs[widest]!;
    // Of each run, how many of its items go before the pivot; of equal items those of earlier runs do.
    const before = runs.map((run, i) => {
      if (i === widest) return pivot;
      const goes = i < widest ? 1 : 0;
      let [from, to] = [low[i]!, high[i]!];
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (compare(run.view, middle, view, pivot) < goes) from = middle + 1;
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
