import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { quoteBytes } from "../quote.js";
import type { LineReader } from "./line_reader.js";
import { lineParser, type Objection, typeAndRange } from "./numbers.js";
import type { KeyTextOptions } from "./options.js";

/** The error for the current line: where it is, what it holds, what was expected, and what to do. */
export function refuseLine(
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
