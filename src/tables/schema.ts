import type { DataType, Field, Schema } from "apache-arrow";
import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";
import { isSortable } from "./codes.js";
import type { Key } from "./order.js";
import type { SortColumn } from "./sort_column.js";
import { TypeId } from "./type_ids.js";

/**
 * The first difference between two schemas, in words; undefined if they have the same columns. Metadata may
 * differ.
 *
 * @param options `views`: whether strings as views, which are laid out differently only, count as another
 * type.
 */
export function firstDifference(one: Schema, other: Schema, { views = true } = {}): string | undefined {
  const textOf = (type: DataType) => (views ? typeText(type) : typeText(type).replaceAll("View", ""));
  return differenceOf(one.fields, other.fields, "", textOf);
}

function differenceOf(
  ones: readonly Field[],
  others: readonly Field[],
  inside: string,
  textOf: (type: DataType) => string,
): string | undefined {
  for (let i = 0; i < Math.max(ones.length, others.length); i++) {
    const [one, other] = [ones[i], others[i]];
    if (!one) return `the column ${inside}${other!.name} is there in one of them only`;
    if (!other) return `the column ${inside}${one.name} is there in one of them only`;
    const name = `${inside}${one.name}`;
    if (one.name !== other.name)
      return `column ${i + 1} is ${name} in one and ${inside}${other.name} in the other`;
    const [from, to] = [textOf(one.type), textOf(other.type)];
    if (from !== to) return `the column ${name} is ${from} in one and ${to} in the other`;
    if (one.nullable !== other.nullable) return `the column ${name} may be null in one of them only`;
    const nested = differenceOf(one.type.children ?? [], other.type.children ?? [], `${name}.`, textOf);
    if (nested) return nested;
  }
  return undefined;
}

/** A type in words that tell it from every other one. The names of a map's children do not matter. */
function typeText(type: DataType): string {
  const { typeId } = type as { typeId: number };
  const { listSize, keysSorted, isOrdered } = type as DataType & Record<string, unknown>;
  return [
    String(type),
    listSize,
    typeId === TypeId.map && keysSorted,
    typeId === TypeId.dictionary && isOrdered,
  ]
    .filter((part) => part !== undefined && part !== false)
    .join(" ");
}

/**
 * Finds the columns to sort by.
 *
 * @param reverse whether all directions are turned around.
 * @throws InputError if there is no such column, or if it has no order.
 */
export function keysOf(schema: Schema, by: readonly SortColumn[], reverse: boolean): Key[] {
  const names = schema.fields.map(({ name }) => name);
  return by.map(({ column, descending = false, nulls = "last", type }) => {
    if (type !== undefined) {
      throw new InputError(`the column ${column} has a type already, so it cannot be read as ${type}`, {
        hint: "leave the type out: Arrow and Parquet files say the types of their columns",
        options: ["by"],
      });
    }
    const place = placeOf(names, column);
    const { type: own } = schema.fields[place]!;
    if (!isSortable(own)) {
      throw new InputError(`the column ${column} cannot be sorted by: it has the type ${own}`, {
        hint: "name a column of numbers, times, booleans, strings or bytes; others move with their rows",
        options: ["by"],
      });
    }
    return { name: names[place]!, place, descending: descending !== reverse, nullsFirst: nulls === "first" };
  });
}

function placeOf(names: readonly string[], column: string): number {
  const places = names.flatMap((name, place) => (name === column ? [place] : []));
  if (places.length > 1) {
    throw new InputError(`there are ${places.length} columns named ${column}`, {
      hint: `name it by its number: ${places.map((place) => place + 1).join(" or ")}`,
      options: ["by"],
    });
  }
  if (places.length === 1) return places[0]!;
  const number = /^[1-9]\d*$/.test(column) ? Number(column) : 0;
  if (number > 0 && number <= names.length) return number - 1;
  throw new InputError(`there is no column ${column}`, { hint: nameHint(column, names), options: ["by"] });
}
