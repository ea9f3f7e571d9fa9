import { existsSync } from "node:fs";
import type { Command } from "commander";
import { InputError } from "../core/errors.js";
import { nearestName } from "../core/names.js";
import { refuseConflicts } from "./conflicts.js";
import { fullName } from "./help.js";
import { moveSeparator } from "./sort/line_keys.js";

/** What to do without an option that `gpusort sort` lacks. Most of them are options of sort(1). */
const otherWays = new Map(
  [
    ["-R --random-sort --random-source", "gpusort puts nothing in random order: use shuf(1)"],
    ["--buffer-size", "write -S or --memory"],
    ["--temporary-directory", "write -T or --temp-dir"],
    ["--batch-size --compress-program", "leave it out: gpusort needs no such setting for temporary files"],
    ["--records", "for records of the sort benchmark, write --record 100 --key 0:10"],
    ["--check", "write -c to see the first keys out of order, or -C to see nothing"],
  ].flatMap(([flags, way]) => flags!.split(" ").map((flag) => [flag, way!] as const)),
);

/**
 * Refuses a command line that gpusort can read, but that makes no sense.
 *
 * @throws InputError that says what to write instead.
 */
export function checkCommandLine(program: Command, command: Command): void {
  const nearest = mistypedCommand(program);
  if (nearest !== undefined) {
    throw new InputError(`there is no file or command ${program.args[0]}`, {
      hint: `did you mean gpusort ${nearest}? gpusort --help lists the commands`,
    });
  }
  if (["sort", "verify"].includes(fullName(command))) moveSeparator(command);
  refuseConflicts(command);
}

/**
 * A line about an option that gpusort does not have: which command or option to use instead; empty if that
 * is not known.
 *
 * @param message the error's message, which names the option.
 */
export function unknownOptionHint(message: string, program: Command): string {
  const nearest = mistypedCommand(program);
  if (nearest !== undefined)
    return `  did you mean gpusort ${nearest}? there is no file ${program.args[0]}\n`;
  const [, option = ""] = /unknown option '(.*?)'/.exec(message) ?? [];
  const command = program.commands.find((one) => one.name() === program.args[0])?.name();
  const way = command === undefined || command === "sort" ? otherWay(option) : undefined;
  return way === undefined ? "" : `  ${option}: ${way}\n`;
}

/** The command that the first word is close to, if it is no command, no file and no option. */
function mistypedCommand(program: Command): string | undefined {
  const [word] = program.args;
  const names = program.commands.map((command) => command.name());
  if (word === undefined || word.startsWith("-") || names.includes(word) || existsSync(word))
    return undefined;
  return nearestName(word, names);
}

/**
 * What to do without an option that `gpusort sort` lacks.
 *
 * @param word the option on the command line: "-R", "-nR", "--batch-size=4".
 * @returns undefined if no other way is known.
 */
function otherWay(word: string): string | undefined {
  if (word.startsWith("--")) return otherWays.get(word.replace(/=.*/, ""));
  const letter = [...word.slice(1)].find((letter) => otherWays.has(`-${letter}`));
  return letter === undefined ? undefined : otherWays.get(`-${letter}`);
}
