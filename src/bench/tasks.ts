import type { KeyArray } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { Float16Bits, float16Rank } from "../core/float16.js";
import { nameHint, nearestName } from "../core/names.js";
import type { SortCall } from "../core/sorter/calls.js";
import type { SortDescription } from "../core/sorter/description.js";
import type { Sorter } from "../core/sorter/sorter.js";

/**
 * What is done with the keys of a benchmark: a value of the axis `--task`. It says how each column does it, and
 * by JavaScript's own sorts also what the right result is. To add one, add it to `taskKinds` below.
 */
export interface Task {
  /** As in `--task` and in results, with its number in decimal: "sort", "top:1000". */
  readonly name: string;
  /** Whether the result depends on where the keys are, and not only on which keys there are. */
  readonly byPlace: boolean;
  /** Whether it is of keys alone: no values can move with them. */
  readonly keysOnly: boolean;
  /** The least number of keys that it must write, whatever the keys are. It must read all of them. */
  readonly leastWritten: (keyCount: number) => number;
  /** What code in JavaScript does with a plain array. It may change the array. */
  readonly array: (keys: Numbers, compare: Comparator) => Result<Numbers>;
  /** What code in JavaScript does with a typed array. It may change the array. */
  readonly typed: (keys: KeyArray) => Result<KeyArray>;
  /**
   * What it asks of gpusort's sorter. Undefined for a sort of all keys: engines do that themselves, by the
   * algorithm that is asked for, and time the transfers.
   */
  readonly gpusort: SorterTask | undefined;
}

/** A plain array of keys. */
export type Numbers = (number | bigint)[];

/** Orders keys as typed arrays do. */
export type Comparator = (a: number | bigint, b: number | bigint) => number;

export interface Result<Keys> {
  readonly keys: Keys;
  /** How often each key occurs. Only of a task that counts. */
  readonly counts?: Uint32Array;
}

/** A task in the words of gpusort's sorter. */
export interface SorterTask {
  /**
   * Makes the arrays of the results, which all runs share.
   *
   * @param keys as many keys as there will be.
   * @param values some words for each key; empty if the keys have no values.
   * @returns the call of the sorter, for keys and values of the same lengths. It checks nothing.
   */
  readonly onArrays: (keys: KeyArray, values: Uint32Array) => SorterCall;
  /** The sort of keys that are on the device. */
  readonly onDevice: (keyCount: number) => Pick<SortDescription, "top" | "unique" | "segments">;
  /** Where the segments begin, and where the last one ends. Only of a task that sorts segments. */
  readonly offsets?: (keyCount: number) => Uint32Array;
}

export type SorterCall = (
  sorter: Sorter,
  keys: KeyArray,
  values: Uint32Array,
) => Promise<Result<KeyArray> & { readonly values?: Uint32Array }>;

/** A task, or one for each number. */
interface TaskKind {
  readonly name: string;
  /** The letter of its number, if it takes one. */
  readonly number?: string;
  /** @param count the number; 0 for a task that takes none. */
  readonly make: (count: number) => Task;
}

/** Sorts all keys. */
export const sortTask: Task = {
  name: "sort",
  byPlace: false,
  keysOnly: false,
  leastWritten: (keyCount) => keyCount,
  array: (keys, compare) => ({ keys: keys.sort(compare) }),
  typed: (keys) => ({ keys: keys.sort() }),
  gpusort: undefined,
};

/** Finds the first keys, in order. */
function top(most: number): Task {
  return {
    name: `top:${most}`,
    byPlace: false,
    keysOnly: false,
    leastWritten: (keyCount) => Math.min(most, keyCount),
    array: (keys, compare) => ({ keys: keys.sort(compare).slice(0, most) }),
    typed: (keys) => ({ keys: keys.sort().slice(0, most) }),
    gpusort: {
      onArrays: sortInto((keyCount) => Math.min(most, keyCount), { top: most }),
      onDevice: () => ({ top: most }),
    },
  };
}

/** Sorts segments of that number of keys each, but the last, which may be shorter. */
function segments(length: number): Task {
  const countOf = (keyCount: number) => Math.ceil(keyCount / length);
  const offsets = (keyCount: number) =>
    Uint32Array.from({ length: countOf(keyCount) + 1 }, (_, s) => Math.min(keyCount, s * length));
  return {
    name: `segments:${length}`,
    byPlace: true,
    keysOnly: false,
    leastWritten: (keyCount) => keyCount,
    array: (keys, compare) => {
      for (let begin = 0; begin < keys.length; begin += length) {
        const segment = keys.slice(begin, begin + length).sort(compare);
        for (let i = 0; i < segment.length; i++) keys[begin + i] = segment[i]!;
      }
      return { keys };
    },
    typed: (keys) => {
      for (let begin = 0; begin < keys.length; begin += length) keys.subarray(begin, begin + length).sort();
      return { keys };
    },
    gpusort: {
      onArrays: (keys, values) =>
        sortInto((keyCount) => keyCount, { segments: offsets(keys.length) })(keys, values),
      onDevice: (keyCount) => ({ segments: { capacity: countOf(keyCount) } }),
      offsets,
    },
  };
}

