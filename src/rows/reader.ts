import { beginsWithMark, UTF8_MARK } from "../core/bytes.js";
import { InputError } from "../core/errors.js";
import { QUOTE } from "../core/rows/reading.js";
import { settleAll } from "../core/settle_all.js";
import { type ByteInput, totalBytes } from "../core/streams/byte_stream.js";
import type { RowOrder } from "./order/row_order.js";

/** The bytes of a read of a file. Several run at the same time. */
const READ_BYTES = 4 << 20;

/** A header is kept in memory, that of each input of a merge. */
const MOST_HEADER_BYTES = 1 << 24;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Where an input begins in the text of all inputs. */
export interface InputStart {
  readonly name: string;
  /** Bytes before it. */
  readonly position: number;
  /** The line of its first row, from 1. */
  readonly firstLine: number;
}

/** What the caller knows about the inputs besides the order of their rows. */
export interface ReaderOptions {
  readonly order: RowOrder;
  /** Whether the first row of each input is a header, which all must have in common. */
  readonly header: boolean;
}

/** Whether a byte order mark belongs to no row: it is no part of a field, nor of a number. */
const skipsMark = ({ quotes, keys }: RowOrder) => quotes || keys.some(({ compare }) => compare === "number");

/** Reads the rows of several inputs as one text. A last row without a terminator gets one. */
export class RowReader {
  readonly #inputs: readonly ByteInput[];
  readonly #options: ReaderOptions;
  #current = 0;
  /** The bytes of the current input that were read already; undefined before it was begun. */
  #offset: number | undefined;
  /** Bytes that come before the next ones of the inputs. */
  #pending: Uint8Array = new Uint8Array(0);
  #lastByte: number | undefined;
  #position = 0;
  #bytesRead = 0;
  /** The first input that has a header, where inputs have one: an empty input has none. */
  #first: Headed | undefined;
  #terminator: Uint8Array;
  /** Where each input that was begun begins. */
  readonly starts: InputStart[] = [];

  constructor(inputs: readonly ByteInput[], options: ReaderOptions) {
    this.#inputs = inputs;
    this.#options = options;
    this.#terminator = Uint8Array.of(options.order.terminator);
  }

  /**
   * What the output begins with: the header of the inputs, and a byte order mark. Known after the first read.
   */
  get header(): Uint8Array {
    return this.#first?.header ?? new Uint8Array(0);
  }

