/**
 * The phases of a sort, by the names that every report uses. In an out-of-core sort, `spill` writes runs to
 * the disk and `gather` reads them back. In a sort of records, `extract` reads their keys and `move` puts the
 * records in order. On the CPU, `convert` turns keys into the form that is sorted, and back; it checks them on
 * the way.
 */
export type PhaseName =
  | "start"
  | "prepare"
  | "read"
  | "upload"
  | "extract"
  | "convert"
  | "sort"
  | "move"
  | "verify"
  | "readback"
  | "spill"
  | "gather"
  | "write"
  | "publish";

export interface Phase {
  readonly name: PhaseName;
  /** Milliseconds in which at least one piece of this phase was running. */
  readonly ms: number;
  /** Bytes moved; 0 for a phase that moves none. */
  readonly bytes: number;
  /**
   * When the phase was running, in milliseconds of `performance.now()`, in order and without overlaps; absent
   * if that is not known.
   */
  readonly intervals?: readonly Interval[];
}

export type Interval = readonly [beginMs: number, endMs: number];

/** @returns milliseconds in which at least one of the named phases was running. */
export function unionMs(phases: readonly Phase[], names: readonly PhaseName[]): number {
  const intervals = phases
    .filter(({ name }) => names.includes(name))
    .flatMap(({ intervals = [] }) => intervals);
  let [total, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const [begin, end] of [...intervals].sort(([a], [b]) => a - b)) {
    total += Math.max(0, end - Math.max(begin, reached));
    reached = Math.max(reached, end);
  }
  return total;
}

interface Entry {
  running: number;
  since: number;
  bytes: number;
  readonly intervals: Interval[];
}

/**
 * A stopwatch for phases that overlap. The pieces of one phase may overlap too. The time of a phase is the
 * union of the intervals in which its pieces ran, so that its bytes divided by its time give the actual rate.
 */
export class PhaseClock {
  readonly #now: () => number;
  readonly #entries = new Map<PhaseName, Entry>();

  /** @param now returns milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  begin(name: PhaseName): void {
    const entry = this.#entry(name);
    if (entry.running++ === 0) entry.since = this.#now();
  }

  end(name: PhaseName, bytes = 0): void {
    const entry = this.#entry(name);
    entry.bytes += bytes;
    if (--entry.running === 0) entry.intervals.push([entry.since, this.#now()]);
  }

  async time<T>(name: PhaseName, bytes: number, work: () => Promise<T>): Promise<T> {
    this.begin(name);
    try {
      return await work();
    } finally {
      this.end(name, bytes);
    }
  }

  phases(): Phase[] {
    return [...this.#entries].map(([name, { bytes, intervals }]) => {
      const ms = intervals.reduce((sum, [begin, end]) => sum + end - begin, 0);
      return { name, ms, bytes, intervals };
    });
  }

  #entry(name: PhaseName): Entry {
    let entry = this.#entries.get(name);
    if (!entry) {
      entry = { running: 0, since: 0, bytes: 0, intervals: [] };
      this.#entries.set(name, entry);
    }
    return entry;
  }
}
