/**
 * A pool of `count` buffers of at least `bytes` bytes each. A buffer is allocated when it is first needed.
 */
export class BufferPool {
  readonly #idle: Uint8Array<ArrayBuffer>[] = [];
  readonly #waiting: ((buffer: Uint8Array<ArrayBuffer>) => void)[] = [];
  #unallocated: number;
  #bytes: number;

  constructor(count: number, bytes: number) {
    this.#unallocated = count;
    this.#bytes = bytes;
  }

  /** Takes a buffer. If all are in use, waits until one is given back. */
  async take(): Promise<Uint8Array<ArrayBuffer>> {
    const idle = this.#idle.pop();
    if (idle) return this.#longEnough(idle);
    if (this.#unallocated === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#unallocated--;
    return new Uint8Array(this.#bytes);
  }

  /** Gives a buffer back. */
  give(buffer: Uint8Array<ArrayBuffer>): void {
    const next = this.#waiting.shift();
    if (next) next(this.#longEnough(buffer));
    else this.#idle.push(buffer);
  }

  /** Makes the buffers that are taken from now on longer. */
  grow(bytes: number): void {
    this.#bytes = Math.max(this.#bytes, bytes);
  }

  #longEnough(buffer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    return buffer.length < this.#bytes ? new Uint8Array(this.#bytes) : buffer;
  }
}
