import type { ItemOrder, ItemView } from "../../core/items/order.js";

/** A sorted run, or a part of one. */
export interface SortedItems {
  readonly view: ItemView;
  readonly count: number;
}

/** Places in several runs, one for each. */
export type Places = Uint32Array;

/**
 * Finds where to cut sorted runs so that the first items of their stable merge, as many as a rank says, lie
 * left of the cuts, and all other items right of them. Equal items are ordered by their run, then by their
 * place in it. So each rank has exactly one cut per run, however many keys are equal.
 *
 * The method is that of P. J. Varman, S. D. Scheufler, B. R. Iyer, G. R. Ricard, "Merging multiple lists on
 * hierarchical-memory multiprocessors", 1991, with another pivot: the middle of what is left of a run, which is
 * chosen at random, a longer one more often. So half of the rounds, on average, leave out an eighth of the
 * items or more, whatever the runs hold, and a rank takes O(log(items)) rounds with a binary search per run.
 */
export class Multiselect {
  readonly #views: readonly ItemView[];
  readonly #order: ItemOrder;
  readonly #high: Places;
  readonly #before: Places;
  #random = 1;

  /** @param views the runs, in their order. */
  constructor(views: readonly ItemView[], order: ItemOrder) {
    this.#views = views;
    this.#order = order;
    this.#high = new Uint32Array(views.length);
    this.#before = new Uint32Array(views.length);
  }

  /**
   * Finds the cut between two places in each run. Runs that are not sorted have a cut there, too, but no
   * particular one.
   *
   * @param rank the number of items before the cut. Those before `least` count as well.
   * @param cut takes the places.
   */
  between(least: Places, most: Places, rank: number, cut: Places): void {
    const views = this.#views;
    const { compare } = this.#order;
    const [low, high, before] = [cut, this.#high, this.#before];
    low.set(least);
    high.set(most);
    let [below, above] = [sumOf(low), sumOf(high)];
    while (below < rank && rank < above) {
      const chosen = this.#choose(low, high, above - below);
      const pivot = (low[chosen]! + high[chosen]!) >>> 1;
      const view = views[chosen]!;
      // For each run, the number of its items before the pivot. In earlier runs, equal items count as well.
      let sum = 0;
      for (let i = 0; i < views.length; i++) {
        let [from, to] = i === chosen ? [pivot, pivot] : [low[i]!, high[i]!];
        const bound = i < chosen ? 1 : 0;
        const run = views[i]!;
        while (from < to) {
          const middle = (from + to) >>> 1;
          if (compare(run, middle, view, pivot) < bound) from = middle + 1;
          else to = middle;
        }
        before[i] = from;
        sum += from;
      }
      if (rank <= sum) {
        high.set(before);
        above = sum;
      } else {
        low.set(before);
        low[chosen] = pivot + 1;
        below = sum + 1;
      }
    }
    if (rank > below) cut.set(high);
  }

  /** @returns a run, each with the probability of one of the items that are left being in it. */
  #choose(low: Places, high: Places, left: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    let item = Math.floor((this.#random / 2 ** 32) * left);
    let run = 0;
    while (item >= high[run]! - low[run]!) {
      item -= high[run]! - low[run]!;
      run++;
    }
    return run;
  }
}

/**
 * Finds the cuts of sorted runs at many ranks, each between those of its neighbours that are found already.
 *
 * @param ranks in ascending order.
 * @returns for each rank, the number of items of each run left of its cut: ranks x runs.
 */
export function multiselect(
  runs: readonly SortedItems[],
  ranks: readonly number[],
  order: ItemOrder,
): Places {
  const width = runs.length;
  const cuts = new Uint32Array(ranks.length * width);
  const selection = new Multiselect(
    runs.map(({ view }) => view),
    order,
  );
  const select = (first: number, last: number, least: Places, most: Places): void => {
    if (first === last) return;
    const middle = (first + last) >>> 1;
    const cut = cuts.subarray(middle * width, (middle + 1) * width);
    selection.between(least, most, ranks[middle]!, cut);
    select(first, middle, least, cut);
    select(middle + 1, last, cut, most);
  };
  select(
    0,
    ranks.length,
    new Uint32Array(width),
    Uint32Array.from(runs, ({ count }) => count),
  );
  return cuts;
}

function sumOf(places: Places): number {
  let sum = 0;
  for (let i = 0; i < places.length; i++) sum += places[i]!;
  return sum;
}
