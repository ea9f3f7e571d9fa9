import type { ElementType, KeyOrder } from "../../elements.js";
import type { PhaseClock } from "../../streams/phase_clock.js";
import type { Ordering } from "../findings.js";
import type { KernelCall, KernelName } from "../kernels.js";
import { TABLES_BYTES, tablesAt } from "../memory.js";
import type { KernelRunner, RunOptions } from "../runner.js";
import type { ElementForm, Workspace } from "../workspace.js";

/** A sort in progress. */
export interface SortWork {
  readonly job: {
    readonly type: ElementType;
    readonly keyCount: number;
    readonly descending: boolean;
    readonly verify: boolean;
    readonly payloadBytes?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  };
  readonly form: ElementForm;
  readonly ordering: Ordering;
  readonly runner: KernelRunner;
  /** The threads that this sort uses. */
  readonly threads: number;
  readonly memory: WebAssembly.Memory;
  readonly at: Workspace;
  readonly clock: PhaseClock;
  /** Takes the first keys while others are sorted. Absent if nothing is taken before the result is checked. */
  readonly parts?: PartTaker | undefined;
}

/** Takes the first keys of a sort while others are sorted. */
export interface PartTaker {
  /** Says that the keys from this position on are at this address, and not behind those before them. */
  place(from: number, address: number): void;
  /** Says now and then how many of the first keys are sorted, and were checked to be in order. */
  sorted(count: number): void;
  /** Waits until the first `count` keys are taken. @throws VerifyError if they are not in order. */
  taken(count: number): Promise<void>;
}

/** A sort without what takes its steps. */
export type PlannedWork = Omit<SortWork, "runner" | "clock">;

/** The values of the argument `order` in assembly/order.ts. */
export const orderNumbers: Record<KeyOrder, number> = { unsigned: 0, signed: 1, float: 2 };

/** What all kernel calls have in common. */
interface CommonWork extends Pick<SortWork, "form" | "ordering" | "memory"> {
  readonly job: Pick<SortWork["job"], "type" | "descending">;
  readonly at: Pick<Workspace, "job" | "elements" | "keys" | "spread">;
}

/**
 * Writes what all kernel calls have in common: see assembly/job.ts.
 *
 * @param lowest the lowest bit in which elements differ.
 * @param buckets the address of a table of buckets; 0 if there is none.
 */
export function writeJob({ job, form, ordering, memory, at }: CommonWork, lowest: number, buckets = 0): void {
  const { begin, end } = ordering.bits;
  const bits = [begin, end, lowest, Number(form.pairs)];
  const places = [form.keyBytes, at.elements, at.keys];
  const { buffers = 0, bufferBytes = 0 } = at.spread ?? {};
  const ofThreads = [buffers, tablesAt(0), bufferBytes / TABLES_BYTES];
  const outcomes = [0, 0]; // of the kernels
  const words = [...bits, ...orderWords(job), ...places, ...ofThreads, ...outcomes, buckets];
  new Uint32Array(memory.buffer, at.job, words.length).set(words);
}

/** Where a whole sort says what came of it, in what calls have in common, in bytes. */
export const OUTCOME_AT = 52;

/** Where `orderWords` are in what calls have in common, in bytes. */
export const ORDER_AT = 16;

/** How keys are ordered, as words for the kernels. */
export function orderWords({ type, descending }: Pick<SortWork["job"], "type" | "descending">): number[] {
  return [orderNumbers[type.order], Number(descending)];
}

/** A contiguous part of a row of elements. */
export interface Piece {
  readonly from: number;
  readonly count: number;
}

/** Divides `count` elements into adjacent pieces of about the same length. */
export function piecesOf(count: number, pieces: number): Piece[] {
  const all: Piece[] = [];
  for (let i = 0; i < pieces; i++) {
    const from = Math.floor((count * i) / pieces);
    all.push({ from, count: Math.floor((count * (i + 1)) / pieces) - from });
  }
  return all;
}

/** Calls of a kernel, none of which needs another's result. */
export interface Step extends Pick<RunOptions, "isShort" | "ended"> {
  readonly phase: "convert" | "sort";
  readonly kernel: KernelName;
  readonly calls: readonly KernelCall[];
  /** What the calls must wait for. */
  readonly after?: Promise<void> | undefined;
}

/** The steps of a sort, one after the other, and then a result. */
export type Steps<T> = Generator<Step, T, undefined>;

/** Takes steps on the threads of the sort. */
export async function takeSteps<T>({ runner, threads, clock, job }: SortWork, steps: Steps<T>): Promise<T> {
  let phase: Step["phase"] | undefined;
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (value.phase !== phase) {
        if (phase) clock.end(phase);
        phase = value.phase;
        clock.begin(phase);
      }
      await value.after;
      const { kernel, calls, isShort, ended } = value;
      await runner.run(kernel, calls, threads, { signal: job.signal, isShort, ended });
    }
  } finally {
    if (phase) clock.end(phase);
  }
}
