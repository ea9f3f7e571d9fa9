/** So many buffers of one size, made when they are first needed, and waited for when all are in use. */
export class BufferPool {
  readonly #bytes: number;
  readonly #idle: Uint8Array<ArrayBuffer>[] = [];
  readonly #waiting: ((buffer: Uint8Array<ArrayBuffer>) => void)[] = [];
  #unmade: number;

  constructor(count: number, bytes: number) {
    this.#unmade = count;
    this.#bytes = bytes;
  }

  async take(): Promise<Uint8Array<ArrayBuffer>> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#unmade === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#unmade--;
    return new Uint8Array(this.#bytes);
  }

  give(buffer: Uint8Array<ArrayBuffer>): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#idle.push(buffer);
  }
}
