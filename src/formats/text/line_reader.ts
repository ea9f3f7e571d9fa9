import { InputError } from "../../core/errors.js";
import type { ByteInput } from "../../core/streams/byte_stream.js";

/** No number has as many digits. A file without line breaks would else be read to its end as one line. */
const MOST_LINE_BYTES = 1 << 24;

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TAB = 9;

/** Cuts an input into lines, one piece of the input at a time. */
export class LineReader {
  readonly #input: ByteInput;
  readonly #next: ByteInput["next"];
  readonly #readBytes: number;
  #bytes = new Uint8Array(0);
  #length = 0;
  #at = 0;
  #ended = false;
  /** The start and the end of the current line in `#bytes`, its line break excluded. */
  #line: [number, number] = [0, 0];
  /** The number of the current line, counted from 1. */
  number = 0;

  /** @param readBytes the most bytes to read at a time, unless a line is longer. */
  constructor(input: ByteInput, readBytes: number) {
    this.#input = input;
    this.#next = prefetched(input, readBytes);
    this.#readBytes = readBytes;
  }

  /**
   * Reads until `#bytes` has a complete line.
   *
   * @returns whether there is one; false at the end of the input.
   * @throws InputError if the line is longer than any number, or is no text.
   */
  async advance(): Promise<boolean> {
    let searched = this.#at;
    if (this.#bytes.length === 0 && !this.#ended) this.#bytes = new Uint8Array(this.#readBytes);
    while (!this.#ended && !this.#bytes.subarray(searched, this.#length).includes(NEWLINE)) {
      this.#requireText(searched);
      this.#makeRoom();
      searched = this.#length;
      const room = this.#bytes.subarray(this.#length);
      const bytes = await this.#next(room);
      this.#length += bytes;
      this.#ended = bytes < room.length;
    }
    if (this.#at === this.#length) this.#bytes = new Uint8Array(0); // other inputs may follow
    return this.#at < this.#length;
  }

  /** Of a binary file, the first bytes 0 say more than the length of a line. */
  #requireText(from: number): void {
    if (!this.#bytes.subarray(from, this.#length).includes(0)) return;
    throw this.#refuse(this.number + 1, "the line has a byte 0, as no text has");
  }

  /** Moves the unfinished line to the start, and doubles the memory if less than half of it is free. */
  #makeRoom(): void {
    this.#bytes.copyWithin(0, this.#at, this.#length);
    this.#length -= this.#at;
    this.#at = 0;
    if (2 * this.#length < this.#bytes.length) return;
    if (this.#length > MOST_LINE_BYTES) throw this.#tooLong(this.number + 1);
    const grown = new Uint8Array(2 * this.#bytes.length);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  #tooLong(line: number): InputError {
    const hint = "check what ends a line; or name the format lines, whose lines may be as long as the memory";
    return this.#refuse(line, `the line has more than ${MOST_LINE_BYTES} bytes, as no number has`, hint);
  }

  #refuse(line: number, what: string, hint = "if the file is not text, name its format"): InputError {
    return new InputError(`${this.#input.name}, line ${line}: ${what}`, {
      hint,
      options: ["format"],
    });
  }

  /** Makes the next complete line in `#bytes` the current one. @returns whether there was one. */
  next(): boolean {
    if (this.#at === this.#length) return false;
    const lineEnd = this.#bytes.subarray(0, this.#length).indexOf(NEWLINE, this.#at);
    if (lineEnd < 0) {
      if (!this.#ended) return false;
      this.#line = [this.#at, this.#length];
      this.#at = this.#length;
    } else {
      const hasReturn = lineEnd > this.#at && this.#bytes[lineEnd - 1] === CARRIAGE_RETURN;
      this.#line = [this.#at, hasReturn ? lineEnd - 1 : lineEnd];
      this.#at = lineEnd + 1;
    }
    this.number++;
    return true;
  }

  /** Where the next line begins. It grows by the bytes of each line until `advance` is called again. */
  get position(): number {
    return this.#at;
  }

  /** All complete lines that end within the next `most` bytes. */
  wholeLines(most: number): Uint8Array {
    const read = this.#bytes.subarray(this.#at, Math.min(this.#length, this.#at + most));
    return read.subarray(0, read.lastIndexOf(NEWLINE) + 1);
  }

  /** Goes on behind lines that `wholeLines` returned. */
  skip(bytes: number, lines: number): void {
    this.#at += bytes;
    this.number += lines;
  }

  /** The bytes of the current line. They are valid until the next call of `advance`. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(...this.#line);
  }

  /**
   * The current line without spaces and tabs around it, each byte as one character.
   *
   * @throws InputError if the line is longer than any number.
   */
  text(): string {
    const bytes = this.#bytes;
    let [start, end] = this.#line;
    const isSpace = (at: number) => bytes[at] === SPACE || bytes[at] === TAB;
    while (start < end && isSpace(start)) start++;
    while (start < end && isSpace(end - 1)) end--;
    if (end - start > MOST_LINE_BYTES) throw this.#tooLong(this.number);
    return Buffer.from(bytes.buffer, start, end - start).toString("latin1");
  }
}

/**
 * Makes a `next` that reads the next `bytes` bytes of a file while its caller works on those before. A pipe
 * is not read ahead: that may take long, and what ends the job would have to wait for it.
 */
function prefetched(input: ByteInput, bytes: number): ByteInput["next"] {
  if (input.byteLength === undefined || input.byteLength <= bytes) return (into) => input.next(into);
  let buffers: Uint8Array[] = [];
  let reading: Promise<Uint8Array> | undefined;
  let ready = new Uint8Array(0) as Uint8Array;
  const read = () => {
    if (buffers.length === 0) buffers = [new Uint8Array(bytes), new Uint8Array(bytes)];
    buffers.reverse(); // the other one was read, or is being taken from
    const [buffer] = buffers;
    const bytesRead = input.next(buffer!).then((length) => buffer!.subarray(0, length));
    bytesRead.catch(() => {}); // the caller that needs these bytes gets the error
    return bytesRead;
  };
  return async (into) => {
    let filled = 0;
    while (filled < into.length) {
      if (ready.length === 0) {
        ready = await (reading ?? read());
        if (ready.length === 0) {
          buffers = []; // other inputs may follow
          return filled;
        }
        reading = read();
      }
      const some = ready.subarray(0, into.length - filled);
      into.set(some, filled);
      ready = ready.subarray(some.length);
      filled += some.length;
    }
    return filled;
  };
}
