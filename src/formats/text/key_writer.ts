import type { ElementType } from "../../core/elements.js";
import type { ByteOutput } from "../../core/streams/byte_stream.js";
import type { FormatTools } from "../format.js";
import { POWERS_AT, type TextKernel, TextWorkspace, textRunner } from "./kernels.js";

/** Keys that one call prints, and calls at a time. */
const PIECE_KEYS = 1 << 12;
const PRINT_CALLS = 32;

/** The most bytes beyond the lines that kernels write. */
const SLACK_BYTES = 32;

/** The most bytes of a line: of an integer by its bytes, such as "-128\n", and of any float. */
const integerLine: Record<number, number> = { 1: 5, 2: 7, 4: 12, 8: 21 };
const FLOAT_LINE = 28;

/** Prints keys as lines, many at a time. */
export class LinePrinter {
  readonly #type: ElementType;
  readonly #kernel: TextKernel;
  readonly #setting: number;
  readonly #workspace: TextWorkspace;
  /** The most bytes of a line. */
  readonly #lineBytes: number;
  /** Bytes for the lines of one call. */
  readonly #room: number;

  constructor(type: ElementType, tools: FormatTools) {
    const isFloat = type.order === "float";
    this.#type = type;
    this.#kernel = isFloat ? "printFloats" : "printIntegers";
    this.#setting = isFloat ? POWERS_AT : Number(type.order === "signed");
    this.#lineBytes = isFloat ? FLOAT_LINE : integerLine[type.bytes]!;
    this.#room = PIECE_KEYS * this.#lineBytes + SLACK_BYTES;
    const bytes = PRINT_CALLS * (PIECE_KEYS * type.bytes + this.#room);
    this.#workspace = new TextWorkspace(textRunner(tools), type, PRINT_CALLS, bytes);
  }

  /** The most bytes of keys at a time. */
  get batchBytes(): number {
    return PRINT_CALLS * PIECE_KEYS * this.#type.bytes;
  }

  /**
   * @param expected the bytes of all keys that are printed now.
   * @returns the lines, in memory of their own.
   */
  async print(keys: Uint8Array, expected: number): Promise<Uint8Array> {
    const { runner, start } = this.#workspace;
    const { bytes } = this.#type;
    this.#workspace.bytes(start, keys.length).set(keys);
    const count = keys.length / bytes;
    const lines = start + this.batchBytes;
    const calls = Array.from({ length: Math.ceil(count / PIECE_KEYS) }, (_, i) => {
      const from = i * PIECE_KEYS;
      const some = Math.min(PIECE_KEYS, count - from);
      const into = lines + i * this.#room;
      return [start + from * bytes, some, into, bytes, this.#setting, TextWorkspace.doneAt(i)];
    });
    const textBytes = (keyBytes: number) => (keyBytes / bytes) * this.#lineBytes;
    const threads = runner.threadsFor(textBytes(keys.length), textBytes(expected));
    await runner.run(this.#kernel, calls, threads, { isShort: true });
    const printed = calls.map((_, i) =>
      this.#workspace.bytes(lines + i * this.#room, this.#workspace.done(i).bytes),
    );
    return Buffer.concat(printed);
  }

  close(): void {
    this.#workspace.runner.close();
  }
}

/** Prints keys and writes them from byte `offset` on. @returns the bytes that were written. */
export async function writeLines(
  printer: LinePrinter,
  keys: Uint8Array,
  output: ByteOutput,
  offset: number,
): Promise<number> {
  let length = 0;
  let writing: Promise<void> = Promise.resolve();
  for (let at = 0; at < keys.length; at += printer.batchBytes) {
    const lines = await printer.print(keys.subarray(at, at + printer.batchBytes), keys.length);
    await writing;
    writing = output.write(lines, offset + length);
    writing.catch(() => {}); // it is awaited after the next lines are printed
    length += lines.length;
  }
  await writing;
  return length;
}
