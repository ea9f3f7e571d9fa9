import { InputError, type OptionName } from "../core/errors.js";
import { nearestName } from "../core/names.js";
import { kindElsewhere, kindOfPath, listed } from "../kinds/names.js";

/** What is written. */
export type OutputContent = "numbers" | "records" | "text" | "lines" | "indices" | "a table";

/** The formats that can be written of each. */
const formats: Readonly<Record<OutputContent, readonly string[]>> = {
  numbers: ["raw", "npy", "text"],
  records: ["records", "raw"],
  text: ["raw", "npy", "text", "lines"],
  lines: ["lines"],
  indices: ["raw", "npy", "text"],
  "a table": ["parquet", "csv"],
};

/** The error for a word that is no format of such contents. */
export function unknownOutputFormat(word: string, contents: readonly OutputContent[]): InputError {
  const names = contents.flatMap((content) => formats[content]);
  const elsewhere = kindElsewhere(word);
  const likely = nearestName(word, names) ?? (names.includes(elsewhere ?? "") ? elsewhere : undefined);
  const some = contents.map((content) => `${listed(formats[content])} for ${content}`);
  return new InputError(`unknown format '${word}'`, {
    hint: `${likely === undefined ? "" : `did you mean ${likely}? `}use one of these: ${some.join("; ")}`,
    options: ["to"],
  });
}

/**
 * Checks the format that the caller names for the output.
 *
 * @param name the name of the first input, if it is known. Lines of CSV are CSV.
 * @throws InputError if such content cannot be written in it; the hint has the formats that it can.
 */
export function requireWritable(content: OutputContent, to: string | undefined, name?: string): void {
  if (to === undefined || formats[content].includes(to)) return;
  const isCsv = content === "lines" && name !== undefined && kindOfPath(name)?.kind === "csv";
  if (isCsv && to === "csv") return;
  const takesColumns = (content === "lines" || content === "text") && to === "parquet";
  const hint = `write ${listed([...formats[content], ...(isCsv ? ["csv"] : [])])}`;
  const options: OptionName[] = takesColumns ? ["to", "by"] : ["to"];
  throw new InputError(`${content} cannot be written as ${to}${name === undefined ? "" : `: ${name}`}`, {
    hint: takesColumns ? `${hint}; or name the columns to sort by` : hint,
    options,
  });
}

/**
 * A format that tables are written in. Those of CSV are separated by commas, or by tabs in a file named .tsv.
 */
export type TableFormatName = "parquet" | "csv";

/** What tables are read from. JSON has one object in each line. */
export type TableKind = TableFormatName | "json";

export function isTableFormat(name: string | undefined): name is TableFormatName {
  return name === "parquet" || name === "csv";
}
