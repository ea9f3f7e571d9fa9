import { type ElementType, elementType, type KeyArray } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { keyItem } from "../core/items/item.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { serialQueue } from "../core/streams/serial_queue.js";
import type { Format, ItemInput } from "./format.js";
import { LineReader } from "./line_reader.js";
import { refuseOptions } from "./options.js";
import { skipByteOrderMark } from "./text_encoding.js";
import { refuseLine } from "./text_errors.js";
import { keyText, lineParser } from "./text_numbers.js";
import { requireTextOptions, type TextOptions } from "./text_options.js";

/** The default type. It loses no digit of a whole number; a number that does not fit is an error. */
const DEFAULT_TYPE = "i64";

/** Decimal numbers, one per line. */
export const text: Format<"text"> = {
  name: "text",
  extensions: ["txt", "text"],
  needsItemCount: false,

  async open(input, options) {
    refuseOptions(input.name, "text", options, "byteOrder", "skipBytes", "recordBytes", "keys");
    const settings = requireTextOptions(options, elementType(options.type ?? DEFAULT_TYPE));
    await skipByteOrderMark(input);
    return openLines(input, settings);
  },

  async create(output, item, style) {
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
    if (style.header) {
      await output.write(Buffer.concat([style.header, Buffer.from("\n")]), 0);
      length = style.header.length + 1;
    }
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

async function openLines(input: ByteInput, options: TextOptions): Promise<ItemInput> {
  const { type, skipsBlankLines, overflow } = options;
  const lines = new LineReader(input);
  const header = options.header ? await readHeader(input, lines) : undefined;
  const parse = lineParser(type, overflow);
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
      while (count < keys.length && lines.next()) {
        const value = lines.plainDigits();
        if (value !== undefined && value >= minimum && value <= maximum && (value !== 0 || whole)) {
          if (small || !whole) numbers[count++] = value;
          else bigs[count++] = BigInt(value);
          continue;
        }
        const line = lines.text();
        if (line === "" && skipsBlankLines) continue;
        const parsed = parse(line);
        if (typeof parsed === "string") throw refuseLine(input.name, lines, parsed, options);
        if (typeof parsed === "bigint") bigs[count++] = parsed;
        else numbers[count++] = parsed;
      }
    }
    return count * type.bytes;
  };
  return {
    name: input.name,
    item: keyItem(type),
    itemCount: undefined,
    next,
    style: { format: "text", byteOrder: "little", ...(header && { header }) },
    ...(!skipsBlankLines && { firstLine: header ? 2 : 1 }),
  };
}

async function readHeader(input: ByteInput, lines: LineReader): Promise<Uint8Array> {
  if ((await lines.advance()) && lines.next()) return lines.bytes().slice();
  throw new InputError(`${input.name} has no header line: it is empty`, {
    hint: "leave the header out",
    options: ["header"],
  });
}

/** The range of whole numbers that both a double and the type hold exactly. */
function exactRange({ order, bytes }: ElementType): [number, number] {
  if (order === "float" || bytes === 8)
    return [order === "unsigned" ? 0 : Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return order === "signed" ? [-(2 ** (8 * bytes - 1)), 2 ** (8 * bytes - 1) - 1] : [0, 2 ** (8 * bytes) - 1];
}
