/** Takes the output, in order, each byte once. */
export type WriteText = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

/** Writes what is made in one place of the memory while more is made in another. */
export class DoubleBuffer {
  readonly #write: WriteText;
  readonly #signal: AbortSignal | undefined;
  /** What is being written, and what was when this turn began. */
  #writing: Promise<void> = Promise.resolve();
  #before: Promise<void> = this.#writing;
  #turn = 0;

  constructor(write: WriteText, signal: AbortSignal | undefined) {
    this.#write = write;
    this.#signal = signal;
  }

  /**
   * Begins a turn.
   *
   * @param places one or two addresses, the same ones in each turn.
   * @returns that of them from which everything is written. @throws what a write throws.
   */
  async next(places: readonly number[]): Promise<number> {
    await (places.length === 1 ? this.#writing : this.#before);
    this.#before = this.#writing;
    return places[this.#turn++ % places.length]!;
  }

  /** Writes bytes after all that were sent before. They stay as they are until two turns later. */
  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#writing = this.#writing.then(() => {
      this.#signal?.throwIfAborted();
      return this.#write(bytes);
    });
    this.#writing.catch(() => {}); // `next` and `end` tell of it
  }

  /** Resolves when everything is written. @throws what a write throws. */
  end(): Promise<void> {
    return this.#writing;
  }

  /** Resolves when nothing is written any more, whether that succeeded or not. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => {});
  }
}
