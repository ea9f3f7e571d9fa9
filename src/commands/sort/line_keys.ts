import type { Command } from "commander";
import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { nameHint } from "../../core/names.js";
import { listed } from "../../kinds/names.js";
import type { IgnoredBytes, RowComparison, RowKey, RowOrder } from "../../rows/order/row_order.js";
import { notRecordKey } from "../parse.js";

/** The options of sort(1) about the order of lines, as the command line has them. */
export interface LineArguments {
  readonly key?: readonly string[] | undefined;
  /** The length of a record: then keys are those of records. */
  readonly record?: string | undefined;
  readonly fieldSeparator?: string | undefined;
  readonly zeroTerminated?: boolean | undefined;
  readonly ignoreLeadingBlanks?: boolean | undefined;
  readonly dictionaryOrder?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly generalNumericSort?: boolean | undefined;
  readonly humanNumericSort?: boolean | undefined;
  readonly ignoreNonprinting?: boolean | undefined;
  readonly monthSort?: boolean | undefined;
  readonly numericSort?: boolean | undefined;
  readonly versionSort?: boolean | undefined;
  readonly sort?: string | undefined;
  readonly reverse?: boolean | undefined;
  /** Columns, which have orders of their own. */
  readonly by?: readonly string[] | undefined;
}

/** How a key is ordered: letters of sort(1), as in -k2nr. */
interface Ordering {
  readonly letters: ReadonlySet<string>;
  /** Whether blanks are skipped where the key begins, and where it ends. */
  readonly skipsAtBegin: boolean;
  readonly skipsAtEnd: boolean;
}

/** The letters that say how keys are compared. A key has at most one of them. */
const comparisons = new Map<string, RowComparison>([
  ["g", "float"],
  ["h", "human"],
  ["M", "month"],
  ["n", "decimal"],
  ["V", "natural"],
]);

/** The words of --sort, and their letters. */
export const sortWords = new Map([
  ["general-numeric", "g"],
  ["human-numeric", "h"],
  ["month", "M"],
  ["numeric", "n"],
  ["version", "V"],
]);

/** No line has as many fields or bytes, so larger numbers mean the same. */
const MOST = 2 ** 31 - 1;

/** Whether a key is one of records: OFFSET:BYTES or OFFSET:TYPE. */
const isRecordKey = (text: string) => text.includes(":");

/**
 * Reads the options of sort(1) about the order of lines. A key that has no letters of its own has those of
 * the whole command line, as in sort(1).
 *
 * @returns undefined if there are none, except perhaps --reverse alone, which numbers have too.
 * @throws InputError if one is wrong, or if two cannot be combined.
 */
export function parseRowOrder(args: LineArguments): RowOrder | undefined {
  const texts = args.key ?? [];
  const [recordKey, lineKey] = [texts.find(isRecordKey), texts.find((text) => !isRecordKey(text))];
  if (args.record !== undefined && lineKey !== undefined) throw notRecordKey(lineKey);
  if (recordKey !== undefined && lineKey !== undefined) {
    throw new InputError(`--key '${recordKey}' is a key of records, but --key '${lineKey}' is one of lines`, {
      hint: "write OFFSET:BYTES for records with --record, or FIELD[.BYTE][,FIELD[.BYTE]] for lines",
    });
  }
  const global = globalOrdering(args);
  const ordersLines = global.letters.size > (global.letters.has("r") ? 1 : 0) || global.skipsAtBegin;
  const { fieldSeparator, zeroTerminated = false } = args;
  if (!ordersLines && lineKey === undefined && fieldSeparator === undefined && !zeroTerminated)
    return undefined;
  if (recordKey !== undefined) {
    throw new InputError(`--key '${recordKey}' is a key of records, but other options order lines`, {
      hint: `${KEY_FORM} for lines, as in -k 2,2n; a key of records needs --record, and no option of lines`,
    });
  }
  const keys = lineKey === undefined ? [] : texts.map((text) => parseLineKey(text, global));
  if (keys.length === 0 && !isPlain(global))
    keys.push(rowKey({ field: 0, offset: 0 }, undefined, global, ""));
  return {
    terminator: zeroTerminated ? 0 : 10,
    separator: fieldSeparator === undefined ? undefined : parseSeparator(fieldSeparator),
    quotes: false,
    keys,
  };
}

function globalOrdering(args: LineArguments): Ordering {
  const letters = new Set<string>();
  const isChosen = {
    d: args.dictionaryOrder,
    f: args.by ? undefined : args.ignoreCase, // columns have it
    g: args.generalNumericSort,
    h: args.humanNumericSort,
    i: args.ignoreNonprinting,
    M: args.monthSort,
    n: args.numericSort,
    r: args.by ? undefined : args.reverse, // columns have directions of their own
    V: args.versionSort,
  };
  for (const [letter, isOn] of Object.entries(isChosen)) if (isOn) letters.add(letter);
  if (args.sort !== undefined) letters.add(letterOfWord(args.sort));
  const skips = args.ignoreLeadingBlanks ?? false;
  return { letters, skipsAtBegin: skips, skipsAtEnd: skips };
}

