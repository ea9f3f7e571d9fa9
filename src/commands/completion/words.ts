import type { Command, Help, Option } from "commander";
import { metrics } from "../../bench/metric.js";
import { taskKinds } from "../../bench/tasks.js";
import { outputCompressions } from "../../core/compression.js";
import { elementTypes } from "../../core/elements.js";
import { algorithms } from "../../core/sort/algorithms.js";
import { demos } from "../../demos/registry.js";
import { itemKindNames, kindNames } from "../../kinds/names.js";
import { distributions } from "../../testdata/distributions.js";
import { demoCommand } from "../demo/demo.js";
import { recordsNames } from "../parse.js";
import { sortWords } from "../sort/line_keys.js";

/** What may follow an option, or stand alone: one of some names, a list of them with commas, or a path. */
export type Values =
  | { readonly kind: "names" | "list"; readonly names: readonly string[] }
  | { readonly kind: "file" | "folder" | "other" };

export interface CompletedOption {
  /** "-t" and "--type". */
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent for an option without a value. */
  readonly values?: Values;
  readonly repeatable: boolean;
}

/** A command as the scripts need it. */
export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  readonly operands: Values;
}

/** The shells that gpusort has completions for. */
export const shellNames = ["bash", "zsh", "fish"] as const;

/** Without the name of a command, the words are arguments of this one. */
export const DEFAULT_COMMAND = "sort";

const distributionNames = distributions.map(({ name }) => name);

/** The values of options that take one of some names, by the option's long flag, or by it after its command. */
const names: Readonly<Record<string, readonly string[]>> = {
  "--type": elementTypes.map(({ name }) => name),
  "--format": kindNames,
  "--to": kindNames,
  "gen --to": itemKindNames,
  "--byte-order": ["little", "big"],
  "--compress": outputCompressions,
  "--device": ["auto", "gpu", "software", "cpu"],
  "--dist": distributionNames,
  "gen --dist": [...distributionNames, "skewed"],
  "gen --records": recordsNames.gen,
  "verify --records": recordsNames.verify,
  "--invalid": ["first", "last", "error"],
  "--sort": [...sortWords.keys()],
  "--task": taskKinds.map(({ name, number }) => (number === undefined ? name : `${name}:`)),
  "--algorithm": ["auto", ...algorithms.map(({ name }) => name)],
  "--columns": [...metrics, "cpu/gpu", "cpu/round-trip"],
  "--theme": ["auto", "light", "dark"],
};

/** All commands of a program, with what may follow each of their options. */
export function describe(program: Command): CompletedCommand[] {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const operandNames: Readonly<Record<string, readonly string[]>> = {
    demo: [...demos.map(({ name }) => name), "all", "page"],
    completion: shellNames,
    help: commands.map((command) => command.name()),
  };
  return commands.map((command) => {
    const name = command.name();
    const [argument] = command.registeredArguments;
    const own = command.commands.map((one) => one.name());
    const listed = own.length > 0 ? own : operandNames[name];
    return {
      name,
      description: short(command.description()),
      options: [...optionsOf(help, command), ...program.options.filter(({ long }) => long === "--debug")].map(
        ({ short: letter, long, flags, description }) => ({
          flags: [letter, long].filter((flag) => flag !== undefined),
          description: short(description),
          repeatable: long === "--key" || long === "--by",
          ...valuesOf(flags, names[`${name} ${long}`] ?? names[long ?? ""]),
        }),
      ),
      operands: listed
        ? { kind: "names", names: listed }
        : { kind: argument?.name() === "files" ? "file" : "other" },
    };
  });
}

/** The options of a command, and those of all its own commands. */
function optionsOf(help: Help, command: Command): Option[] {
  // Demos are added to their command when one of them runs.
  const whole = command.name() === "demo" ? demoCommand() : command;
  const all = [whole, ...whole.commands].flatMap((one) => help.visibleOptions(one));
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

/** The values of an option, by the placeholder in its flags. @param some their names, if they have any. */
function valuesOf(flags: string, some: readonly string[] | undefined): { values?: Values } {
  const [, placeholder] = /<(.*)>/.exec(flags) ?? [];
  if (placeholder === undefined) return {};
  if (some) return { values: { kind: placeholder === "list" ? "list" : "names", names: some } };
  const isPath = placeholder === "file" || placeholder === "folder";
  return { values: { kind: isPath ? placeholder : "other" } };
}

/** A description without its default and its further sentences: shells show one line of it. */
function short(description: string): string {
  return description.replace(/( \(default|; ).*$/s, "");
}
