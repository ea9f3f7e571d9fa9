import type { ItemSink, ItemSource, ItemStream } from "./item_stream.js";

/** The progress of a job that moves items. */
export interface ProgressState {
  /** What the job is doing, such as "reading" or "writing". */
  readonly phase: string;
  /** Bytes moved in this phase. */
  readonly phaseBytes: number;
  /** Bytes moved in all phases. */
  readonly doneBytes: number;
  /** Bytes that all phases will move; undefined if that is not known before the end of the input. */
  readonly totalBytes: number | undefined;
}

/**
 * Called after every piece that was moved, about a hundred times per gigabyte. It must be fast, and must not
 * throw.
 */
export type ProgressListener = (state: ProgressState) => void;

/** Counts the bytes that pass through sources, sinks and streams, and reports them to a listener. */
export class ProgressMeter {
  readonly #listener: ProgressListener;
  readonly #phases = new Map<string, number>();
  #doneBytes = 0;
  #totalBytes: number | undefined;

  constructor(listener: ProgressListener = () => {}) {
    this.#listener = listener;
  }

  /**
   * @param totalBytes bytes that all phases will move; undefined if that is not known before the end of the
   *   input.
   */
  expect(totalBytes: number | undefined): void {
    this.#totalBytes = totalBytes;
  }

  source(phase: string, { read }: ItemSource): ItemSource {
    return { read: (into, offset) => this.#moved(phase, into.length, read(into, offset)) };
  }

  sink(phase: string, sink: ItemSink): ItemSink {
    return {
      write: (from, offset) => this.#moved(phase, from.length, sink.write(from, offset)),
      end: () => sink.end(),
    };
  }

  stream(phase: string, { itemCount, next }: ItemStream, itemBytes: number): ItemStream {
    // One call may fill all of the memory. Reading it in pieces reports progress in between.
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

  async #moved(phase: string, bytes: number, moving: Promise<void>): Promise<void> {
    await moving;
    this.#count(phase, bytes);
  }

  #count(phase: string, bytes: number): void {
    const phaseBytes = (this.#phases.get(phase) ?? 0) + bytes;
    this.#phases.set(phase, phaseBytes);
    this.#doneBytes += bytes;
    this.#listener({ phase, phaseBytes, doneBytes: this.#doneBytes, totalBytes: this.#totalBytes });
  }
}
