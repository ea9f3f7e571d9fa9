import { InputError } from "./errors.js";

/** The letters of a word for each edit by which it may differ from the name that it stands for. */
const LETTERS_PER_EDIT = 3;

/**
 * @returns the name that a mistyped word is closest to, whatever the case; undefined if no name is close.
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = Math.max(1, Math.floor(word.length / LETTERS_PER_EDIT)) + 1;
  for (const name of names) {
    const count = edits(word.toLowerCase(), name.toLowerCase());
    if (count < fewest && count < name.length) [nearest, fewest] = [name, count];
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn a word into another. */
function edits(from: string, to: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : replaced;
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, replaced, swapped));
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
}

/**
 * The hint for an unknown name, such as "did you mean radix? use one of auto, radix".
 *
 * @param suggestion the name that the word stands for; null for none. Default: the nearest name.
 */
export function nameHint(word: string, names: readonly string[], suggestion?: string | null): string {
  const list = `use one of ${names.join(", ")}`;
  const name = suggestion === undefined ? nearestName(word, names) : suggestion;
  return name ? `did you mean ${name}? ${list}` : list;
}

/**
 * What a table holds under a word that comes from outside: not what every object inherits, such as
 * `constructor`.
 */
export function ownProperty<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** What other programs call an option. */
const otherNames = new Map([
  ["reverse", "descending"],
  ["desc", "descending"],
]);

/**
 * Refuses options that nothing would read.
 *
 * @param what what has the options, for the error, such as "sortFile".
 * @throws InputError if `options` is no object, or an array; else one that names the first option that is not
 *   known.
 */
export function requireKnown(what: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Symbol.iterator in options) {
    throw new InputError(`${what} has ${shown(options)} for its options`, { hint: "pass an object" });
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const suggestion = otherNames.get(unknown) ?? nearestName(unknown, known);
  throw new InputError(`${what} has no option '${unknown}'`, { hint: nameHint(unknown, known, suggestion) });
}

/**
 * Refuses switches that are neither on nor off: a word such as "no" would turn one on.
 *
 * @param names the options that are switches.
 * @param where what to put before a name in the error, such as "keys[0].".
 * @throws InputError that names the first switch that is there and is no boolean.
 */
export function requireSwitches(options: object, names: readonly string[], where = ""): void {
  for (const name of names) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || typeof value === "boolean") continue;
    throw new InputError(`${where}${name} is ${shown(value)}`, { hint: "pass true or false" });
  }
}

/** A value for messages: as JavaScript writes it, but an object by its class. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  // To print an object may throw, and prints all elements of an array.
  return typeof value === "object" && value ? (value.constructor?.name ?? "object") : String(value);
}

/** How several inputs are named: the first one, and how many more there are. */
export function namesOfAll([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** A path in a command to be typed: FILE stands for one that a shell or the command might read otherwise. */
export const typedPath = (path: string): string => (/^[\w./+][\w./+-]*$/.test(path) ? path : "FILE");
