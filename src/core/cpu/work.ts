import type { ElementType, KeyOrder } from "../elements.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import type { Ordering } from "./findings.js";
import type { KernelRunner } from "./runner.js";
import type { ElementForm, Workspace } from "./workspace.js";

/** A sort in progress. */
export interface SortWork {
  readonly job: {
    readonly type: ElementType;
    readonly keyCount: number;
    readonly descending: boolean;
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
}

/** The values of the argument `order` in assembly/order.ts. */
const orderNumbers: Record<KeyOrder, number> = { unsigned: 0, signed: 1, float: 2 };

/**
 * Writes what all kernel calls have in common: see assembly/job.ts.
 *
 * @param lowest the lowest bit in which elements differ.
 */
export function writeJob({ job, form, ordering, memory, at }: SortWork, lowest: number): void {
  new Uint32Array(memory.buffer, at.job).set([
    ordering.bits.begin,
    ordering.bits.end,
    lowest,
    Number(form.pairs),
    orderNumbers[job.type.order],
    Number(job.descending),
    form.keyBytes,
    at.elements,
    at.keys,
  ]);
}

/** A contiguous part of a row of elements. */
export interface Piece {
  readonly from: number;
  readonly count: number;
}

/** Divides `count` elements into adjacent pieces of about the same length. */
export function piecesOf(count: number, pieces: number): Piece[] {
  return Array.from({ length: pieces }, (_, i) => {
    const from = Math.floor((count * i) / pieces);
    return { from, count: Math.floor((count * (i + 1)) / pieces) - from };
  });
}
