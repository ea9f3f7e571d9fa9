import type { ElementType } from "../../core/elements.js";
import { InputError, type OptionName } from "../../core/errors.js";
import type { InputOptions } from "../format.js";
import type { TextOverflow } from "./numbers.js";

/** The checked options of a text input. */
export interface KeyTextOptions {
  readonly type: ElementType;
  readonly skipsBlankLines: boolean;
  readonly header: boolean;
  readonly overflow: TextOverflow;
}

/** Checks the options of text. @throws InputError if one is wrong. */
export function requireTextOptions(options: InputOptions, type: ElementType): KeyTextOptions {
  const { blankLines = "error", header = false, textOverflow = "error" } = options;
  requireOneOf(blankLines, ["error", "skip"], "what to do with blank lines", "blankLines");
  requireOneOf(header, [true, false], "whether there is a header line", "header");
  requireOneOf(textOverflow, ["error", "inf"], "what to do with numbers that are too large", "textOverflow");
  if (textOverflow === "inf" && type.order !== "float") {
    throw new InputError(`numbers that are too large for ${type.name} cannot become inf: it has none`, {
      hint: "name a float type",
      options: ["type", "textOverflow"],
    });
  }
  return { type, skipsBlankLines: blankLines === "skip", header, overflow: textOverflow };
}

function requireOneOf<T>(value: T, choices: readonly T[], what: string, option: OptionName): void {
  if (choices.includes(value)) return;
  throw new InputError(`${what} cannot be '${value}'`, {
    hint: `use ${choices.join(" or ")}`,
    options: [option],
  });
}
