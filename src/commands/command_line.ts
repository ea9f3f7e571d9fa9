import { existsSync } from "node:fs";
import type { Command } from "commander";
import { InputError } from "../core/errors.js";
import { nearestName } from "../core/names.js";
import { refuseConflicts } from "./conflicts.js";
import { fullName } from "./full_name.js";
import { moveSeparator } from "./sort/separator.js";
import { insteadOfSortOption } from "./sort/sort_habits.js";

/**
 * Refuses a command line that gpusort can read, but that cannot be meant.
 *
 * @throws InputError that says what to write instead.
 */
export function checkCommandLine(program: Command, command: Command): void {
  const meant = mistypedCommand(program);
  if (meant !== undefined) {
    throw new InputError(`there is no file or command ${program.args[0]}`, {
      hint: `did you mean gpusort ${meant}? gpusort --help lists the commands`,
    });
  }
  if (["sort", "verify"].includes(fullName(command))) moveSeparator(command);
  refuseConflicts(command);
}

/**
 * A line about an option that gpusort does not have: which command or option is meant instead; empty if that
 * is not known.
 *
 * @param message the error's message, which names the option.
 */
export function unknownOptionHint(message: string, program: Command): string {
  const meant = mistypedCommand(program);
  if (meant !== undefined) return `  did you mean gpusort ${meant}? there is no file ${program.args[0]}\n`;
  const [, option = ""] = /unknown option '(.*?)'/.exec(message) ?? [];
  const command = program.commands.find((one) => one.name() === program.args[0])?.name();
  const instead = command === undefined || command === "sort" ? insteadOfSortOption(option) : undefined;
  return instead === undefined ? "" : `  ${option}: ${instead}\n`;
}

/** The command that the first word is close to, if it is no command, no file and no option. */
function mistypedCommand(program: Command): string | undefined {
  const [word] = program.args;
  const names = program.commands.map((command) => command.name());
  if (word === undefined || word.startsWith("-") || names.includes(word) || existsSync(word))
    return undefined;
  return nearestName(word, names);
}
