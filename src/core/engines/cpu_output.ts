import type { Extent } from "../cpu/kept_keys.js";
import type { SortWork } from "../cpu/work.js";
import type { ItemSink } from "../streams/item_stream.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import type { SortArrays } from "./engine.js";

/** In Node, a view may have at most 4 GiB, and one read or write at most 2 GiB. */
const WINDOW_BYTES = 64 << 20;

/** Copies the result of a sort into arrays, as far as they go. @param indices whether these are the result. */
export function copyResult(work: SortWork, { keys, into, values }: SortArrays, indices: boolean): void {
  const { memory, at, form, job } = work;
  const sorted = new Uint8Array(memory.buffer, at.keys, keys.length);
  const order = new Uint32Array(memory.buffer, at.scratch, into.length / (indices ? 4 : form.keyBytes));
  if (indices) into.set(new Uint8Array(memory.buffer, at.scratch, into.length));
  else if (!form.pairs) into.set(sorted.subarray(0, into.length));
  else {
    into.set(moved(sorted, form.keyBytes, order));
    // Values may be written where they are read from, and may begin at any byte.
    if (values) values.into.set(moved(values.from.slice(), job.payloadBytes!, order));
  }
}

/** Lets all threads copy the keys to a sink. @returns whether they did. */
export async function fillShared(
  { runner, threads, clock, form }: SortWork,
  fill: NonNullable<ItemSink["fill"]>,
  { at, count }: Extent,
): Promise<boolean> {
  const bytes = count * form.keyBytes;
  let isDone = false;
  await fill(async (into) => {
    const shared = runner.share?.(into, threads);
    try {
      isDone = (await clock.time("write", bytes, async () => shared?.copyOut(at, 0, bytes))) === true;
    } finally {
      shared?.close();
    }
  });
  return isDone;
}

/** Writes `bytes` bytes of a memory, one window at a time. @param offset where they begin in the output. */
export async function writeBytes(
  { buffer }: { readonly buffer: ArrayBufferLike },
  at: number,
  bytes: number,
  sink: ItemSink,
  clock: PhaseClock,
  offset = 0,
): Promise<void> {
  for (let from = 0; from < bytes; from += WINDOW_BYTES) {
    const window = new Uint8Array(buffer as ArrayBuffer, at + from, Math.min(WINDOW_BYTES, bytes - from));
    await clock.time("write", window.length, () => sink.write(window, offset + from));
  }
}

/** Writes items of `bytes` bytes in the order of `indices`, one window at a time. */
export async function writeMoved(
  items: Uint8Array,
  bytes: number,
  indices: Uint32Array,
  sink: ItemSink,
  clock: PhaseClock,
): Promise<void> {
  const fitting = Math.max(1, Math.floor(WINDOW_BYTES / bytes));
  for (let begin = 0; begin < indices.length; begin += fitting) {
    const window = moved(items, bytes, indices.subarray(begin, begin + fitting));
    await clock.time("write", window.length, () => sink.write(window, begin * bytes));
  }
}

/** The items of `bytes` bytes at these indices. */
function moved(items: Uint8Array, bytes: number, indices: Uint32Array): Uint8Array<ArrayBuffer> {
  const window = new Uint8Array(indices.length * bytes);
  const [from, into] = [unitsOf(items, bytes), unitsOf(window, bytes)];
  const units = bytes / from.BYTES_PER_ELEMENT;
  for (let i = 0; i < indices.length; i++) {
    const first = indices[i]! * units;
    for (let unit = 0; unit < units; unit++) into[i * units + unit] = from[first + unit]!;
  }
  return window;
}

/** The same bytes in the widest units that divide an item. */
function unitsOf(
  { buffer, byteOffset, byteLength }: Uint8Array,
  bytes: number,
): Uint8Array | Uint16Array | Uint32Array {
  const unit = bytes % 4 === 0 ? Uint32Array : bytes % 2 === 0 ? Uint16Array : Uint8Array;
  return new unit(buffer as ArrayBuffer, byteOffset, byteLength / unit.BYTES_PER_ELEMENT);
}
