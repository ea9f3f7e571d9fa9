import type { ElementType } from "../../core/elements.js";
import type { ByteInput } from "../../core/streams/byte_stream.js";
import type { FormatTools } from "../format.js";
import type { KeyTextOptions } from "../options.js";
import { POWERS_AT, type TextKernel, TextWorkspace, textRunner } from "./kernels.js";

/** The most bytes of text at a time. Threads parse these in less time than the next are read in. */
const BLOCK_BYTES = 1 << 21;

/** Bytes of text that one call parses. */
const PIECE_BYTES = 1 << 17;

/** The bytes of text at a time of an input, and of a line feed after it: small inputs need little memory. */
export const blockBytes = ({ byteLength = BLOCK_BYTES }: ByteInput): number =>
  PIECE_BYTES * Math.ceil(Math.min(BLOCK_BYTES, byteLength + 1) / PIECE_BYTES);

/** The most bytes beyond the text that kernels read. */
const SLACK_BYTES = 64;

/** A part of the text. Its keys are valid until the next text is parsed. */
export interface ParsedPiece {
  readonly keys: Uint8Array;
  /** The lines that were parsed, and their bytes. The line after them was not understood. */
  readonly lines: number;
  readonly bytes: number;
  /** Bytes of all lines of the piece. */
  readonly length: number;
  /** The address of the piece. */
  readonly at: number;
}

/** Parses many lines at a time, by kernels that leave what is unusual or wrong to the caller. */
export class LineParser {
  readonly #type: ElementType;
  readonly #kernel: TextKernel;
  readonly #settings: readonly number[];
  readonly #workspace: TextWorkspace;
  readonly #textAt: number;
  readonly #keysAt: number;

  /** @param block the most bytes of text at a time: see `blockBytes`. */
  constructor({ type, overflow, skipsBlankLines }: KeyTextOptions, tools: FormatTools, block: number) {
    this.#type = type;
    this.#kernel = type.order === "float" ? "parseFloats" : "parseIntegers";
    this.#settings =
      type.order === "float"
        ? [Number(overflow === "inf"), Number(skipsBlankLines), POWERS_AT]
        : [Number(type.order === "signed"), Number(skipsBlankLines)];
    const textBytes = block + SLACK_BYTES;
    const keysBytes = (block / 2 + 1) * type.bytes; // a line has at least two bytes
    const calls = block / PIECE_BYTES;
    this.#workspace = new TextWorkspace(textRunner(tools), type, calls, textBytes + keysBytes);
    this.#textAt = this.#workspace.start;
    this.#keysAt = this.#textAt + textBytes;
  }

  /**
   * Parses whole lines.
   *
   * @param text ends with a line feed, and has at most the bytes of a block.
   * @param expected the bytes of all texts.
   * @returns what was parsed, piece by piece.
   */
  async parse(text: Uint8Array, expected: number): Promise<ParsedPiece[]> {
    this.#workspace.bytes(this.#textAt, text.length).set(text);
    const cuts = [0];
    for (let at = 0; at < text.length; cuts.push(at)) {
      const end = at + PIECE_BYTES;
      at = end < text.length ? text.indexOf(10, end) + 1 : text.length;
    }
    const places = cuts.slice(1).map((end, i) => [this.#textAt + cuts[i]!, this.#textAt + end] as const);
    const calls = places.map(([at, end], i) => this.#call(at, end, i));
    const { runner } = this.#workspace;
    const threads = runner.threadsFor(text.length, expected);
    await runner.run(this.#kernel, calls, threads, { isShort: true });
    return places.map(([at, end], i) => this.#piece(at, end, i));
  }

  /** Parses the lines of a piece from the address `at` on. */
  async resume(piece: ParsedPiece, at: number): Promise<ParsedPiece> {
    const end = piece.at + piece.length;
    await this.#workspace.runner.run(this.#kernel, [this.#call(at, end, 0)], 1);
    return this.#piece(at, end, 0);
  }

  #call(at: number, end: number, place: number): readonly number[] {
    const { bytes } = this.#type;
    return [at, end, this.#keyAt(at), bytes, ...this.#settings, TextWorkspace.doneAt(place)];
  }

  #piece(at: number, end: number, place: number): ParsedPiece {
    const { keys, lines, bytes } = this.#workspace.done(place);
    const parsed = this.#workspace.bytes(this.#keyAt(at), keys * this.#type.bytes);
    return { keys: parsed, lines, bytes, length: end - at, at };
  }

  /** The address of the keys of the text at an address. The pieces before it have no more keys. */
  #keyAt(at: number): number {
    return this.#keysAt + Math.ceil((at - this.#textAt) / 2) * this.#type.bytes;
  }

  close(): void {
    this.#workspace.runner.close();
  }
}
