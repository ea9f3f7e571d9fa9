/**
 * The phases of a sort, by the names that every report uses. In an out-of-core sort, `spill` writes runs to
 * the disk and `gather` reads them back. In a sort of records, `extract` reads their keys and `move` puts the
 * records in order. On the CPU, `convert` turns keys into the form that is sorted, and back; it checks them
 * on the way. `copy` copies items within memory, between the steps of a sort that has several. `unique` drops
 * duplicates.
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
  | "unique"
  | "verify"
  | "readback"
  | "spill"
  | "gather"
  | "copy"
  | "write"
  | "publish";

/** What a phase of a sort took. */
export interface Phase {
  /** What was done: see `PhaseName`. */
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

/** A stretch of time, in milliseconds of `performance.now()`. */
export type Interval = readonly [beginMs: number, endMs: number];

/** @returns milliseconds in which at least one of the named phases was running. */
export function unionMs(phases: readonly Phase[], names: readonly PhaseName[]): number {
  const named = phases.filter(({ name }) => names.includes(name));
  return lengthOf(union(named.flatMap(({ intervals = [] }) => intervals)));
}

/** A phase that moved no bytes, by when it began and ended. */
export function timedPhase(name: PhaseName, beginMs: number, endMs: number): Phase {
  return { name, ms: endMs - beginMs, bytes: 0, intervals: [[beginMs, endMs]] };
}

/** A phase of a sort between buffers in memory: what it calls by one of these names only copies. */
export function asCopy(phase: Phase, names: readonly PhaseName[]): Phase {
  return names.includes(phase.name) ? { ...phase, name: "copy" } : phase;
}

/**
 * Combines the phases of several sorts, which may have run at the same time. The phases of one name become
 * one: its time is the union of their intervals, or the sum of their times if not all have intervals.
 */
export function combinePhases(phases: readonly Phase[]): Phase[] {
  const byName = new Map<PhaseName, Phase[]>();
  for (const phase of phases) byName.set(phase.name, [...(byName.get(phase.name) ?? []), phase]);
  return [...byName].map(([name, same]) => {
    const bytes = same.reduce((sum, phase) => sum + phase.bytes, 0);
    if (!same.every(({ intervals }) => intervals)) {
      return { name, ms: same.reduce((sum, { ms }) => sum + ms, 0), bytes };
    }
    const intervals = union(same.flatMap(({ intervals = [] }) => intervals));
    return { name, ms: lengthOf(intervals), bytes, intervals };
  });
}

/** Sorts intervals, and joins those that overlap. */
function union(intervals: readonly Interval[]): Interval[] {
  const joined: [number, number][] = [];
  for (const [begin, end] of [...intervals].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && begin <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([begin, end]);
  }
  return joined;
}

function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [begin, end]) => sum + end - begin, 0);
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

  /** @param bytes those that the work moves; a function where they are known only after it. */
  async time<T>(name: PhaseName, bytes: number | (() => number), work: () => Promise<T>): Promise<T> {
    this.begin(name);
    try {
      return await work();
    } finally {
      this.end(name, typeof bytes === "number" ? bytes : bytes());
    }
  }

  phases(): Phase[] {
    return [...this.#entries].map(([name, { bytes, intervals }]) => {
      return { name, ms: lengthOf(intervals), bytes, intervals };
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
