import { splitCompression } from "../core/compression.js";
import { type ElementType, elementTypes } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";

/** What a file holds: keys, numbers as text, records of one length, lines, rows of CSV, or a Parquet table. */
export type Kind = "raw" | "npy" | "text" | "records" | "lines" | "csv" | "parquet";

/** What the extension of a file says about its contents. */
export interface NamedKind {
  readonly kind: Kind;
  /** The type of raw keys, if the extension names it. */
  readonly type?: ElementType;
  /** The byte between two fields of CSV, if the extension says it. */
  readonly separator?: number;
  /** Whether each line is a JSON object. */
  readonly isJson?: boolean;
}

const TAB = 9;

/** Every extension that says what a file holds, in lower case and without the dot. */
export const extensions: ReadonlyMap<string, NamedKind> = new Map<string, NamedKind>([
  ...elementTypes.map((type) => [type.name, { kind: "raw", type }] as const),
  ...["bin", "raw", "dat"].map((name) => [name, { kind: "raw" }] as const),
  ["npy", { kind: "npy" }],
  ...["txt", "text"].map((name) => [name, { kind: "text" }] as const),
  ["csv", { kind: "csv" }],
  ["tsv", { kind: "csv", separator: TAB }],
  ...["log", "md"].map((name) => [name, { kind: "lines" }] as const),
  ...["json", "jsonl", "ndjson"].map((name) => [name, { kind: "lines", isJson: true }] as const),
  ...["parquet", "parq", "pq"].map((name) => [name, { kind: "parquet" }] as const),
]);

/** The extensions of outputs, of formats whose extension says no type. */
export const outputExtensions: ReadonlyMap<string, string> = new Map([
  ["npy", ".npy"],
  ["text", ".txt"],
]);

/** The extension of a path before that of a compression, in lower case and without the dot; "" if none. */
export function extensionOf(path: string): string {
  return /\.(\w+)$/.exec(splitCompression(path).inner)?.[1]?.toLowerCase() ?? "";
}

/** What the extension of a path says about its contents; undefined if it says nothing. */
export const kindOfPath = (path: string): NamedKind | undefined => extensions.get(extensionOf(path));

/** The type of keys that the extension of a path names; undefined if it names none. */
export const typeOfPath = (path: string): ElementType | undefined => kindOfPath(path)?.type;

/** The kinds of numbers and of records, as options write them. Others hold rows. */
export const itemKindNames = ["raw", "npy", "text", "records"] as const satisfies readonly Kind[];

/** The names of all kinds. */
export const kindNames: readonly Kind[] = [...itemKindNames, "lines", "csv", "parquet"];

/** Names to choose from, as a sentence has them: "gz, zst or none". */
export function listed(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** What else the kinds are called. */
const namesElsewhere = new Map<string, Kind>([
  ["txt", "text"],
  ["ascii", "text"],
  ["numpy", "npy"],
  ["bin", "raw"],
  ["binary", "raw"],
  ["record", "records"],
  ["line", "lines"],
  ["rows", "lines"],
  ["tsv", "csv"],
  ["json", "lines"],
  ["jsonl", "lines"],
]);

/** The kind that others call by a name; undefined if there is none. */
export const kindElsewhere = (name: string): Kind | undefined => namesElsewhere.get(name.toLowerCase());

/** Reads the name of a kind. @throws InputError if there is none. */
export function kindNamed(name: string): Kind {
  const kind = kindNames.find((one) => one === name);
  if (kind) return kind;
  throw new InputError(`unknown format '${name}'`, {
    hint: nameHint(name, kindNames, kindElsewhere(name)),
  });
}
