import type { ItemSink, ItemSource, ItemStream } from "./item_stream.js";

/** The progress of a job that moves items. */
export interface ProgressState {
  /**
   * What the job is doing: "opening …", "measuring this machine once", "reading", "sorting on …", "writing
   * runs", "gathering runs", "writing" or "finishing the output".
   */
  readonly phase: string;
  /** Whether the phase moves bytes. One that moves none, such as a sort, reports nothing until its end. */
  readonly movesBytes: boolean;
  /** Bytes moved in this phase; 0 for a phase that moves none. */
  readonly phaseBytes: number;
  /** Bytes that this phase will move; undefined if it moves none, or if their number is not known. */
  readonly phaseTotalBytes: number | undefined;
  /** Bytes moved in all phases. */
  readonly doneBytes: number;
  /** Bytes that all phases will move; undefined if that is not known before the end. */
  readonly totalBytes: number | undefined;
  /**
   * About how many seconds are left until the last byte is moved; undefined if that is not known. It never
   * grows. A sort at once has no such estimate, because nothing is moved while the items are sorted.
   */
  readonly secondsLeft: number | undefined;
}

/**
 * Called when a phase begins, and after every piece that was moved, about a hundred times per gigabyte. It
 * must be fast. If it throws, the job fails.
 */
export type ProgressListener = (state: ProgressState) => void;

/** Bytes that each phase will move, by the phase's name; undefined if their number is not known. */
export type ExpectedBytes = Readonly<Record<string, number | undefined>>;

/** Names the phases of a job, counts the bytes that pass through them, and reports both to a listener. */
export class ProgressMeter {
  readonly #listener: ProgressListener;
  readonly #now: () => number;
  readonly #phases = new Map<string, number>();
  #expected: ExpectedBytes = {};
  #paced: readonly string[] = [];
  #begin = 0;
  #secondsLeft: number | undefined;

  /** @param now returns milliseconds of a monotonic clock. */
  constructor(listener: ProgressListener = () => {}, now = () => performance.now()) {
    this.#listener = listener;
    this.#now = now;
  }

  /**
   * Begins a job with the first of its phases, and counts from 0.
   *
   * @param phases the bytes that each phase of the job will move.
   * @param paced phases that share all the work of the job evenly, so that their bytes tell the time that is
   *   left. Use phases that write: those that read run ahead of the sort. Default: none, and no estimate.
   */
  expect(phases: ExpectedBytes, paced: readonly string[] = []): void {
    this.#phases.clear();
    this.#expected = phases;
    this.#paced = paced;
    this.#begin = this.#now();
    this.#secondsLeft = undefined;
    const [first] = Object.keys(phases);
    if (first !== undefined) this.#beginning(first); // else the phase before it would seem to go on
  }

  /** Says how many bytes a phase will move, where that is known only after the job began. */
  learn(phase: string, bytes: number | undefined): void {
    this.#expected = { ...this.#expected, [phase]: bytes };
  }

  /** Says that a phase begins. A phase that moves no bytes, such as a sort, is reported by this alone. */
  enter(phase: string): void {
    this.#report(phase, false);
  }

  /** Says how many bytes of a phase are done in all, where another library moves them. */
  reach(phase: string, bytes: number): void {
    this.#count(phase, Math.max(0, bytes - (this.#phases.get(phase) ?? 0)));
  }

  source(phase: string, { read }: ItemSource): ItemSource {
    return {
      read: (into, offset) => {
        this.#beginning(phase);
        return this.#moved(phase, into.length, read(into, offset));
      },
    };
  }

  sink(phase: string, sink: ItemSink): ItemSink {
    return {
      write: (from, offset) => {
        this.#beginning(phase);
        return this.#moved(phase, from.length, sink.write(from, offset));
      },
      end: () => sink.end(),
    };
  }

  stream(phase: string, { itemCount, next }: ItemStream, itemBytes: number): ItemStream {
    // One call may fill all of the memory. Reading it in pieces reports progress in between.
    const pieceBytes = Math.ceil((32 << 20) / itemBytes) * itemBytes;
    return {
      itemCount,
      next: async (into) => {
        this.#beginning(phase);
        let filled = 0;
        for (;;) {
          const piece = into.subarray(filled, filled + pieceBytes);
          const bytes = await next(piece);
          filled += bytes;
          this.#count(phase, bytes);
          if (bytes < piece.length || filled === into.length) return filled;
        }
      },
    };
  }

  /** Reports a phase before its first piece, which may be long in coming from a pipe. */
  #beginning(phase: string): void {
    if (!this.#phases.has(phase)) this.#count(phase, 0);
  }

  async #moved(phase: string, bytes: number, moving: Promise<void>): Promise<void> {
    await moving;
    this.#count(phase, bytes);
  }

  #count(phase: string, bytes: number): void {
    this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + bytes);
    this.#estimate();
    this.#report(phase, true);
  }

  #report(phase: string, movesBytes: boolean): void {
    this.#listener({
      phase,
      movesBytes,
      phaseBytes: this.#phases.get(phase) ?? 0,
      phaseTotalBytes: this.#expected[phase],
      doneBytes: sum([...this.#phases.values()]) ?? 0,
      totalBytes: sum(Object.values(this.#expected)),
      secondsLeft: this.#secondsLeft,
    });
  }

  #estimate(): void {
    const total = sum(this.#paced.map((phase) => this.#expected[phase]));
    const done = sum(this.#paced.map((phase) => this.#phases.get(phase) ?? 0));
    if (!total || !done) return;
    const seconds = ((this.#now() - this.#begin) / 1000) * Math.max(0, total / done - 1);
    this.#secondsLeft = Math.min(seconds, this.#secondsLeft ?? Number.POSITIVE_INFINITY);
  }
}

/** Undefined if there is nothing to add up, or if a summand is not known. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((total, value) =>
    total === undefined || value === undefined ? undefined : total + value,
  );
}
