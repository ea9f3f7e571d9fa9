/**
 * The parts of a sort's time, by the names that every report uses. Out of core, `spill` writes runs to the disk and
 * `gather` reads them back; of records, `extract` takes their keys and `move` puts them where those belong.
 */
export type PhaseName =
  | "start"
  | "prepare"
  | "read"
  | "upload"
  | "extract"
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
  /** Milliseconds in which at least one piece of this phase was under way. */
  readonly ms: number;
  /** Bytes moved, where the phase moves any. */
  readonly bytes: number;
  /** When it was under way, in milliseconds of `performance.now()`, in order and without overlaps, if that is known. */
  readonly intervals?: readonly Interval[];
}

export type Interval = readonly [beginMs: number, endMs: number];

/** Milliseconds in which any of the named phases was under way. */
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
 * A stopwatch for phases that overlap with each other and with themselves: a phase's time is the union of the
 * intervals in which any of its pieces ran, so that bytes over time is the rate at which it really went.
 */
export class PhaseClock {
  readonly #now: () => number;
  readonly #entries = new Map<PhaseName, Entry>();

  /** @param now milliseconds on any steady clock. */
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
