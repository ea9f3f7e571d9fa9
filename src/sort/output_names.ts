import type { ElementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { describeItem, type Item } from "../core/items/item.js";
import type { Style } from "../formats/format.js";
import { foreignOfPath } from "../kinds/foreign.js";
import { extensionOf, kindOfPath, typeOfPath } from "../kinds/names.js";
import type { RowOrder } from "../rows/order/row_order.js";
import type { TableFormatName } from "./output_formats.js";
import type { OutputOptions, SortOutput } from "./outputs.js";

/** What the name of an output is compared with. */
interface NameContext extends OutputOptions {
  /**
   * The names of the inputs. An extension that an input has too may stay: the caller then reads that input as
   * something else than its name says.
   */
  readonly inputs?: readonly string[];
}

/**
 * Refuses a name that promises another type of keys, or another format, than the output has. gpusort converts
 * no types, so a program that trusts the name would read wrong numbers.
 *
 * @param like the style of the input.
 * @throws InputError if the extension of the output names something else, unless the options name a format.
 */
export function requireTypeOfName(target: SortOutput, item: Item, like: Style, context: NameContext): void {
  const path = nameToCheck(target, context);
  if (path === undefined) return;
  const holds = describeItem(item);
  const format = kindOfPath(path)?.kind;
  if ((format === "lines" || format === "csv") && item.kind === "key" && like.format !== "text") {
    throw new InputError(`the output ${path} is named for lines of text, but would hold ${holds}`, {
      hint: "name the format text to write numbers as text, or raw to write them all the same",
      options: ["output", "to"],
    });
  }
  if (format === "npy" && item.kind === "record") throw namedFor(path, "a NumPy array", holds);
  const other = tableOrForeign(path);
  if (other !== undefined && !isNameOfInput(path, context)) throw namedFor(path, other, holds);
  const named = typeOfPath(path);
  if (!named || (item.kind === "key" && named === item.type)) return;
  if (context.inputs?.some((name) => typeOfPath(name) === named)) return;
  if (item.kind === "record") throw namedFor(path, keysOf(named), holds);
  // What is read as text, or could be, may have keys of another type.
  const isText = like.format === "text";
  const retyped = isText ? `name the type of its keys, such as ${named.name}; or ` : "";
  throw new InputError(`the output ${path} is named for ${keysOf(named)}, but would hold ${holds}`, {
    hint: `${retyped}name it *.${item.type.name}, as no type is converted; or name its format to write it all the same`,
    options: [...(isText ? (["type"] as const) : []), "output", "to"],
  });
}

/**
 * Refuses a name that promises anything but text for lines.
 * @throws InputError unless the options name a format.
 */
export function requireRowsOfName(target: SortOutput, context: NameContext): void {
  const path = nameToCheck(target, context);
  if (path === undefined) return;
  const numbers = numbersOf(path);
  if (numbers !== undefined) throw namedFor(path, numbers, "lines of text");
  const other = tableOrForeign(path);
  if (other === undefined || isNameOfInput(path, context)) return;
  throw namedFor(path, other, "lines of text", other === PARQUET);
}

/**
 * Refuses a name that promises another separator than the records have. gpusort moves records as they are.
 *
 * @throws InputError if a .tsv would hold no tabs, or a .csv would, unless an input is named so, too.
 */
export function requireSeparatorOfName(target: SortOutput, order: RowOrder, context: NameContext): void {
  const path = nameToCheck(target, context);
  if (path === undefined || !order.quotes || isNameOfInput(path, context)) return;
  const name = kindOfPath(path);
  const hasTabs = order.separator === TAB;
  if (name?.kind !== "csv" || (name.separator === TAB) === hasTabs) return;
  const [named, held] = hasTabs ? ["commas", "tabs"] : ["tabs", "others"];
  throw new InputError(
    `the output ${path} is named for fields between ${named}, but would have ${held} between them`,
    {
      hint: `name it *${hasTabs ? ".tsv" : ".csv"}, as records are moved as they are; or name the format lines`,
      options: ["output", "to"],
    },
  );
}

const TAB = 9;

/**
 * Refuses a name that promises anything but a table.
 *
 * @param format the format that is written.
 * @throws InputError unless the options name a format.
 */
export function requireTableOfName(target: SortOutput, format: TableFormatName, context: NameContext): void {
  const path = nameToCheck(target, context);
  if (path === undefined || isNameOfInput(path, context)) return;
  const kind = kindOfPath(path)?.kind;
  if (kind === format) return;
  const isText = ["lines", "text", "csv"].includes(kind ?? "");
  const other = isText ? "text" : (numbersOf(path) ?? foreignOfPath(path));
  if (other !== undefined) throw namedFor(path, other, format === "csv" ? "CSV" : PARQUET);
}

/** The path of an output whose name has to fit; undefined if any name will do. */
function nameToCheck(target: SortOutput, { to }: NameContext): string | undefined {
  return typeof target === "string" && to === undefined ? target : undefined;
}

function isNameOfInput(path: string, { inputs = [] }: NameContext): boolean {
  return inputs.some((name) => extensionOf(name) === extensionOf(path));
}

const PARQUET = "a Parquet file";

/** What the extension names that holds neither keys nor lines; undefined if it names nothing of the kind. */
function tableOrForeign(path: string): string | undefined {
  return kindOfPath(path)?.kind === "parquet" ? PARQUET : foreignOfPath(path);
}

/** The numbers that the extension names; undefined if it names none. */
function numbersOf(path: string): string | undefined {
  const type = typeOfPath(path);
  if (type) return keysOf(type);
  return kindOfPath(path)?.kind === "npy" ? "a NumPy array" : undefined;
}

const keysOf = ({ name }: ElementType) => `${name} keys`;

/** @param mayBeTable whether the name would fit, if columns to sort by were named. */
function namedFor(path: string, what: string, holds: string, mayBeTable = false): InputError {
  const columns = mayBeTable ? "name the columns to sort by, or " : "";
  return new InputError(`the output ${path} is named for ${what}, but would hold ${holds}`, {
    hint: `${columns}give it another name, or name its format to write it all the same`,
    options: [...(mayBeTable ? (["by"] as const) : []), "output", "to"],
  });
}
