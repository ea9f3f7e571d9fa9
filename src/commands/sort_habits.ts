import type { Command } from "commander";
import { InputError } from "../core/errors.js";

/** What options that gpusort sort lacks are for, most of them of sort(1), and what gpusort does instead. */
const versions = "gpusort has no order of versions: use sort -V";
const shuffle = "gpusort puts nothing in random order: use shuf(1)";

const habits: readonly (readonly [flags: string, instead: string])[] = [
  ["-h", "for numbers with units such as 4K, write --human-numeric-sort"],
  ["-V --version-sort", versions],
  ["-R --random-sort --random-source", shuffle],
  ["--buffer-size", "write -S or --memory"],
  ["--temporary-directory", "write -T or --temp-dir"],
  ["--batch-size --compress-program", "leave it out: gpusort needs no such setting for temporary files"],
  ["--records", "for records of the sort benchmark, write --record 100 --key 0:10"],
  ["--check", "write -c to see the first keys out of order, or -C to see nothing"],
];

const insteadOf = new Map(
  habits.flatMap(([flags, instead]) => flags.split(" ").map((flag) => [flag, instead])),
);

/**
 * What gpusort does instead of an option of sort(1).
 *
 * @param word what was typed: "-R", "-nR", "--batch-size=4".
 * @returns undefined if sort(1) has no such option, or if gpusort has the same.
 */
export function insteadOfSortOption(word: string): string | undefined {
  if (word.startsWith("--")) return insteadOf.get(word.replace(/=.*/, ""));
  const letter = [...word.slice(1)].find((letter) => insteadOf.has(`-${letter}`));
  return letter === undefined ? undefined : insteadOf.get(`-${letter}`);
}

/** Options of one letter without a value, of which several may be one word, and -h or -V at its end. */
const CLUSTER = /^-[bcCdfgiMmnqrsuvz]*([hV])/;

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
  if (isCommand && first !== "sort") return;
  const found = words.map((word) => CLUSTER.exec(word)).find((one) => one && (file || one[0].length > 2));
  if (!found) return;
  const [prints, long] = found[1] === "h" ? ["the help", "--help"] : ["the version", "--version"];
  throw new InputError(`-${found[1]} prints ${prints}, and would not sort ${file ?? "standard input"}`, {
    hint: `for ${prints}, write ${long}; for sorting: ${insteadOf.get(`-${found[1]}`)}`,
  });
}
