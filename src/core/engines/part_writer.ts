import { wrongOrder } from "../cpu/sort/whole_sort.js";
import type { PartTaker, SortWork } from "../cpu/sort/work.js";
import type { ItemSink } from "../streams/item_stream.js";
import { yieldToEventLoop } from "../streams/yield_to_event_loop.js";
import { bytesAt, writeBytes } from "./cpu_output.js";

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