  /** The bytes that came from the inputs so far, each of them counted once. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** The bytes of all inputs; undefined if a length is not known. */
  get byteLength(): number | undefined {
    return totalBytes(this.#inputs);
  }

  /** Gives bytes back that are to be read once more, before all others. */
  unread(bytes: Uint8Array): void {
    this.#pending = Buffer.concat([bytes, this.#pending]);
    this.#position -= bytes.length;
  }

  /**
   * Fills `into` with the next bytes.
   *
   * @param begun is called when bytes of an input are on their way.
   * @returns their number, which is less only at the end of all inputs.
   */
  async read(into: Uint8Array, begun = () => {}): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const rest = into.subarray(filled);
      if (this.#pending.length > 0) {
        const some = this.#pending.subarray(0, rest.length);
        rest.set(some);
        this.#pending = this.#pending.subarray(some.length);
        filled += some.length;
        continue;
      }
      const input = this.#inputs[this.#current];
      if (!input) break;
      if (this.#offset === undefined) {
        this.#offset = await this.begin(input, this.#position + filled);
        continue;
      }
      const reading = this.#readFrom(input, rest);
      begun();
      const bytes = await reading;
      if (bytes > 0) this.#lastByte = rest[bytes - 1];
      filled += bytes;
      this.#offset += bytes;
      this.#bytesRead += bytes;
      if (bytes < rest.length) this.#end();
    }
    this.#position += filled;
    return filled;
  }

  async #readFrom(input: ByteInput, into: Uint8Array): Promise<number> {
    const { read, byteLength } = input;
    if (!read || byteLength === undefined) return input.next(into);
    const length = Math.min(into.length, byteLength - this.#offset!);
    const reads: Promise<void>[] = [];
    for (let at = 0; at < length; at += READ_BYTES) {
      reads.push(read.call(input, into.subarray(at, Math.min(length, at + READ_BYTES)), this.#offset! + at));
    }
    await settleAll(reads);
    return length;
  }

  /** Completes the last row of an input, and goes on to the next input. */
  #end(): void {
    const { terminator } = this.#options.order;
    if (this.#lastByte !== undefined && this.#lastByte !== terminator) this.#pending = this.#terminator;
    this.#lastByte = undefined;
    this.#offset = undefined;
    this.#current++;
  }

  /** What completes a last row that has no terminator. Known after an input was begun. */
  get terminator(): Uint8Array {
    return this.#terminator;
  }

  /**
   * Reads what comes before the first row of an input. The inputs are to be begun in their order.
   *
   * @returns its bytes.
   * @throws InputError if a header is too long, or is not that of the first input.
   */
  async begin(input: ByteInput, position: number): Promise<number> {
    const { header, order } = this.#options;
    const head = header || skipsMark(order) ? await this.#headOf(input) : new Uint8Array(0);
    const own = { name: input.name, header: complete(head, header ? this.#terminator : undefined) };
    const isHeaded = header && head.length > 0;
    if (isHeaded) requireSameHeader(this.#first ?? own, own);
    if (isHeaded || !header) this.#first ??= own;
    this.#bytesRead += head.length;
    this.starts.push({ name: input.name, position, firstLine: header ? 2 : 1 });
    if (head.length > 0 && !(input.read && input.byteLength !== undefined)) {
      const skipped = new Uint8Array(head.length);
      await input.next(skipped);
    }
    return head.length;
  }

  /**
   * The header of an input with its terminator, or its byte order mark alone if it has no header.
   *
   * @throws InputError if the header is too long.
   */
  async #headOf(input: ByteInput): Promise<Uint8Array> {
    const { header, order } = this.#options;
    for (let bytes = 1 << 16; ; bytes *= 4) {
      const head = await input.peek(bytes);
      const mark = skipsMark(order) && beginsWithMark(head) ? UTF8_MARK.length : 0;
      const end = order.quotes || header ? firstRowEnd(head, mark, order) : undefined;
      const endsLines = order.quotes && order.terminator === LINE_FEED;
      const isWindows = endsLines && end !== undefined && head[end - 2] === CARRIAGE_RETURN;
      if (isWindows) this.#terminator = Uint8Array.of(CARRIAGE_RETURN, LINE_FEED);
      if (!header) return head.slice(0, mark);
      if (end !== undefined) return head.slice(0, end);
      if (head.length < bytes) return head.slice();
      if (bytes >= MOST_HEADER_BYTES) throw tooLongHeader(input.name);
    }
  }
}

function tooLongHeader(name: string): InputError {
  return new InputError(`row 1 of ${name}, its header, has more than ${MOST_HEADER_BYTES} bytes`, {
    hint: "check what ends a row, or leave the header out",
    options: ["header"],
  });
}

/** The end of the first row, with its terminator; undefined if these bytes do not hold all of it. */
function firstRowEnd(
  bytes: Uint8Array,
  from: number,
  { terminator, separator, quotes }: RowOrder,
): number | undefined {
  let inside = false;
  let before: number = terminator;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    // A quote within a field that does not begin with one is a character like others.
    if (quotes && byte === QUOTE) {
      if (inside && bytes[at + 1] === QUOTE) at++;
      else inside = !inside && (before === terminator || before === separator);
    }
    if (byte === terminator && !inside) return at + 1;
    before = byte;
  }
  return undefined;
}

/** An input, and its header with its terminator. */
interface Headed {
  readonly name: string;
  readonly header: Uint8Array;
}

/** @throws InputError if the headers of two inputs differ. */
export function requireSameHeader(first: Headed, other: Headed): void {
  if (Buffer.compare(headerText(other.header), headerText(first.header)) === 0) return;
  throw new InputError(`${first.name} and ${other.name} differ in their header lines`, {
    hint: "sort them one by one, or remove the header lines",
    options: ["header"],
  });
}

/** A row with its terminator, unless it is empty. */
function complete(row: Uint8Array, terminator: Uint8Array | undefined): Uint8Array {
  if (!terminator || row.length === 0 || row.at(-1) === terminator.at(-1)) return row;
  return Buffer.concat([row, terminator]);
}

/** A header without its byte order mark and its terminator, both of which one input may lack. */
function headerText(row: Uint8Array): Uint8Array {
  const begin = beginsWithMark(row) ? UTF8_MARK.length : 0;
  const end = row.length - Number([LINE_FEED, 0].includes(row.at(-1) ?? 1));
  return row.subarray(begin, end - Number(row[end - 1] === CARRIAGE_RETURN));
}
