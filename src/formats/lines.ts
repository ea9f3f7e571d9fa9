import { elementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import type { Format } from "./format.js";
import { HEAD_BYTES } from "./looks_like_text.js";
import { lineParser } from "./text_numbers.js";

/**
 * Lines of text of any length. They are rows, not items: `sortFile` moves each as a whole, by its own engine,
 * so this row of the table of formats has the name and the extensions, and refuses to read or write items.
 */
export const lines: Format<"lines"> = {
  name: "lines",
  extensions: ["csv", "tsv", "log", "md", "jsonl"],
  needsItemCount: false,

  async open(input) {
    throw new InputError(`${input.name} holds lines of text, not numbers or records`, {
      hint: "sort it or check its order; if its lines are numbers, name the format text",
      options: ["format"],
    });
  },

  async create(output) {
    throw new InputError(`cannot write ${output.name} as lines: the input holds none`, {
      hint: "name another format for the output, such as text",
      options: ["to"],
    });
  },
};

/**
 * Whether the first bytes of a text are meant as lines of one number each: at least half of the lines that
 * are not blank are numbers. Then a header, or a line with a mistake in it, is an error that names the line,
 * instead of a sort of all lines as text.
 */
export function holdsNumbers(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  const lines = text.replace(/^\xef\xbb\xbf/, "").split("\n");
  if (head.length >= HEAD_BYTES && lines.length > 1) lines.pop(); // its end was not read
  const filled = lines.map((line) => line.replace(/^[ \t]+|[ \t\r]+$/g, "")).filter(Boolean);
  return 2 * filled.filter(isNumber).length >= filled.length;
}

const parse = lineParser(elementType("f64"), "inf");
const isNumber = (line: string) => typeof parse(line) !== "string";
