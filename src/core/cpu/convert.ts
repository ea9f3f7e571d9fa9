import type { ElementType, KeyOrder } from "../elements.js";
import type { ItemSource } from "../streams/item_stream.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import { FINDINGS_BYTES, type Findings, type Ordering, readFindings } from "./findings.js";
import type { KernelCall, KernelName } from "./kernels.js";
import type { KernelRunner } from "./runner.js";
import { type ElementForm, WINDOW_KEYS, type Workspace } from "./workspace.js";

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

/** Reads the keys and turns them into elements. The next window is read while one is converted. */
export async function readElements(work: SortWork, source: ItemSource): Promise<Findings> {
  const { job, form, ordering, memory, at, clock } = work;
  const { keyBytes } = form;
  const read = async (window: Piece | undefined) => {
    if (!window) return;
    const bytes = window.count * keyBytes;
    const into = new Uint8Array(memory.buffer as ArrayBuffer, at.keys + window.from * keyBytes, bytes);
    await clock.time("read", bytes, () => source.read(into, window.from * keyBytes));
  };
  const windows = piecesOf(job.keyCount, Math.ceil(job.keyCount / WINDOW_KEYS));
  const { begin, end } = ordering.bits;
  let reading = read(windows[0]);
  let row = 0;
  clearFindings(work, at.findings[0], windows.length * work.threads);
  for (const [i, window] of windows.entries()) {
    await reading;
    reading = read(windows[i + 1]);
    reading.catch(() => {}); // it is awaited in the next turn
    const calls = piecesOf(window.count, work.threads).map(({ from, count }): KernelCall => {
      const first = window.from + from;
      const keys = at.keys + first * keyBytes;
      const elements = at.elements + first * form.bytes;
      const found = at.findings[0] + row++ * FINDINGS_BYTES;
      return [
        keys,
        elements,
        count,
        orderNumbers[job.type.order],
        Number(job.descending),
        first,
        begin,
        end,
        found,
      ];
    });
    await run(work, `encode_${keyBytes}_${form.bytes}` as KernelName, calls);
  }
  return readFindings(memory, at.findings[0], row, ordering);
}

/** Turns elements back into keys, in the place of those that were read. */
export function decodeKeys(work: SortWork): Promise<Findings> {
  const { job, form, at, ordering } = work;
  const { begin, end } = ordering.bits;
  return inspected(work, `decode_${form.keyBytes}_${form.bytes}` as KernelName, (first, count, found) => {
    const elements = at.elements + first * form.bytes;
    const keys = at.keys + first * form.keyBytes;
    return [elements, keys, count, orderNumbers[job.type.order], Number(job.descending), begin, end, found];
  });
}

/** Takes the indices out of pairs, and puts them into the scratch. */
export function extractIndices(work: SortWork): Promise<Findings> {
  const { form, at, ordering } = work;
  const { begin, end } = ordering.bits;
  return inspected(work, `extract_${form.bytes}` as KernelName, (first, count, found) => [
    at.elements + first * form.bytes,
    at.scratch + 4 * first,
    count,
    begin,
    end,
    found,
  ]);
}

/** Runs a kernel over all elements, piece by piece, and combines what it finds. */
async function inspected(
  work: SortWork,
  kernel: KernelName,
  call: (first: number, count: number, found: number) => KernelCall,
): Promise<Findings> {
  const { job, memory, at, ordering } = work;
  const pieces = piecesOf(job.keyCount, Math.ceil(job.keyCount / WINDOW_KEYS) * work.threads);
  clearFindings(work, at.findings[1], pieces.length);
  const calls = pieces.map(({ from, count }, i) => call(from, count, at.findings[1] + i * FINDINGS_BYTES));
  await run(work, kernel, calls);
  return readFindings(memory, at.findings[1], pieces.length, ordering);
}

function run(
  { runner, threads, clock, job }: SortWork,
  kernel: KernelName,
  calls: readonly KernelCall[],
): Promise<void> {
  return clock.time("convert", 0, () => runner.run(kernel, calls, threads, job.signal));
}

function clearFindings({ memory }: SortWork, at: number, rows: number): void {
  new Uint8Array(memory.buffer, at, rows * FINDINGS_BYTES).fill(0);
}

interface Piece {
  readonly from: number;
  readonly count: number;
}

/** Divides `count` elements into adjacent pieces of about the same length. */
function piecesOf(count: number, pieces: number): Piece[] {
  return Array.from({ length: pieces }, (_, i) => {
    const from = Math.floor((count * i) / pieces);
    return { from, count: Math.floor((count * (i + 1)) / pieces) - from };
  });
}
