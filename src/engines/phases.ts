/**
 * The parts of a sort's time, by the names that every report uses. Out of core, `spill` writes runs to the disk and
 * `gather` reads them back; of records, `extract` takes their keys and `move` puts them where those belong.
 */
export type PhaseName =
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
  | "write";

export interface Phase {
  readonly name: PhaseName;
  /** Milliseconds in which at least one piece of this phase was under way. */
  readonly ms: number;
  /** Bytes moved, where the phase moves any. */
  readonly bytes: number;
}

/**
 * A stopwatch for phases that overlap with each other and with themselves: a phase's time is the union of the
 * intervals in which any of its pieces ran, so that bytes over time is the rate at which it really went.
 */
export class PhaseClock {
  readonly #now: () => number;
  readonly #entries = new Map<PhaseName, { running: number; since: number; ms: number; bytes: number }>();

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
    if (--entry.running === 0) entry.ms += this.#now() - entry.since;
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
    return [...this.#entries].map(([name, { ms, bytes }]) => ({ name, ms, bytes }));
  }

  #entry(name: PhaseName) {
    let entry = this.#entries.get(name);
    if (!entry) {
      entry = { running: 0, since: 0, ms: 0, bytes: 0 };
      this.#entries.set(name, entry);
    }
    return entry;
  }
}
