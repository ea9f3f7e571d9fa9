import { type ElementType, elementType, type KeyArray } from "../elements.js";
import { InputError } from "../errors.js";
import { type ByteInput, type Format, type ItemInput, keyItem } from "./format.js";
import { oneByOne } from "./in_order.js";
import { refuse } from "./options.js";
import { keyText, lineParser } from "./text_numbers.js";

/** Nothing that text may be taken for loses a digit as one of these; what does not fit is told, with its line. */
const DEFAULT_TYPE = "i64";

const READ_BYTES = 1 << 20;

/** Longer than any number has reason to be, so that a file of something else is not read to its end for one line. */
const LONGEST_LINE = 4096;

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Numbers in decimal, one a line. */
export const text: Format = {
  name: "text",
  description: "numbers in decimal, one a line",
  extensions: ["txt", "text"],
  countFirst: false,

  async open(input, options) {
    refuse("text", options, "byteOrder", "skipBytes", "record", "key");
    return openLines(input, elementType(options.type ?? DEFAULT_TYPE));
  },

  async create(output, item) {
    if (item.kind === "record") {
      throw new InputError("records cannot be written as text", {
        hint: "leave --to out, or name another output",
      });
    }
    const { type } = item;
    const inOrder = oneByOne();
    const toText = keyText(type);
    let length = 0;
    return {
      write: (from) =>
        inOrder(async () => {
          for (const lines of linesOf(from, type, toText)) {
            await output.write(lines, length);
            length += lines.length;
          }
        }),
      finish: async () => {},
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
  const [least, most] = safeRange(type);

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
      // Nearly all keys are plain digits; the rest, and whatever is wrong, takes the long way.
      for (; count < keys.length && lines.more(); count++) {
        const value = lines.plainDigits();
        if (value !== undefined && value >= least && value <= most && (value !== 0 || whole)) {
          if (small || !whole) numbers[count] = value;
          else bigs[count] = BigInt(value);
          continue;
        }
        const line = lines.text();
        const parsed = parse(line);
        if (typeof parsed === "string") throw refuseLine(input.name, lines.number, line, parsed, type);
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

/** The whole numbers that both a double and the type hold. */
function safeRange({ order, bytes }: ElementType): [number, number] {
  if (order === "float" || bytes === 8)
    return [order === "unsigned" ? 0 : Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return order === "signed" ? [-(2 ** (8 * bytes - 1)), 2 ** (8 * bytes - 1) - 1] : [0, 2 ** (8 * bytes) - 1];
}

function refuseLine(
  name: string,
  number: number,
  line: string,
  objection: string,
  type: ElementType,
): InputError {
  const shown = line.length > 40 ? `${line.slice(0, 40)}…` : line;
  const what = line === "" ? "is empty" : `'${shown}' ${objection}`;
  const float = lineParser(elementType("f64"))(line);
  const hint =
    line === "" || typeof float === "string"
      ? "every line must be one number"
      : `name a type that holds it with --type${type.order === "float" ? "" : ", such as f64"}`;
  return new InputError(`${name}, line ${number}: ${what}`, { hint });
}

/** Cuts an input into lines, a piece at a time. */
class LineReader {
  readonly #input: ByteInput;
  #bytes = new Uint8Array(READ_BYTES + LONGEST_LINE);
  #length = 0;
  #at = 0;
  #ended = false;
  /** Where the current line begins, and ends, without its end of line. */
  #line: [number, number] = [0, 0];
  /** Of the current line, from 1. */
  number = 0;

  constructor(input: ByteInput) {
    this.#input = input;
  }

  /** Makes sure that there is a whole line to take. @returns whether there is one. */
  async advance(): Promise<boolean> {
    while (!this.#ended && this.#bytes.subarray(this.#at, this.#length).indexOf(NEWLINE) < 0) {
      if (this.#length - this.#at > LONGEST_LINE) {
        throw new InputError(`${this.#input.name}, line ${this.number + 1}: it is longer than any number`, {
          hint: "name what the file is with --format raw or --format npy",
        });
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

  /** Takes the next line of those that are here. @returns whether there was one. */
  more(): boolean {
    if (this.#at === this.#length) return false;
    const found = this.#bytes.subarray(0, this.#length).indexOf(NEWLINE, this.#at);
    if (found < 0 && !this.#ended) return false;
    const end = found < 0 ? this.#length : found;
    this.#line = [this.#at, end > this.#at && this.#bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end];
    this.#at = found < 0 ? end : end + 1;
    this.number++;
    return true;
  }

  /** The current line's number, if it is at most 15 digits with a sign or none: exact in a double. */
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

  text(): string {
    return Buffer.from(this.#bytes.buffer, this.#line[0], this.#line[1] - this.#line[0])
      .toString("latin1")
      .trim();
  }
}
