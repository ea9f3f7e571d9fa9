/** What options that gpusort sort lacks are for, most of them of sort(1), and what gpusort does instead. */
const shuffle = "gpusort puts nothing in random order: use shuf(1)";

const habits: readonly (readonly [flags: string, instead: string])[] = [
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
