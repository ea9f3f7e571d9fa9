import type { Command } from "commander";

/** The words of a command after the program's: "sort", "job plan". */
export function fullName(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${fullName(parent)} ${command.name()}` : command.name();
}
