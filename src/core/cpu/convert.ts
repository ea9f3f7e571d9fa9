import type { ItemSource } from "../streams/item_stream.js";
import { type Findings, FindingsLog } from "./findings.js";
import type { KernelCall, KernelName } from "./kernels.js";
import { type Steps, takeSteps } from "./steps.js";
import { windowKeys } from "./tuning.js";
import { type Piece, piecesOf, type SortWork, writeJob } from "./work.js";

/** Reads the keys, turns them into elements, and inspects these. */
export async function readElements(work: SortWork, source: ItemSource): Promise<Findings> {
  const { job, form, memory, at, clock, threads } = work;
  const { keyBytes } = form;
  const read = async (window: Piece | undefined) => {
    if (!window) return;
    const bytes = window.count * keyBytes;
    const into = new Uint8Array(memory.buffer as ArrayBuffer, at.keys + window.from * keyBytes, bytes);
    await clock.time("read", bytes, () => source.read(into, window.from * keyBytes));
  };
  const found = new FindingsLog(work);
  const encode = (window: Piece) => takeSteps(work, encodeWindow(work, window, found));
  writeJob(work, 0);
  const windows = piecesOf(job.keyCount, Math.ceil(job.keyCount / windowKeys(job.keyCount)));
  await read(windows[0]);
  for (const [i, window] of windows.entries()) {
    // Other threads can convert while this one copies; this one can convert while the system reads a file.
    const next = windows[i + 1];
    const both = threads > 1 ? [encode(window), read(next)] : [read(next), encode(window)];
    await Promise.all(both);
  }
  return found.combined();
}

/** Turns keys that have been read into elements, and inspects these. */
export function* encodeKeys(work: SortWork): Steps<Findings> {
  const found = new FindingsLog(work);
  writeJob(work, 0);
  yield* encodeWindow(work, { from: 0, count: work.job.keyCount }, found);
  return found.combined();
}

function* encodeWindow({ form, at, threads }: SortWork, window: Piece, found: FindingsLog): Steps<void> {
  const { keyBytes, bytes } = form;
  const pieces = piecesOf(window.count, threads);
  const froms = pieces.map(({ from }) => window.from + from);
  const rows = found.rows(threads);
  const calls = pieces.map(({ count }, i): KernelCall => {
    const first = froms[i]!;
    return [at.keys + first * keyBytes, at.elements + first * bytes, count, first, rows[i]!, at.job];
  });
  yield { phase: "convert", kernel: `encode_${keyBytes}_${bytes}` as KernelName, calls, isShort: true };
  found.keep(froms);
}

/** Turns elements that need no sorting back into keys. */
export function* decodeKeys(work: SortWork): Steps<void> {
  const { form, at } = work;
  const calls = shortPieces(work).map(({ from, count }) => {
    return [at.elements + from * form.bytes, at.keys + from * form.keyBytes, count, at.job];
  });
  yield { phase: "convert", kernel: `decode_${form.keyBytes}_${form.bytes}` as KernelName, calls };
}

/** Takes the indices out of pairs, and puts them into the scratch. */
export function* extractIndices(work: SortWork): Steps<void> {
  const { form, at } = work;
  const calls = shortPieces(work).map(({ from, count }) => {
    return [at.elements + from * form.bytes, at.scratch + 4 * from, count];
  });
  yield { phase: "convert", kernel: `extract_${form.bytes}` as KernelName, calls };
}

/** Pieces for each thread, so short that the calling thread is soon free again. */
export function shortPieces({ job, threads }: SortWork): Piece[] {
  const most = windowKeys(job.keyCount);
  return piecesOf(job.keyCount, Math.max(threads, Math.ceil(job.keyCount / most)));
}