function letterOfWord(word: string): string {
  const letter = sortWords.get(word);
  if (letter !== undefined) return letter;
  throw new InputError(`--sort '${word}' is not an order of lines`, {
    hint: nameHint(word, [...sortWords.keys()]),
  });
}

const isPlain = ({ letters, skipsAtBegin, skipsAtEnd }: Ordering) =>
  letters.size === 0 && !skipsAtBegin && !skipsAtEnd;

/**
 * Reads the key of -k, as POSIX and GNU define it: FIELD[.BYTE][LETTERS][,FIELD[.BYTE][LETTERS]].
 *
 * @param global what the key inherits if it has no letters of its own.
 * @throws InputError that says what is wrong with it.
 */
function parseLineKey(text: string, global: Ordering): RowKey {
  const wrong = (why: string, hint = `${KEY_FORM}, as in -k 2,2n`) =>
    new InputError(`--key '${text}' is not a key of lines: ${why}`, { hint });
  const parts = /^(\d+)(?:\.(\d*))?([^,\d]*)(?:,(\d+)(?:\.(\d*))?(\D*))?$/s.exec(text);
  if (!parts) throw wrong("it is no pair of positions, nor a single one");
  const [, beginField, beginByte, beginLetters = "", endField, endByte, endLetters = ""] = parts;
  if (beginByte === "" || endByte === "") throw wrong("a point is followed by the number of a byte");
  for (const letter of `${beginLetters}${endLetters}`) {
    if (letter === "R") throw wrong("gpusort has no order R", "use shuf(1)");
    if (!LETTERS.includes(letter)) throw wrong(`there is no letter ${letter}`, `use ${listed(LETTERS)}`);
  }
  const [field, offset] = [count(beginField), count(beginByte ?? "1")];
  if (field === 0 || endField === "0" || count(endField) === 0) throw wrong("fields are counted from 1");
  if (offset === 0) throw wrong("bytes are counted from 1");
  const own: Ordering = {
    letters: new Set(`${beginLetters}${endLetters}`.replaceAll("b", "")),
    skipsAtBegin: beginLetters.includes("b"),
    skipsAtEnd: endLetters.includes("b"),
  };
  const begin = { field: field - 1, offset: offset - 1 };
  const bytes = count(endByte ?? "0"); // 0 means the end of the field
  const end =
    endField === undefined ? undefined : { field: count(endField) - 1, ...(bytes > 0 && { bytes }) };
  return rowKey(begin, end, isPlain(own) ? global : own, text);
}

const KEY_FORM = "write FIELD[.BYTE][LETTERS][,FIELD[.BYTE][LETTERS]]";
const LETTERS = [..."bdfghiMnrV"];

const count = (digits = "1") => Math.min(Number(digits), MOST);

/** Makes a key. @throws InputError if the letters of its order cannot be combined. */
function rowKey(begin: RowKey["begin"], end: RowKey["end"], ordering: Ordering, text: string): RowKey {
  const { letters, skipsAtBegin, skipsAtEnd } = ordering;
  const kinds = [...comparisons].filter(([letter]) => letters.has(letter));
  const ignored = ["d", "i"].find((letter) => letters.has(letter)); // -d ignores all that -i does
  const isNatural = letters.has("V"); // which leaves bytes out, too
  const [one, other] = [
    ...kinds.map(([letter]) => letter),
    ...(ignored === undefined || isNatural ? [] : [ignored]),
  ];
  if (other !== undefined) {
    const where = text === "" ? "" : `--key '${text}': `;
    throw new InputError(
      `${where}-${one} and -${other} cannot be combined: they compare keys in different ways`,
      {
        hint: "leave one of them out, or give each key its own letters, as in -k1,1d -k2,2n",
      },
    );
  }
  const compare = kinds[0]?.[1] ?? "bytes";
  const ignore: IgnoredBytes | undefined =
    ignored === undefined ? undefined : ignored === "d" ? "punctuation" : "nonprinting";
  return {
    begin: { ...begin, ...(skipsAtBegin && { skipBlanks: true }) },
    ...(end && { end: { ...end, ...(skipsAtEnd && end.bytes !== undefined && { skipBlanks: true }) } }),
    compare,
    ...((compare === "bytes" || compare === "human" || isNatural) && letters.has("f") && { foldCase: true }),
    ...(ignore && { ignore }),
    ...(letters.has("r") && { descending: true }),
  };
}

/** Whether a word can only be a separator: one byte, or a backslash with 0 or t. */
export const isSeparator = (text: string) =>
  Buffer.byteLength(text) === 1 || text === "\\0" || text === "\\t";

/** Reads the separator of fields: one byte, or \0, or \t. @throws InputError if it is anything else. */
function parseSeparator(text: string): number {
  if (text === "\\0") return 0;
  if (text === "\\t") return 9;
  if (isSeparator(text)) return Buffer.from(text)[0]!;
  const what = text === "" ? "is empty" : "has more than one byte";
  throw new InputError(`--field-separator '${text}' ${what}`, {
    hint: "write one character of ASCII, or '\\t' for a tab, or '\\0' for a byte 0",
  });
}

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
