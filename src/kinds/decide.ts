import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import {
  areMostlyNumbers,
  beginsAsText,
  HEAD_BYTES,
  hasParquetEnd,
  holdsJsonLines,
  isTextual,
  type JsonColumns,
  latin1Of,
  refuseJsonArray,
  refuseJsonOfSeveralLines,
  requireText,
  sampleNumbers,
} from "./content.js";
import { refuseForeign } from "./foreign.js";
import { type Kind, kindNamed, kindOfPath } from "./names.js";
import { refuseWide } from "./wide_text.js";

/** The options that say what inputs hold. */
export interface KindOptions {
  readonly format?: Kind | undefined;
  readonly recordBytes?: number | undefined;
  readonly type?: string | undefined;
  readonly byteOrder?: string | undefined;
  readonly skipBytes?: number | undefined;
  readonly blankLines?: string | undefined;
  readonly textOverflow?: string | undefined;
  /** Whether the first line of text is a header. */
  readonly header?: boolean | undefined;
  /** The order of lines, by keys of sort(1). */
  readonly rows?: { readonly terminator: number; readonly separator?: number | undefined } | undefined;
  /** The columns to sort by. */
  readonly by?: JsonColumns | undefined;
}

/** An input, and what it holds. */
export interface KnownInput {
  /** To be read in the place of the one that was given: it may have to be tested while it is read. */
  readonly file: InputFile;
  /** Undefined for an input without any bytes whose name says nothing: it can hold none of anything. */
  readonly kind: Kind | undefined;
}

const NPY_MAGIC = "\x93NUMPY";

/** Whether an input is a Parquet file: an option says so, or its extension or either of its ends does. */
export async function isParquet(input: InputFile, { format }: KindOptions): Promise<boolean> {
  if (format !== undefined) return format === "parquet";
  return kindOfPath(input.name)?.kind === "parquet" || hasParquetEnd(input);
}

/**
 * Decides what an input holds, by the first of these rules that says something (docs/formats.md has them):
 *
 * 1. the option `format`, or the length of a record;
 * 2. the first bytes of a .npy file;
 * 3. options that only numbers have, or only text;
 * 4. the extension of its name;
 * 5. keys of lines, or columns, which only text has;
 * 6. its contents: text if no byte of it is 0.
 *
 * A Parquet file is known before all that: see `isParquet`.
 *
 * @throws InputError if it is of a kind that gpusort does not read, if it is no text although nothing else says
 *   what it holds, or if options say that it holds lines, and its name or its first bytes that it does not.
 */
export async function kindOf(input: InputFile, options: KindOptions): Promise<KnownInput> {
  const { format, recordBytes, type, rows, by } = options;
  const known = (kind: Kind | undefined, file = input) => ({ kind, file });
  if (format !== undefined) {
    const kind = kindNamed(format);
    // A line break of two bytes would be cut in two. Lines may be of any bytes.
    if ((kind === "csv" || kind === "text") && !dividesByZeros(options)) await refuseWide(input, true);
    return known(kind);
  }
  if (recordBytes !== undefined) return known("records");
  const named = kindOfPath(input.name);
  const ofLines = by ? "csv" : rows ? "lines" : undefined;
  if (await isNpy(input)) return known(ofLines ? refuse(input.name, "npy", options) : "npy");
  const isText = named !== undefined && ["text", "lines", "csv"].includes(named.kind);
  const ofOptions = kindOfOptions(named?.kind, options);
  if (named && !isText) {
    if (!named.type && !ofOptions && named.kind === "raw") await requireKeys(input);
    return known(ofLines ? refuse(input.name, named.kind, options) : named.kind);
  }
  // A byte order and bytes to skip describe keys so well that these may begin like a file of another kind.
  if (ofOptions !== "raw" || type !== undefined) await refuseForeign(input);
  if (ofOptions === "raw") await refuseLines(input, options);
  if (ofOptions) return known(ofOptions);
  if ((await input.peek(1)).length === 0) return known(ofLines ?? named?.kind);
  const kind = ofLines ?? named?.kind;
  if (dividesByZeros(options)) return known(kind);
  await refuseWide(input, kind !== undefined);
  if (by) await refuseJsonArray(input, by);
  if (by ? await holdsJsonLines(input) : named?.isJson && !rows) await refuseJsonOfSeveralLines(input, by);
  return kind ? known(kind) : known("text", await requireText(input));
}

/** Whether bytes 0 are what ends lines or fields, and so no parts of characters. */
const dividesByZeros = ({ rows }: KindOptions) => rows?.terminator === 0 || rows?.separator === 0;

/** What options say that only numbers have; undefined if there are none. */
function kindOfOptions(
  named: Kind | undefined,
  { type, byteOrder, skipBytes, blankLines, textOverflow }: KindOptions,
): Kind | undefined {
  if (named !== "text" && (byteOrder !== undefined || skipBytes !== undefined)) return "raw";
  if (blankLines !== undefined || textOverflow !== undefined) return "text";
  if (type === undefined && byteOrder === undefined && skipBytes === undefined) return undefined;
  return named === "text" ? "text" : "raw";
}

