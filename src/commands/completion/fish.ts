import { singleQuoted } from "../../core/printable.js";
import { type CompletedCommand, type CompletedOption, DEFAULT_COMMAND, type Values } from "./words.js";

/** A script for fish: one command \`complete\` for each option. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const lines = commands.flatMap(({ name, description, options, operands }) => {
    const only = `complete -c gpusort -n 'test (__gpusort_command) = ${name}'`;
    return [
      `complete -c gpusort -n 'test (count (commandline -opc)) -eq 1' -a ${name} -d ${singleQuoted(description)}`,
      ...options.map((option) => `${only} ${fishOption(option)}`),
      ...(operands.kind === "file" ? [] : [`${only} -f`]),
      ...(operands.kind === "names" ? [`${only} -a '${operands.names.join(" ")}'`] : []),
    ];
  });
  return `# Completions of gpusort for fish. Load them with: gpusort completion fish | source
function __gpusort_command
  set -l words (commandline -opc)
  if set -q words[2]; and contains -- $words[2] ${names}
    echo $words[2]
  else
    echo ${DEFAULT_COMMAND}
  end
end
${lines.join("\n")}
`;
}

function fishOption({ flags, description, values }: CompletedOption): string {
  const forms = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...forms, ...(values ? [fishValues(values)] : []), `-d ${singleQuoted(description)}`].join(" ");
}

function fishValues(values: Values): string {
  switch (values.kind) {
    case "names":
      return `-x -a '${values.names.join(" ")}'`;
    case "list":
      return `-x -a '(__fish_append , ${values.names.join(" ")})'`;
    case "file":
      return "-r -F";
    case "folder":
      return "-x -a '(__fish_complete_directories)'";
    case "other":
      return "-x";
    default:
      return values satisfies never;
  }
}
