import type { KernelCall } from "../core/cpu/kernels.js";
import { QUOTE } from "../core/rows/reading.js";
import type { KernelOrder } from "./order/row_order.js";
import { type Report, runReporting } from "./report.js";
import type { RowWorkspace } from "./workspace.js";

/** The most bytes of a piece in which rows are counted. */
const PIECE_BYTES = 1 << 20;

/** The states of assembly/rows/find.ts between two bytes. */
const State = { outside: 0, quoted: 1, unquoted: 2 } as const;

/** A piece of a text, and what was found in it. Positions count from the begin of the workspace's text. */
interface Piece {
  readonly from: number;
  readonly end: number;
  /** The states before and after it. */
  readonly before: number;
  readonly after: number;
  /** Whether quotes are at unusual places, so that it must be looked at byte by byte. */
  readonly isOdd: boolean;
  /** Rows that end in it. */
  readonly rows: number;
  /** The first of them in which text follows a closing quote. */
  readonly misquoted: number | undefined;
}

/** Rows of a text, found piece by piece. The text begins with a row. `countRows` and `findRows` find them. */
export class RowScan {
  readonly #pieces: Piece[] = [];
  readonly #begin: number;
  #rows = 0;

  /** @param begin the position at which the text begins. */
  constructor(begin: number) {
    this.#begin = begin;
  }

  /** Whole rows so far. */
  get rows(): number {
    return this.#rows;
  }
  /** The position after the bytes that were counted, whole rows or not. */
  get end(): number {
    return this.#pieces.at(-1)?.end ?? this.#begin;
  }
  /** The state at the end. */
  get state(): number {
    return this.#pieces.at(-1)?.after ?? State.outside;
  }
  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** The first row in which text follows the closing quote of a field. */
  get misquoted(): number | undefined {
    let before = 0;
    for (const { rows, misquoted } of this.#pieces) {
      if (misquoted !== undefined) return before + misquoted;
      before += rows;
    }
    return undefined;
  }

  add(piece: Piece): void {
    this.#pieces.push(piece);
    this.#rows += piece.rows;
  }

  /** Leaves the last piece out, unless it is the only one. @returns whether it did. */
  dropLast(): boolean {
    if (this.#pieces.length < 2) return false;
    this.#rows -= this.#pieces.pop()!.rows;
    return true;
  }
}

/** A part of a text that has arrived: the next `bytes` of what was counted of it. */
export interface Arrival {
  readonly scan: RowScan;
  readonly bytes: number;
  /** The most bytes of a piece whose rows are counted by themselves. */
  readonly pieceBytes?: number;
}

/**
 * Counts the rows of what has arrived. Threads look at pieces for both cases: that one begins within quotes,
 * and that it does not. A piece with quotes at unusual places is looked at once more by itself, byte by byte.
 * The order for the kernels is written already.
 */
export async function countRows(
  space: RowWorkspace<KernelOrder>,
  arrivals: readonly Arrival[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { at, order } = space;
  const fresh = arrivals.flatMap(({ scan, bytes, pieceBytes = PIECE_BYTES }) => {
    const begin = scan.end;
    return Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, i) => {
      const from = begin + i * pieceBytes;
      return { scan, from, end: Math.min(begin + bytes, from + pieceBytes) };
    });
  });
  const reports = await runReporting(
    space,
    "count_rows",
    fresh.map(({ from, end }) => (report) => [at.text + from, at.text + end, report, at.order]),
    signal,
  );
  for (const [i, { scan, from, end }] of fresh.entries()) {
    const before = scan.state;
    const piece = { from, end, before, isOdd: false, misquoted: undefined };
    if (!order.quotes) {
      scan.add({ ...piece, after: State.outside, rows: reports[i]![0]! });
      continue;
    }
    const counted = countedFrom(before, reports[i]!);
    // The one case that cannot be seen in the bytes: a quote that is none, then one that seems to be the
    // second.
    const isHidden = before === State.unquoted && space.bytes(at.text + from - 1, 1)[0] === QUOTE;
    if (!counted.isOdd && !isHidden) {
      scan.add({ ...piece, ...counted });
      continue;
    }
    const call = (report: number) => [...walkOf(space, piece), 0, report, at.text, at.order];
    const [[rows, after, wrong]] = (await runReporting(space, "walk_rows", [call], signal)) as [Report];
    const misquoted = wrong! > 0 ? wrong! - 1 : undefined;
    scan.add({ ...piece, isOdd: true, rows: rows!, after: after!, misquoted });
  }
}

/** What `count_rows` found of a piece that begins in a state. */
function countedFrom(before: number, report: Report) {
  const [outside, inside, isTurned, oddOutside, oddInside] = report;
  const isQuoted = before === State.quoted;
  const after = isQuoted === (isTurned === 1) ? State.outside : State.quoted;
  return { rows: (isQuoted ? inside : outside)!, after, isOdd: (isQuoted ? oddInside : oddOutside) !== 0 };
}

function walkOf(
  { at }: RowWorkspace<KernelOrder>,
  { from, end, before }: Pick<Piece, "from" | "end" | "before">,
) {
  return [at.text + from, at.text + end, before];
}

/**
 * Stores the position after each row, as u32.
 *
 * @param parts rows that were counted, and the address where their positions go.
 */
export async function findRows(
  space: RowWorkspace<KernelOrder>,
  parts: readonly { readonly scan: RowScan; readonly to: number }[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { at, runner, threads } = space;
  const calls: KernelCall[] = [];
  const walks: ((report: number) => KernelCall)[] = [];
  for (const { scan, to } of parts) {
    let next = to;
    for (const piece of scan.pieces) {
      const own = next;
      next += 4 * piece.rows;
      if (piece.isOdd) walks.push((report) => [...walkOf(space, piece), own, report, at.text, at.order]);
      else {
        const isQuoted = Number(piece.before === State.quoted);
        calls.push([at.text + piece.from, at.text + piece.end, isQuoted, own, at.text, at.order]);
      }
    }
  }
  await runner.run("find_rows", calls, threads, { signal });
  await runReporting(space, "walk_rows", walks, signal);
}
