import type { SortWork } from "../cpu/work.js";
import type { ItemSink } from "../streams/item_stream.js";
import { nextTask } from "../streams/next_task.js";
import { writeBytes } from "./cpu_output.js";

/** A copy of so many bytes takes about a millisecond. Then other events have their turn. */
const SLICE_BYTES = 4 << 20;

/** Writes the first keys of a sort, in slices, as soon as they may be written. */
export class PartWriter {
  readonly #sink: ItemSink;
  #ready = 0;
  #written = 0;
  #writing: Promise<void> | undefined;
  /** Whether a write has begun. */
  hasBegun = false;

  constructor(sink: ItemSink) {
    this.#sink = sink;
  }

  /** So many of the first keys may be written now. */
  advance(work: SortWork, count: number): void {
    this.#ready = count;
    if (this.#written === count) return;
    this.#writing ??= this.#write(work);
    this.#writing.catch(() => {}); // `finish` throws it
  }

  async #write(work: SortWork): Promise<void> {
    const { memory, at, form, clock } = work;
    const most = Math.floor(SLICE_BYTES / form.keyBytes);
    while (this.#written < this.#ready) {
      const [from, count] = [this.#written, Math.min(most, this.#ready - this.#written)];
      const offset = from * form.keyBytes;
      this.hasBegun = true;
      await writeBytes(memory, at.keys + offset, count * form.keyBytes, this.#sink, clock, offset);
      this.#written += count;
      await nextTask();
    }
    this.#writing = undefined;
  }

  /** Writes the rest of all keys, and ends the sink. @throws what the sink throws. */
  async finish(work: SortWork): Promise<void> {
    this.advance(work, work.job.keyCount);
    await this.#writing;
    await this.#sink.end();
  }

  /** Ends after the write that has begun, as the sort has failed. */
  async stop(): Promise<void> {
    this.#ready = 0;
    await this.#writing?.catch(() => {});
  }
}
