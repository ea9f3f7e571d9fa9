import type { Command } from "commander";
import { InputError } from "../core/errors.js";

/** What options of sort(1) that gpusort lacks are for, and what gpusort does instead. */
const numbers =
  "gpusort compares keys as numbers anyway; lines of text need --format text, with -t f64 for fractions";
const strings = "gpusort sorts numbers, not strings: use sort(1)";
const columns =
  "gpusort sorts lines of one number; for columns use sort(1), for fixed-length records --record and --key";
const shuffle = "gpusort puts nothing in random order: use shuf(1)";
const units = "gpusort reads plain numbers, without units such as 4K";

const habits: readonly (readonly [flags: string, instead: string])[] = [
  ["-n --numeric-sort -g --general-numeric-sort", numbers],
  ["-h --human-numeric-sort", units],
  ["-V --version-sort -M --month-sort -f --ignore-case -d --dictionary-order", strings],
  ["-i --ignore-nonprinting -b --ignore-leading-blanks", strings],
  ["-R --random-sort --random-source", shuffle],
  ["-k --field-separator", columns],
  ["-s --stable", "leave it out: equal keys keep their order anyway, except with --algorithm bitonic"],
  ["-z --zero-terminated", "gpusort's lines end with a line break: put tr '\\0' '\\n' before it"],
  ["--parallel", "write --threads; without it, gpusort uses all cores"],
  ["--buffer-size", "write -S or --memory"],
  ["--temporary-directory", "write -T or --temp-dir"],
  ["--batch-size --compress-program", "leave it out: gpusort needs no such setting for temporary files"],
  ["--files0-from", "name the files as arguments, for example with xargs -0"],
  ["--sort", `leave it out: ${numbers}`],
  ["--check", "write -c to see the first keys out of order, or -C to see nothing"],
];

const insteadOf = new Map(
  habits.flatMap(([flags, instead]) => flags.split(" ").map((flag) => [flag, instead])),
);

/**
 * What gpusort does instead of an option of sort(1).
 *
 * @param word what was typed: "-n", "-nr", "-k2,2", "--parallel=4".
 * @returns undefined if sort(1) has no such option, or if gpusort has the same.
 */
export function insteadOfSortOption(word: string): string | undefined {
  if (word.startsWith("--")) return insteadOf.get(word.replace(/=.*/, ""));
  const letter = [...word.slice(1)].find((letter) => insteadOf.has(`-${letter}`));
  return letter === undefined ? undefined : insteadOf.get(`-${letter}`);
}

/**
 * Refuses -h and -V beside files to sort. Alone they print the help and the version; for sort(1), they are
 * orders of keys, and a script that means those would get no sorted file, and no error.
 *
 * @param words the command line without the program.
 * @throws InputError that says what to write instead.
 */
export function refuseSortsLetters(words: readonly string[], program: Command): void {
  const [first, ...others] = words.filter((word) => word === "-" || !word.startsWith("-"));
  const isCommand = [...program.commands.map((command) => command.name()), "help"].includes(first ?? "");
  const file = first === "sort" ? others[0] : isCommand ? undefined : first;
  const letter = words.find((word) => word === "-h" || word === "-V");
  if (file === undefined || letter === undefined) return;
  const [prints, long] = letter === "-h" ? ["the help", "--help"] : ["the version", "--version"];
  throw new InputError(`${letter} prints ${prints}, and would not sort ${file}`, {
    hint: `for ${prints}, write ${long}; for sorting, leave it out: ${insteadOf.get(letter)}`,
  });
}
