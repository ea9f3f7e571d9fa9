import type { Command } from "commander";
import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { isSeparator } from "./line_keys.js";

/**
 * Tells what -t means: the type of keys, or the separator of fields, as in sort(1). No type has a name of one
 * byte. A separator is moved from the option --type to --field-separator.
 *
 * @throws InputError if it is neither.
 */
export function moveSeparator(command: Command): void {
  const value: unknown = command.getOptionValue("type");
  if (typeof value !== "string") return;
  if (!isSeparator(value)) {
    requireType(value);
    return;
  }
  const separator: unknown = command.getOptionValue("fieldSeparator");
  if (separator !== undefined && separator !== value) {
    throw new InputError(`--field-separator '${separator}' and -t '${value}' differ`, {
      hint: "leave one of them out",
    });
  }
  command.setOptionValueWithSource("fieldSeparator", value, "cli");
  command.setOptionValueWithSource("type", undefined, undefined);
}

function requireType(name: string): void {
  try {
    elementType(name);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const hint = `${error.hint}; or, to separate the fields of lines, one byte, as in -t, or -t '\\t'`;
    throw new InputError(error.message, { hint });
  }
}
