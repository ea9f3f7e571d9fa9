import type { KeySink, KeySource } from "../engines/engine.js";
import type { ItemStream } from "../engines/external.js";
import { type ProgressState, progressText } from "../report/progress.js";
import { StatusLine } from "./status_line.js";

const QUIET_MS = 1000;
const EVERY_MS = 200;

/** On a terminal, and after a second, a line that tells what is going on; elsewhere nothing. */
export class Progress {
  readonly #line: StatusLine;
  readonly #begin = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #phase = "";
  readonly #phases = new Map<string, number>();
  #doneBytes = 0;
  #totalBytes: number | undefined;

  constructor(stream: NodeJS.WriteStream, wanted: boolean) {
    this.#line = new StatusLine(stream);
    if (wanted && stream.isTTY) this.#timer = setInterval(() => this.#show(), EVERY_MS).unref();
  }

  /** How many bytes will be moved in all phases together; undefined if only the end tells. */
  expect(totalBytes: number | undefined): void {
    this.#totalBytes = totalBytes;
  }

  source(phase: string, { read }: KeySource): KeySource {
    return { read: (into, offset) => this.#moved(phase, into.length, read(into, offset)) };
  }

  sink(phase: string, sink: KeySink): KeySink {
    return { write: (from, offset) => this.#moved(phase, from.length, sink.write(from, offset)) };
  }

  stream(phase: string, { itemCount, next }: ItemStream, itemBytes: number): ItemStream {
    // A whole chunk is one call: in pieces there is something to tell meanwhile.
    const pieceBytes = Math.ceil((32 << 20) / itemBytes) * itemBytes;
    return {
      itemCount,
      next: async (into) => {
        let filled = 0;
        for (;;) {
          const piece = into.subarray(filled, filled + pieceBytes);
          const bytes = await next(piece);
          filled += bytes;
          this.#count(phase, bytes);
          if (bytes < piece.length || filled === into.length) return filled;
        }
      },
    };
  }

  end(): void {
    clearInterval(this.#timer);
    this.#line.clear();
  }

  async #moved(phase: string, bytes: number, moving: Promise<void>): Promise<void> {
    await moving;
    this.#count(phase, bytes);
  }

  #count(phase: string, bytes: number): void {
    this.#phase = phase;
    this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + bytes);
    this.#doneBytes += bytes;
  }

  #show(): void {
    const elapsedMs = performance.now() - this.#begin;
    if (elapsedMs < QUIET_MS) return;
    const state: ProgressState = {
      phase: this.#phase || "starting",
      phaseBytes: this.#phases.get(this.#phase) ?? 0,
      doneBytes: this.#doneBytes,
      totalBytes: this.#totalBytes,
      elapsedMs,
    };
    this.#line.show(progressText(state));
  }
}
