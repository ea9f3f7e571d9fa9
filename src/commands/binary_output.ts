import { InputError } from "../core/errors.js";
import { formatOfPath } from "../formats/registry.js";
import { writesTerminal } from "./terminal.js";

export interface OutputWords {
  /** The output's format, if it is named. */
  readonly to?: string | undefined;
  /** The inputs' format, if it is named. */
  readonly format?: string | undefined;
  readonly record?: string | undefined;
  /** The output's compression, if it is named. */
  readonly compress?: string | undefined;
}

/**
 * Binary keys on a terminal are noise, and may switch it to another mode.
 *
 * @throws InputError if the output is a terminal, unless what is named says that text will be written.
 */
export function refuseBinaryOnTerminal(output: string, inputs: readonly string[], words: OutputWords): void {
  const { record, format = record === undefined ? inputs.map(formatOfName)[0] : "records" } = words;
  const { compress = "none" } = words;
  if (((words.to ?? format) === "text" && compress === "none") || !writesTerminal(output)) return;
  throw new InputError("binary keys would be written to a terminal", {
    hint: "name a file, write text, or pipe them to another program",
    options: ["output", "to"],
  });
}

const formatOfName = (path: string) => formatOfPath(path)?.name;