/**
 * @throws InputError if an input that is named for keys, but for no type, begins as another file or as text.
 */
async function requireKeys(input: InputFile): Promise<void> {
  await refuseForeign(input);
  if (!(await beginsAsText(input))) return;
  throw new InputError(`${input.name} is named for binary keys, but begins as text`, {
    hint: "name the format lines, or text if each line is a number; or the type of its keys",
    options: ["format", "type"],
  });
}

/** After more bytes than these to skip, it is not tested whether lines of text follow. */
const MOST_SKIPPED = 1 << 20;

/**
 * @throws InputError if an input that only options make keys has lines of text where these begin, which keys
 *   would cut up.
 */
async function refuseLines(input: InputFile, options: KindOptions): Promise<void> {
  const { type, skipBytes = 0 } = options;
  if (skipBytes > MOST_SKIPPED) return;
  const head = (await input.peek(skipBytes + HEAD_BYTES)).subarray(skipBytes);
  if (!isTextual(head) || !head.includes(0x0a)) return;
  const where = skipBytes > 0 ? `has lines of text after ${skipBytes} bytes` : "begins as lines of text";
  const ofType = type === undefined ? "" : ` of type ${type}`;
  throw new InputError(`${input.name} ${where}, and not keys${ofType}`, {
    hint:
      "name the format raw if it holds keys nevertheless; " +
      "else text if each line is a number, or lines, without options of keys",
    options: ["format"],
  });
}

async function isNpy(input: InputFile): Promise<boolean> {
  const head = await input.peek(NPY_MAGIC.length);
  return latin1Of(head) === NPY_MAGIC;
}

/** What keys of lines and columns are refused for. */
function refuse(name: string, kind: Kind, { by }: KindOptions): never {
  throw new InputError(`${by ? "columns" : "keys of lines"} do not apply to ${name}: it is read as ${kind}`, {
    hint: `leave them out, or name the format ${by ? "csv" : "lines"}`,
    options: [by ? "by" : "rows", "format"],
  });
}

/** Kinds whose files can be sorted as one: text is lines, and each line of text may be a key. */
const groups: readonly (readonly Kind[])[] = [
  ["lines", "text"],
  ["raw", "npy", "text"],
];

/**
 * Decides what several inputs hold, which are sorted as one.
 *
 * @returns the inputs to read, each with what it holds; and what decides how all are sorted: undefined if none
 *   of them has any bytes, or a name that says it.
 * @throws InputError as `kindOf` does, or if they hold different things.
 */
export async function kindOfAll(
  inputs: readonly InputFile[],
  options: KindOptions,
): Promise<{ readonly all: readonly KnownInput[]; readonly kind: Kind | undefined }> {
  const all: KnownInput[] = [];
  for (const input of inputs) all.push(await kindOf(input, options));
  const some = all.filter(({ kind }) => kind !== undefined);
  const first = some.find(({ kind }) => kind !== "text") ?? some[0];
  const together = groups.find((group) => group.includes(first?.kind ?? "text")) ?? [first!.kind!];
  const other = some.find(({ kind }) => !together.includes(kind!));
  if (!first || !other) {
    if (first?.kind === "raw" || first?.kind === "npy") await requireNumbers(some, first, options);
    return { all, kind: first?.kind };
  }
  throw new InputError(
    `${first.file.name} is read as ${first.kind}, but ${other.file.name} as ${other.kind}`,
    {
      hint: "sort them one by one, or name one format for all",
      options: ["format"],
    },
  );
}

/** @throws InputError if an input of text, which is to be sorted with keys, holds other lines than numbers. */
async function requireNumbers(
  inputs: readonly KnownInput[],
  keys: KnownInput,
  { header }: KindOptions,
): Promise<void> {
  for (const { file, kind } of inputs) {
    if (kind !== "text" || areMostlyNumbers(await sampleNumbers(file, header))) continue;
    throw new InputError(`${file.name} holds lines of text, but ${keys.file.name} is read as ${keys.kind}`, {
      hint: "sort them one by one, or name one format for all",
      options: ["format"],
    });
  }
}

/**
 * What DuckDB reads of inputs with columns that become Parquet: lines of JSON, or CSV.
 *
 * @throws InputError if some are the one, and others the other. An empty input is either.
 */
export async function tableOfText(
  inputs: readonly InputFile[],
  { format }: KindOptions,
): Promise<"csv" | "json"> {
  if (format === "csv") return "csv";
  let [json, csv]: (InputFile | undefined)[] = [];
  for (const input of inputs) {
    if (inputs.length > 1 && (await input.peek(1)).length === 0) continue;
    if (await holdsJsonLines(input)) json ??= input;
    else csv ??= input;
  }
  if (!json || !csv) return json ? "json" : "csv";
  throw new InputError(`${json.name} holds lines of JSON, but ${csv.name} rows of CSV`, {
    hint: "sort them one by one, or name one format for all",
    options: ["format"],
  });
}
