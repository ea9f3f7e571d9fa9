/** Items that one read takes from a run. */
export interface WindowRead {
  readonly run: number;
  /** The first of them, among the items of the run. */
  readonly place: number;
  /** Where they go, among the items that are read of the run. */
  readonly at: number;
  readonly count: number;
}

/**
 * The windows of runs in which cuts lie: for each cut, a range of each run. Cuts come in ascending order, so no
 * window begins or ends before that of an earlier cut. The windows of some cuts at a time lie in memory, those
 * of a run one after the other, where they overlap only once.
 */
export class CutWindows {
  readonly #runs: number;
  readonly #cuts: number;
  readonly #gap: number;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  /** Where in memory each window lies. */
  readonly #at: Uint32Array;
  #reads: WindowRead[] = [];
  #lengths: number[] = [];

  /**
   * @param gap the most items between two windows that are read with them.
   * @param range the window of a cut in a run: its first place, and the one after its last.
   */
  constructor(
    cuts: number,
    runs: number,
    gap: number,
    range: (cut: number, run: number) => readonly [number, number],
  ) {
    this.#runs = runs;
    this.#cuts = cuts;
    this.#gap = gap;
    this.#low = new Float64Array(cuts * runs);
    this.#high = new Float64Array(cuts * runs);
    this.#at = new Uint32Array(cuts * runs);
    for (let cut = 0, i = 0; cut < cuts; cut++) {
      for (let run = 0; run < runs; run++, i++) [this.#low[i], this.#high[i]] = range(cut, run);
    }
  }

  /** The reads of the cuts that are laid out. */
  get reads(): readonly WindowRead[] {
    return this.#reads;
  }

  /** For each run, the number of items that are read of it. */
  get lengths(): readonly number[] {
    return this.#lengths;
  }

  /**
   * Lays out the windows of as many cuts as take at most `mostItems`, but of at least one.
   *
   * @returns the number of the first cut after them.
   */
  layOut(first: number, mostItems: number): number {
    const runs = this.#runs;
    const open: { place: number; at: number; end: number }[] = [];
    this.#lengths = new Array(runs).fill(0);
    this.#reads = [];
    const close = (run: number) => {
      const { place, at, end } = open[run]!;
      if (end > place) this.#reads.push({ run, place, at, count: end - place });
    };
    let items = 0;
    let cut = first;
    for (; cut < this.#cuts; cut++) {
      items += this.#added(cut, open);
      if (cut > first && items > mostItems) break;
      for (let run = 0, i = cut * runs; run < runs; run++, i++) {
        const [low, high] = [this.#low[i]!, this.#high[i]!];
        let last = open[run];
        if (last === undefined || low - last.end > this.#gap) {
          if (last) close(run);
          last = { place: low, at: this.#lengths[run]!, end: low };
          open[run] = last;
        }
        this.#at[i] = last.at + (low - last.place);
        this.#lengths[run]! += Math.max(0, high - last.end);
        last.end = Math.max(last.end, high);
      }
    }
    for (let run = 0; run < runs; run++) close(run);
    return cut;
  }

  /** The number of items that the windows of a cut add to those that are laid out. */
  #added(cut: number, open: readonly { readonly end: number }[]): number {
    let items = 0;
    for (let run = 0, i = cut * this.#runs; run < this.#runs; run++, i++) {
      const end = open[run]?.end ?? Number.NEGATIVE_INFINITY;
      const from = this.#low[i]! - end > this.#gap ? this.#low[i]! : end;
      items += Math.max(0, this.#high[i]! - from);
    }
    return items;
  }

  /**
   * The windows of a cut that is laid out, as places in memory.
   *
   * @returns `skipped`, which is to be taken from the rank of a cut among all items to have its rank in memory.
   */
  of(cut: number): { least: Uint32Array; most: Uint32Array; skipped: number } {
    const [from, to] = [cut * this.#runs, (cut + 1) * this.#runs];
    const least = this.#at.subarray(from, to);
    const most = least.map((at, run) => at + (this.#high[from + run]! - this.#low[from + run]!));
    let skipped = 0;
    for (let run = 0; run < least.length; run++) skipped += this.#low[from + run]! - least[run]!;
    return { least, most, skipped };
  }

  /** Where in the runs places in memory are, which lie in the windows of a cut. */
  placesOf(cut: number, places: Uint32Array): number[] {
    const from = cut * this.#runs;
    return Array.from(places, (at, run) => this.#low[from + run]! + at - this.#at[from + run]!);
  }
}
