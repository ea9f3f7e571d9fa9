import { type ElementType, elementType, type KeyArray } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { keyItem } from "../core/items/item.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { serialQueue } from "../core/streams/serial_queue.js";
import type { Format, ItemInput } from "./format.js";
import { refuseOptions } from "./options.js";
import { keyText, lineParser } from "./text_numbers.js";

/** The default type. It loses no digit of a whole number; a number that does not fit is an error. */
const DEFAULT_TYPE = "i64";

const READ_BYTES = 1 << 20;

/**
 * An unfinished line of more bytes than this is an error. Otherwise, a file that is not text might be read to
 * its end as one line.
 */
const MAX_LINE_BYTES = 4096;

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Decimal numbers, one per line. */
export const text: Format<"text"> = {
  name: "text",
  extensions: ["txt", "text"],
  needsItemCount: false,

  async open(input, options) {
    refuseOptions(input.name, "text", options, "byteOrder", "skipBytes", "recordBytes", "keys");
    return openLines(input, elementType(options.type ?? DEFAULT_TYPE));
  },

  async create(output, item) {
    if (item.kind === "record") {
      throw new InputError(`cannot write ${output.name} as text: that format holds numbers, not records`, {
        hint: "leave the output's format out, so that the records are written as they are",
        options: ["to"],
      });
    }
    const { type } = item;
    const inTurn = serialQueue("stop");
    const toText = keyText(type);
    let length = 0;
    return {
      write: (from) =>
        inTurn(async () => {
          for (const lines of linesOf(from, type, toText)) {
            await output.write(lines, length);
            length += lines.length;
          }
        }),
      end: async () => {},
    };
  },
};

function* linesOf(from: Uint8Array, type: ElementType, toText: (key: number | bigint) => string) {
  const keys = new type.array(from.buffer, from.byteOffset, from.byteLength / type.bytes);
  const BATCH = 1 << 16;
  for (let at = 0; at < keys.length; at += BATCH) {
    let lines = "";
    for (let i = at; i < Math.min(at + BATCH, keys.length); i++) lines += `${toText(keys[i]!)}\n`;
    yield Buffer.from(lines, "latin1");
  }
}

function openLines(input: ByteInput, type: ElementType): ItemInput {
  const lines = new LineReader(input);
  const parse = lineParser(type);
  const small = type.bytes < 8;
  const whole = type.order !== "float";
  const [minimum, maximum] = exactRange(type);

  const next = async (into: Uint8Array): Promise<number> => {
    const keys: KeyArray = new type.array(
      into.buffer,
      into.byteOffset,
      Math.floor(into.byteLength / type.bytes),
    );
    const numbers = keys as unknown as Record<number, number>;
    const bigs = keys as unknown as Record<number, bigint>;
    let count = 0;
    while (count < keys.length && (await lines.advance())) {
      // The fast path is for plain digits, which nearly all keys are. All other lines are parsed in full.
      for (; count < keys.length && lines.next(); count++) {
        const value = lines.plainDigits();
        if (value !== undefined && value >= minimum && value <= maximum && (value !== 0 || whole)) {
          if (small || !whole) numbers[count] = value;
          else bigs[count] = BigInt(value);
          continue;
        }
        const line = lines.text();
        const parsed = parse(line);
        if (typeof parsed === "string") throw refuseLine(input.name, lines.number, line, parsed);
        if (typeof parsed.key === "bigint") bigs[count] = parsed.key;
        else numbers[count] = parsed.key;
      }
    }
    return count * type.bytes;
  };
  return {
    name: input.name,
    item: keyItem(type),
    itemCount: undefined,
    next,
    style: { format: "text", byteOrder: "little" },
  };
}

/** The range of whole numbers that both a double and the type hold exactly. */
function exactRange({ order, bytes }: ElementType): [number, number] {
  if (order === "float" || bytes === 8)
    return [order === "unsigned" ? 0 : Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return order === "signed" ? [-(2 ** (8 * bytes - 1)), 2 ** (8 * bytes - 1) - 1] : [0, 2 ** (8 * bytes) - 1];
}

function refuseLine(name: string, number: number, line: string, objection: string): InputError {
  const shown = line.length > 40 ? `${line.slice(0, 40)}…` : line;
  const what = line === "" ? "the line is empty" : `'${shown}' ${objection}`;
  const float = lineParser(elementType("f64"))(line);
  if (line === "" || typeof float === "string") {
    return new InputError(`${name}, line ${number}: ${what}`, { hint: "write one number on every line" });
  }
  return new InputError(`${name}, line ${number}: ${what}`, {
    hint: "name a type that holds it, such as f64",
    options: ["type"],
  });
}

/** Cuts an input into lines, one piece of the input at a time. */
class LineReader {
  readonly #input: ByteInput;
  #bytes = new Uint8Array(READ_BYTES + MAX_LINE_BYTES);
  #length = 0;
  #at = 0;
  #ended = false;
  /** The start and the end of the current line in `#bytes`, its line break excluded. */
  #line: [number, number] = [0, 0];
  /** The number of the current line, counted from 1. */
  number = 0;

  constructor(input: ByteInput) {
    this.#input = input;
  }

  /**
   * Reads until `#bytes` has a complete line.
   *
   * @returns whether there is one; false at the end of the input.
   */
  async advance(): Promise<boolean> {
    while (!this.#ended && this.#bytes.subarray(this.#at, this.#length).indexOf(NEWLINE) < 0) {
      if (this.#length - this.#at > MAX_LINE_BYTES) {
        throw new InputError(
          `${this.#input.name}, line ${this.number + 1}: the line is longer than any number`,
          {
            hint: "if the file is not text, name its format",
            options: ["format"],
          },
        );
      }
      this.#bytes.copyWithin(0, this.#at, this.#length);
      this.#length -= this.#at;
      this.#at = 0;
      const room = this.#bytes.subarray(this.#length, this.#length + READ_BYTES);
      const bytes = await this.#input.next(room);
      this.#length += bytes;
      this.#ended = bytes < room.length;
    }
    return this.#at < this.#length;
  }

  /** Makes the next complete line in `#bytes` the current one. @returns whether there was one. */
  next(): boolean {
    if (this.#at === this.#length) return false;
    const found = this.#bytes.subarray(0, this.#length).indexOf(NEWLINE, this.#at);
    if (found < 0 && !this.#ended) return false;
    const end = found < 0 ? this.#length : found;
    this.#line = [this.#at, end > this.#at && this.#bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end];
    this.#at = found < 0 ? end : end + 1;
    this.number++;
    return true;
  }

  /** The current line as a number, if it is an optional minus and at most 15 digits: a double holds these. */
  plainDigits(): number | undefined {
    const bytes = this.#bytes;
    const [start, end] = this.#line;
    const negative = bytes[start] === 45;
    const first = negative ? start + 1 : start;
    if (first === end || end - first > 15) return undefined;
    let value = 0;
    for (let i = first; i < end; i++) {
      const digit = bytes[i]! - 48;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** The current line as text. */
  text(): string {
    return Buffer.from(this.#bytes.buffer, this.#line[0], this.#line[1] - this.#line[0])
      .toString("latin1")
      .trim();
  }
}
