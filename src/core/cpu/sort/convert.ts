import { settleAll } from "../../settle_all.js";
import type { ItemSource } from "../../streams/item_stream.js";
import { type Findings, FindingsLog } from "../findings.js";
import type { KernelCall, KernelName } from "../kernels.js";
import { SAMPLE_KEYS, SAMPLE_PLACES, windowKeys } from "../tuning.js";
import { DIVIDES_NOTHING, Spread } from "./spread.js";
import { type Piece, piecesOf, type SortWork, type Steps, takeSteps, writeJob } from "./work.js";

/** Keys that are read and converted at a time. */
interface Window extends Piece {
  /** The position at whose place they are. */
  readonly place: number;
}

/** Elements that were read. */
export interface ReadElements {
  readonly findings: Findings;
  /** How they were divided meanwhile, if they were. */
  readonly spread: Spread | undefined;
}

/** Reads the keys, turns them into elements, inspects these, and divides them if that pays. */
export async function readElements(work: SortWork, source: ItemSource): Promise<ReadElements> {
  const { job, form, memory, at, clock, threads } = work;
  const { keyBytes } = form;
  const shared = source.shared && work.runner.share?.(source.shared, threads);
  const read = async (window: Window | undefined) => {
    if (!window) return;
    const bytes = window.count * keyBytes;
    const into = new Uint8Array(memory.buffer as ArrayBuffer, at.keys + window.place * keyBytes, bytes);
    await clock.time("read", bytes, async () => {
      const offset = window.from * keyBytes;
      const isDone = await shared?.copyIn(into.byteOffset, offset, bytes, job.signal);
      if (!isDone) await source.read(into, offset);
    });
  };
  const log = new FindingsLog(work);
  const spread = at.spread && new Spread(work, at.spread);
  const encode = (window: Window) => takeSteps(work, encodeWindow(work, window, log, spread));
  writeJob(work, 0);
  const windows = piecesOf(job.keyCount, Math.ceil(job.keyCount / windowKeys(job.keyCount, threads)));
  // Once elements are divided, their place is free. What is read there is in the cache, and touches no new
  // pages. Windows differ in length by a key, so the two places are not adjacent.
  const placed = (i: number): Window | undefined => {
    const window = windows[i];
    const isFree = i > 3 && spread?.isDividing && !form.pairs;
    return window && { ...window, place: windows[isFree ? 1 + 2 * (i % 2) : i]!.from };
  };
  try {
    if (spread) await takeSteps(work, spread.decide(await readSample(work, source, spread.places.buffers)));
    let window = placed(0);
    await read(window);
    for (let i = 1; window; i++) {
      // Other threads can convert while this one copies; this one can convert while the system reads a file.
      const next = placed(i);
      const both = threads > 1 ? [encode(window), read(next)] : [read(next), encode(window)];
      await Promise.all(both);
      window = next;
    }
  } finally {
    shared?.close();
  }
  if (!spread?.isDividing) return { findings: log.combined(), spread: undefined };
  await takeSteps(work, spread.count());
  return { findings: log.combined(), spread };
}

function* encodeWindow(
  { form, at, threads }: SortWork,
  window: Window,
  log: FindingsLog,
  spread?: Spread,
): Steps<void> {
  const { keyBytes, bytes } = form;
  const pieces = piecesOf(window.count, spread?.places.windowPieces ?? threads);
  const froms = pieces.map(({ from }) => window.from + from);
  const rows = log.rows(pieces.length);
  const calls = pieces.map(({ count }, i): KernelCall => {
    const from = froms[i]!;
    const place = window.place + from - window.from;
    const split = spread?.argumentsOf({ from, count }) ?? DIVIDES_NOTHING;
    return [at.keys + place * keyBytes, at.elements + place * bytes, count, from, rows[i]!, at.job, ...split];
  });
  const kernel = `encode_${keyBytes}_${bytes}` as KernelName;
  yield { phase: "convert", kernel, calls, isShort: true };
  log.keep(froms);
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
  const most = windowKeys(job.keyCount, threads);
  return piecesOf(job.keyCount, Math.max(threads, Math.ceil(job.keyCount / most)));
}

/**
 * Reads a sample of the keys, from places at equal distances.
 *
 * @returns the number of keys, which are at the address.
 */
async function readSample(
  { job, form, memory, clock }: SortWork,
  source: ItemSource,
  address: number,
): Promise<number> {
  const { keyBytes } = form;
  const reader = source.sample ?? source;
  let count = 0;
  const reads = piecesOf(job.keyCount, SAMPLE_PLACES).map((place): Promise<void> => {
    const keys = Math.min(place.count, SAMPLE_KEYS / SAMPLE_PLACES);
    const into = new Uint8Array(memory.buffer as ArrayBuffer, address + count * keyBytes, keys * keyBytes);
    count += keys;
    return reader.read(into, place.from * keyBytes);
  });
  await clock.time("read", 0, () => settleAll(reads));
  return count;
}
