import type { ItemSource } from "../streams/item_stream.js";
import { type Findings, FindingsLog } from "./findings.js";
import type { KernelCall, KernelName } from "./kernels.js";
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
  const encode = async (window: Piece) => {
    const pieces = piecesOf(window.count, threads);
    const froms = pieces.map(({ from }) => window.from + from);
    const rows = found.rows(threads);
    const calls = pieces.map(({ count }, i): KernelCall => {
      const first = froms[i]!;
      return [at.keys + first * keyBytes, at.elements + first * form.bytes, count, first, rows[i]!, at.job];
    });
    await convert(work, `encode_${keyBytes}_${form.bytes}` as KernelName, calls, true);
    found.keep(froms);
  };
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

/** Turns elements that need no sorting back into keys. */
export function decodeKeys(work: SortWork): Promise<void> {
  const { form, at } = work;
  const calls = shortPieces(work).map(({ from, count }) => {
    return [at.elements + from * form.bytes, at.keys + from * form.keyBytes, count, at.job];
  });
  return convert(work, `decode_${form.keyBytes}_${form.bytes}` as KernelName, calls);
}

/** Takes the indices out of pairs, and puts them into the scratch. */
export function extractIndices(work: SortWork): Promise<void> {
  const { form, at } = work;
  const calls = shortPieces(work).map(({ from, count }) => {
    return [at.elements + from * form.bytes, at.scratch + 4 * from, count];
  });
  return convert(work, `extract_${form.bytes}` as KernelName, calls);
}

/** Pieces for each thread, so short that the calling thread is soon free again. */
function shortPieces({ job, threads }: SortWork): Piece[] {
  const most = windowKeys(job.keyCount);
  return piecesOf(job.keyCount, Math.max(threads, Math.ceil(job.keyCount / most)));
}

function convert(
  { runner, threads, clock, job }: SortWork,
  kernel: KernelName,
  calls: readonly KernelCall[],
  isShort = false,
): Promise<void> {
  return clock.time("convert", 0, () => runner.run(kernel, calls, threads, job.signal, isShort));
}
