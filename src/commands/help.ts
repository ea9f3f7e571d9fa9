import type { Command, OutputConfiguration } from "commander";
import { messageLines } from "../core/printable.js";

/** Prints the errors of commander as those of gpusort are printed. */
export const errorOutput: OutputConfiguration = {
  outputError: (text, write) => write(messageLines(text.replace(/^error: /, "gpusort: "))),
};

/** A command line, and what it does. */
export type Example = readonly [line: string, does: string];

/** Examples by the name of their command. The manual page shows them too. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  sort: [
    ["gpusort keys.f64", "writes keys.sorted.f64"],
    ["gpusort a.npy b.npy -o all.npy", "sorts several files as one"],
    ["gpusort big.u32 -o big.u32 -S 8G", "in place, with 8 GiB of memory"],
    ["gpusort rows.bin --record 100 --key 0:10", "records, by their first ten bytes"],
    ["gpusort scores.f32 -r --head 100", "the 100 largest"],
    ["gpusort scores.npy --argsort", "writes indices to scores.argsort.npy"],
    ["gpusort n.txt.gz", "compressed text, in and out"],
    ["gpusort -t, -k2,2n data.csv", "lines, by field 2 as a number"],
    ["gpusort a.csv --header --by price,name", "CSV, by columns"],
    ["cut -f2 a.tsv | gpusort -u", "text through pipes"],
  ],
  verify: [
    ["gpusort verify keys.f64", "is it in order? what is in it?"],
    ["gpusort verify big.u32 --json > big.json", "findings, for --combine"],
    ["gpusort verify out.dat --records valsort", "as valsort of the sort benchmark"],
  ],
  gen: [
    ["gpusort gen 2^20 -o keys.f64", "1,048,576 uniform f64 keys"],
    ["gpusort gen 1e6 -o rows.bin --record 100", "a million records of 100 bytes"],
    ["gpusort gen 1e6 -o in.dat --records gensort", "those of the sort benchmark"],
  ],
  bench: [
    ["gpusort bench", "u32 keys, from 2^9 to 2^25 of them"],
    ["gpusort bench --type u32,f64 --sizes 1M,4M", "two types, two sizes"],
    ["gpusort bench --out today.jsonl", "keeps each row, continues a file"],
    ["gpusort bench --compare today.jsonl", "what changed since"],
  ],
  "job plan": [
    ["gpusort job plan 'in/*.u64' --job J -o OUT --parts 64", "plans; prints the commands that follow"],
    [
      "gpusort job plan in.bin --record 100 --key 0:10 --job J -o OUT -S 8G",
      "records, in 8 GiB for each task",
    ],
  ],
  "job sort": [["gpusort job sort J 12", "sorts run 12"]],
  "job merge": [["gpusort job merge J 0-7", "writes the first eight parts"]],
  "job finish": [["gpusort job finish J --remove-runs", "checks the parts, and frees the space of the runs"]],
  completion: [
    ["source <(gpusort completion bash)", "for this shell; put it into ~/.bashrc for all"],
    ["source <(gpusort completion zsh)", "after compinit, in ~/.zshrc"],
    ["gpusort completion fish | source", "in ~/.config/fish/config.fish"],
  ],
};

/** What follows the help of every command: its examples. */
export function helpAfter(command: Command, error: boolean): string {
  const isProgram = command.parent === null;
  const some = examples[isProgram ? "sort" : fullName(command)] ?? [];
  return list(command, error, "Examples:", some);
}

/** What follows the help of the program: the options of sorting, which is what it does without a command. */
export function sortingHelp(program: Command, sort: Command, error: boolean): string {
  const help = program.createHelp();
  const options = help
    .visibleOptions(sort)
    .filter(({ long }) => long !== "--help")
    .map((option) => [help.optionTerm(option), help.optionDescription(option)] as const);
  return list(program, error, "Options of sorting (gpusort FILE, or gpusort sort FILE):", options);
}

/** A blank line, and lines of terms and their descriptions, as wide as the terminal; empty without terms. */
function list(command: Command, error: boolean, heading: string, items: readonly Example[]): string {
  if (items.length === 0) return "";
  const help = command.createHelp();
  const helpWidth = (error ? process.stderr : process.stdout).columns;
  help.prepareContext({ error, ...(helpWidth ? { helpWidth } : {}) });
  const width = Math.max(...items.map(([term]) => term.length));
  const lines = items.map(([term, description]) => help.formatItem(term, width, description, help));
  return ["", heading, ...lines].join("\n");
}

/** The words of a command after the program's: "sort", "job plan". */
export function fullName(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${fullName(parent)} ${command.name()}` : command.name();
}
