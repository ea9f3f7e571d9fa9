import { type Bytes, elementsAt } from "../bytes.js";
import { wrongOrder } from "../cpu/sort/few_keys.js";
import type { Extent } from "../cpu/sort/kept_keys.js";
import type { PartTaker, SortWork } from "../cpu/sort/work.js";
import type { ItemSink } from "../streams/item_stream.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import { yieldToEventLoop } from "../streams/yield_to_event_loop.js";
import type { SortArrays } from "./engine.js";

/** In Node, a view may have at most 4 GiB, and one read or write at most 2 GiB. */
const WINDOW_BYTES = 64 << 20;

/** The bytes of a sort's memory from an address on. */
export function bytesAt({ memory }: SortWork, address: number, bytes: number): Uint8Array {
  return new Uint8Array(memory.buffer, address, bytes);
}

/** Copies the result of a sort into arrays, as far as they go. @param indices whether these are the result. */
export function copyResult(work: SortWork, { keys, into, values }: SortArrays, indices: boolean): void {
  const { memory, at, form, job } = work;
  const sorted = bytesAt(work, at.keys, keys.length);
  const order = new Uint32Array(memory.buffer, at.scratch, into.length / (indices ? 4 : form.keyBytes));
  if (indices) into.set(bytesAt(work, at.scratch, into.length));
  else if (!form.pairs) into.set(sorted.subarray(0, into.length));
  else {
    into.set(elementsAt(sorted, form.keyBytes, order));
    // Values may be written where they are read from, and may begin at any byte.
    if (values) values.into.set(elementsAt(values.from.slice(), job.payloadBytes!, order));
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

/** Writes bytes, one window at a time. @param offset where they begin in the output. */
export async function writeBytes(
  bytes: Uint8Array,
  sink: ItemSink,
  clock: PhaseClock,
  offset = 0,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += WINDOW_BYTES) {
    const window = bytes.subarray(at, at + WINDOW_BYTES) as Bytes;
    await clock.time("write", window.length, () => sink.write(window, offset + at));
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
    const window = elementsAt(items, bytes, indices.subarray(begin, begin + fitting));
    await clock.time("write", window.length, () => sink.write(window, begin * bytes));
  }
}

/** A copy of this many bytes takes about a millisecond. Then other events have their turn. */
const SLICE_BYTES = 4 << 20;

/** Keys that lie behind each other in memory, up to the next ones. */
interface Place {
  /** The position of the first key. */
  readonly from: number;
  readonly address: number;
}

/** Writes the first keys of a sort, in slices, as soon as they may be written. */
export class PartWriter implements PartTaker {
  readonly #sink: ItemSink;
  #work: SortWork | undefined;
  #places: Place[] = [];
  #ready = 0;
  #written = 0;
  #writing: Promise<void> | undefined;
  /** Whether a write has begun. */
  hasBegun = false;

  constructor(sink: ItemSink) {
    this.#sink = sink;
  }

  /** To be called before all others. */
  begin(work: SortWork): this {
    this.#work = work;
    this.#places = [{ from: 0, address: work.at.keys }];
    return this;
  }

  place(from: number, address: number): void {
    const unwritten = this.#places.findLastIndex((place) => place.from <= this.#written);
    this.#places = [...this.#places.slice(unwritten), { from, address }];
  }

  sorted(count: number): void {
    if (!this.#work?.job.signal?.aborted) this.#advance(count);
  }

  async taken(count: number): Promise<void> {
    while (this.#writing && this.#written < count) await this.#writing;
    this.#work?.job.signal?.throwIfAborted();
    if (this.#written < count) throw wrongOrder("some");
  }

  #advance(count: number): void {
    this.#ready = count;
    if (this.#written === count) return;
    this.#writing ??= this.#write(this.#work!);
    this.#writing.catch(() => {}); // `finish` throws it
  }

  async #write(work: SortWork): Promise<void> {
    const { form, clock } = work;
    const { keyBytes } = form;
    const most = Math.floor(SLICE_BYTES / keyBytes);
    while (this.#written < this.#ready) {
      const written = this.#written;
      const own = this.#places.findLastIndex(({ from }) => from <= written);
      const { from, address } = this.#places[own]!;
      const end = Math.min(this.#ready, written + most, this.#places[own + 1]?.from ?? this.#ready);
      const at = address + (written - from) * keyBytes;
      this.hasBegun = true;
      await writeBytes(bytesAt(work, at, (end - written) * keyBytes), this.#sink, clock, written * keyBytes);
      this.#written = end;
      await yieldToEventLoop();
    }
    this.#writing = undefined;
  }

  /** Writes the rest of all keys, and ends the sink. @throws what the sink throws. */
  async finish(): Promise<void> {
    this.#advance(this.#work!.job.keyCount);
    await this.#writing;
    await this.#sink.end();
  }

  /** Ends after the write that has begun, as the sort has failed. */
  async stop(): Promise<void> {
    this.#ready = 0;
    await this.#writing?.catch(() => {});
  }
}
