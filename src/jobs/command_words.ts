import { InputError } from "../core/errors.js";
import { singleQuoted } from "../core/printable.js";

/**
 * Numbers of tasks as text: "0-3 7".
 *
 * @param most how many ranges it has. Further ones are counted: "0-3 7 and 100 more".
 */
export function taskRanges(indices: readonly number[], most = Number.POSITIVE_INFINITY): string {
  const ranges: [number, number][] = [];
  for (const index of indices) {
    const last = ranges.at(-1);
    if (last && index === last[1] + 1) last[1] = index;
    else ranges.push([index, index]);
  }
  const words = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  if (words.length <= most) return words.join(" ");
  const left = ranges.slice(most).reduce((sum, [from, to]) => sum + to - from + 1, 0);
  return `${words.slice(0, most).join(" ")} and ${left} more`;
}

/** The numbers of a job's runs or parts, in words. @param count how many there are, at least 1. */
export const taskNumbers = (what: "run" | "part", count: number): string =>
  count === 1 ? `the only ${what} is 0` : `the ${what}s are 0 to ${count - 1}`;

/**
 * Reads numbers of tasks: "12", or "0-11" for all from 0 to 11.
 *
 * @param count how many tasks there are. Without words, all of them are meant.
 * @throws InputError if a word is neither, or names a task that does not exist.
 */
export function parseTasks(words: readonly string[], what: "run" | "part", count: number): number[] {
  if (words.length === 0) return Array.from({ length: count }, (_, i) => i);
  return words.flatMap((word) => {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(word) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || first > last) {
      throw new InputError(`'${word}' is not the number of a ${what}`, {
        hint: `write it like 12, or 0-11 for several; ${taskNumbers(what, count)}`,
      });
    }
    if (last >= count) {
      throw new InputError(`the job has no ${what} ${last}`, { hint: taskNumbers(what, count) });
    }
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** A word as a shell reads it: in single quotes, if it has characters that mean something there. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}