/** Finds the distinct keys, in order, and how often each occurs. */
const unique: Task = {
  name: "unique",
  byPlace: false,
  keysOnly: true,
  leastWritten: (keyCount) => Math.min(1, keyCount),
  array: (keys, compare) => {
    const { distinct, counts } = dropRepeated(keys.sort(compare));
    return { keys: keys.slice(0, distinct), counts };
  },
  typed: (keys) => {
    const { distinct, counts } = dropRepeated(keys.sort());
    return { keys: keys.slice(0, distinct), counts };
  },
  gpusort: {
    onArrays: () => async (sorter, keys) => {
      const { keys: distinct, counts } = await sorter.unique(keys, { counts: true, verify: false });
      return { keys: distinct, counts: counts! };
    },
    onDevice: () => ({ unique: "counts" }),
  },
};

/** All tasks. */
export const taskKinds: readonly TaskKind[] = [
  { name: "sort", make: () => sortTask },
  { name: "top", number: "K", make: top },
  { name: "segments", number: "N", make: segments },
  { name: "unique", make: () => unique },
];

/** How the tasks are written: "sort", "top:K", … */
export const taskForms = taskKinds.map(formOf);

function formOf({ name, number }: TaskKind): string {
  return number === undefined ? name : `${name}:${number}`;
}

/**
 * Reads a task, such as "top:1000".
 *
 * @param numberOf reads the number of a task. The default is for the names of tasks, which have it in decimal.
 * @throws InputError if there is no such task, if it lacks its number, or has one that it does not take; and
 *   the errors of `numberOf`.
 */
export function parseTask(text: string, numberOf: (text: string) => number = Number): Task {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const kind = taskKinds.find((one) => one.name === name);
  if (!kind) {
    const names = taskKinds.map((one) => one.name);
    const nearest = taskForms[names.indexOf(nearestName(name, names) ?? "")] ?? null;
    throw new InputError(`unknown task '${text}'`, { hint: nameHint(text, taskForms, nearest) });
  }
  if (kind.number === undefined) {
    if (colon < 0) return kind.make(0);
    throw new InputError(`the task ${name} takes no number, but '${text}' has one`, {
      hint: `write ${name}`,
    });
  }
  if (colon >= 0) return kind.make(numberOf(text.slice(colon + 1)));
  throw new InputError(`the task ${name} lacks its number of keys`, {
    hint: `write ${name}:${kind.number}, as in ${name}:1000`,
  });
}

/**
 * A sort by the sorter's calls for arrays, with or without values.
 *
 * @param countOf how many keys the result has.
 */
function sortInto(countOf: (keyCount: number) => number, options: SortCall): SorterTask["onArrays"] {
  return (keys, values) => {
    const count = countOf(keys.length);
    const words = values.length / keys.length;
    const into = { keys: keys.slice(0, count) as KeyArray, values: values.slice(0, count * words) };
    const call = { ...options, verify: false };
    return async (sorter, from, valuesFrom) =>
      words > 0
        ? sorter.sortPairs(from, valuesFrom, { ...call, into })
        : { keys: await sorter.sort(from, { ...call, into: into.keys }) };
  };
}

/**
 * Moves the first of each run of equal neighbours to the front, and counts the run. All NaNs are equal, -0 and
 * +0 are not.
 */
function dropRepeated(sorted: Numbers | KeyArray): { distinct: number; counts: Uint32Array } {
  const counts = new Uint32Array(sorted.length);
  const isSame: (a: unknown, b: unknown) => boolean =
    sorted instanceof Float16Bits ? isSameFloat16 : Object.is;
  let distinct = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && isSame(sorted[i], sorted[distinct - 1])) counts[distinct - 1]!++;
    else {
      sorted[distinct] = sorted[i]!;
      counts[distinct++] = 1;
    }
  }
  return { distinct, counts: counts.slice(0, distinct) };
}

const isSameFloat16 = (a: unknown, b: unknown) => float16Rank(a as number) === float16Rank(b as number);
