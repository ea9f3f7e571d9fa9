import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { keyItem } from "../../core/items/item.js";
import type { ByteInput } from "../../core/streams/byte_stream.js";
import { serialQueue } from "../../core/streams/serial_queue.js";
import { skipByteOrderMark } from "../../kinds/content.js";
import { refuseWide } from "../../kinds/wide_text.js";
import type { Format, FormatTools, ItemInput } from "../format.js";
import { type KeyTextOptions, requireTextOptions } from "../options.js";
import { KeyReader } from "./key_reader.js";
import { LinePrinter, writeLines } from "./key_writer.js";
import { blockBytes } from "./line_parser.js";
import { LineReader } from "./line_reader.js";

/** The default type. It loses no digit of a whole number; a number that does not fit is an error. */
const DEFAULT_TYPE = "i64";

/** Decimal numbers, one per line. */
export const text: Format<"text"> = {
  name: "text",
  needsItemCount: false,

  async open(input, options, tools = {}) {
    const settings = requireTextOptions(options, elementType(options.type ?? DEFAULT_TYPE));
    await refuseWide(input, true);
    await skipByteOrderMark(input);
    return openLines(input, settings, tools);
  },

  async create(output, item, style, _itemCount, tools = {}) {
    if (item.kind === "record") {
      throw new InputError(`cannot write ${output.name} as text: that format holds numbers, not records`, {
        hint: "leave the output's format out, so that the records are written as they are",
        options: ["to"],
      });
    }
    const inTurn = serialQueue("stop");
    let printer: LinePrinter | undefined;
    let length = 0;
    if (style.header) {
      await output.write(Buffer.concat([style.header, Buffer.from("\n")]), 0);
      length = style.header.length + 1;
    }
    return {
      write: (from) =>
        inTurn(async () => {
          printer ??= new LinePrinter(item.type, tools);
          length += await writeLines(printer, from, output, length);
        }),
      end: async () => printer?.close(),
    };
  },
};

async function openLines(input: ByteInput, options: KeyTextOptions, tools: FormatTools): Promise<ItemInput> {
  const { type, skipsBlankLines } = options;
  const lines = new LineReader(input, blockBytes(input));
  const header = options.header ? await readHeader(input, lines) : undefined;
  const reader = new KeyReader(input, lines, options, tools);
  return {
    name: input.name,
    item: keyItem(type),
    itemCount: undefined,
    next: (into) => reader.next(into),
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
