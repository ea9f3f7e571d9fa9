import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { keyElement } from "../../core/float16.js";
import { quoteBytes } from "../../core/quote.js";
import type { ByteInput } from "../../core/streams/byte_stream.js";
import type { FormatTools } from "../format.js";
import type { KeyTextOptions } from "../options.js";
import { blockBytes, LineParser, type ParsedPiece } from "./line_parser.js";
import type { LineReader } from "./line_reader.js";
import { lineParser, type Objection, typeAndRange } from "./numbers.js";

/** If the kernels parse fewer lines before the next one that they do not understand, they lose time. */
const FEW_LINES = 8;

/** The most lines that are parsed one by one before the kernels try again. */
const MAX_BACKOFF = 1024;

/**
 * Reads the keys of lines. Kernels parse many lines at a time, and stop at a line that they do not understand:
 * one that is wrong, or unusual, such as one with 30 digits. JavaScript parses it, which also makes the errors,
 * so kernels need no messages.
 */
export class KeyReader {
  readonly #input: ByteInput;
  readonly #options: KeyTextOptions;
  readonly #lines: LineReader;
  readonly #tools: FormatTools;
  readonly #parseLine: ReturnType<typeof lineParser>;
  #parser: LineParser | undefined;
  /** What was parsed, but not yet taken. The first piece begins at the current line. */
  #pieces: ParsedPiece[] = [];
  /** Bytes of the first piece's keys that were taken. */
  #taken = 0;
  /** Lines that are parsed one by one before the kernels try again. */
  #backoff = 1;
  #parsedBytes = 0;

  constructor(input: ByteInput, lines: LineReader, options: KeyTextOptions, tools: FormatTools) {
    this.#input = input;
    this.#lines = lines;
    this.#options = options;
    this.#tools = tools;
    this.#parseLine = lineParser(options.type, options.overflow);
  }

  /**
   * Fills `into` with the next keys.
   *
   * @returns their bytes, which are less than fit only at the end.
   * @throws InputError if a line is no key.
   */
  async next(into: Uint8Array): Promise<number> {
    const { type } = this.#options;
    const keys = new type.array(into.buffer, into.byteOffset, Math.floor(into.byteLength / type.bytes));
    const target = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
    let filled = 0;
    while (filled < target.length) {
      const [piece] = this.#pieces;
      if (!piece) {
        if (!(await this.#lines.advance())) break;
        if (!(await this.#parse())) filled += this.#parseOne(keys, filled);
      } else if (this.#taken < piece.keys.length) {
        const some = piece.keys.subarray(this.#taken, this.#taken + target.length - filled);
        target.set(some, filled);
        filled += some.length;
        this.#taken += some.length;
      } else filled = await this.#finish(piece, keys, filled);
    }
    if (filled < target.length) this.#end();
    return filled;
  }

  /** Parses the lines that were read. @returns false if the first of them must be parsed by itself. */
  async #parse(): Promise<boolean> {
    const block = blockBytes(this.#input);
    this.#parser ??= new LineParser(this.#options, this.#tools, block);
    const text = this.#lines.wholeLines(block);
    if (text.length === 0) return false;
    this.#parsedBytes += text.length;
    this.#pieces = await this.#parser.parse(text, this.#input.byteLength ?? this.#parsedBytes);
    return true;
  }

  /** Goes on after the keys of a piece: with the lines that were not understood, or with the next piece. */
  async #finish(piece: ParsedPiece, keys: Keys, filled: number): Promise<number> {
    const lines = this.#lines;
    lines.skip(piece.bytes, piece.lines);
    this.#taken = 0;
    let at = piece.bytes;
    if (at < piece.length) {
      this.#backoff = piece.lines < FEW_LINES ? Math.min(2 * this.#backoff, MAX_BACKOFF) : 1;
    }
    for (let left = this.#backoff; left > 0 && at < piece.length && filled < keys.byteLength; left--) {
      const before = lines.position;
      filled += this.#parseOne(keys, filled);
      at += lines.position - before;
    }
    if (at < piece.length) this.#pieces[0] = await this.#parser!.resume(piece, piece.at + at);
    else this.#pieces.shift();
    return filled;
  }

  /** Parses the next line. @returns the bytes of its key; 0 if it is blank. */
  #parseOne(keys: Keys, filled: number): number {
    const { type, skipsBlankLines } = this.#options;
    const lines = this.#lines;
    if (!lines.next()) return 0;
    const line = lines.text();
    if (line === "" && skipsBlankLines) return 0;
    const parsed = this.#parseLine(line);
    if (parsed === "is not a number of type" || parsed === "does not fit") {
      throw refuseLine(this.#input.name, lines, parsed, this.#options);
    }
    keys[filled / type.bytes] = keyElement(parsed, type);
    return type.bytes;
  }

  #end(): void {
    this.#parser?.close();
    this.#parser = undefined;
  }
}

/** The elements of an array of any type. */
type Keys = { [index: number]: number | bigint } & {
  readonly byteLength: number;
};

/** The error for the current line: where it is, what it holds, what was expected, and what to do. */
function refuseLine(
  name: string,
  lines: LineReader,
  objection: Objection,
  { type, header }: KeyTextOptions,
): InputError {
  const line = lines.text();
  const where = `${name}, line ${lines.number}`;
  if (line === "") {
    return new InputError(`${where}: the line is empty instead of a number of type ${typeAndRange(type)}`, {
      hint: "write one number on every line, or skip blank lines",
      options: ["blankLines"],
    });
  }
  const what = `${where}: ${quoteBytes(lines.bytes())} ${objection} ${typeAndRange(type)}`;
  const others = type.order === "float" ? (["f32", "f64"] as const) : (["i64", "u64", "f64"] as const);
  const wider = others.find((other) => typeof lineParser(elementType(other))(line) !== "string");
  if (wider) {
    return new InputError(what, { hint: `name a type that holds it, such as ${wider}`, options: ["type"] });
  }
  if (objection === "does not fit" && type.order === "float") {
    const hint = "read numbers that are too large as inf";
    return new InputError(what, { hint, options: ["textOverflow"] });
  }
  const isHeader = lines.number === 1 && !header;
  return new InputError(what, {
    hint: [
      `write one number on every line${isHeader ? ", say that the first line is a header" : ""},`,
      "or name the format lines to sort the lines as text",
    ].join(" "),
    options: isHeader ? ["header", "format"] : ["format"],
  });
}
