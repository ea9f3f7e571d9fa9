import type { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { nameHint } from "../../core/names.js";
import { singleQuoted } from "../../core/printable.js";
import {
  type CompletedCommand,
  type CompletedOption,
  DEFAULT_COMMAND,
  describe,
  shellNames,
  type Values,
} from "./words.js";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * `gpusort completion SHELL`: the script that completes gpusort's commands, options and values in a shell. It
 * is made from the commands themselves, so it knows all of them.
 *
 * @throws InputError if there is no such shell.
 */
export function completion(shell: string, program: Command): string {
  const known = shellNames.find((name) => name === shell);
  if (known) return scripts[known](describe(program));
  throw new InputError(`there are no completions for the shell '${shell}'`, {
    hint: nameHint(shell, shellNames),
  });
}

/** @param texts what a shell needs to complete values of each kind; names are in one text. */
function valuesText(texts: Record<Values["kind"], (names: string) => string>) {
  return (values: Values) => texts[values.kind]("names" in values ? values.names.join(" ") : "");
}

/** A script for bash 4 or later: a function that puts the possible words into COMPREPLY. */
function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const optionCases = commands.flatMap(({ name, options }) =>
    options.flatMap(({ flags, values }) =>
      values
        ? [`    ${flags.map((flag) => `"${name} ${flag}"`).join("|")}) ${bashValues(values)}; return ;;`]
        : [],
    ),
  );
  const flagCases = commands.map(
    ({ name, options }) => `      ${name}) words="${options.flatMap(({ flags }) => flags).join(" ")}" ;;`,
  );
  const operandCases = commands.map(({ name, operands }) => `    ${name}) ${bashValues(operands)} ;;`);
  return `# Completions of gpusort for bash. Load them with: source <(gpusort completion bash)
_gpusort() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=${DEFAULT_COMMAND} at=1 words
  COMPREPLY=()
  # Bash cuts --type=f64 into three words.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  [[ \${COMP_WORDS[1]} == --debug ]] && at=2
  if (( COMP_CWORD > at )); then
    case \${COMP_WORDS[at]} in ${names.join("|")}) command=\${COMP_WORDS[at]} ;; esac
  fi
  case "$command $prev" in
${optionCases.join("\n")}
  esac
  if [[ $cur == -* ]]; then
    case $command in
${flagCases.join("\n")}
    esac
    _gpusort_names "$words"
    return
  fi
  if (( COMP_CWORD == at )); then
    _gpusort_names "${names.join(" ")}"
    compopt -o filenames 2>/dev/null
    local path
    while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "$cur")
    return
  fi
  case $command in
${operandCases.join("\n")}
  esac
}
_gpusort_names() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}
_gpusort_list() {
  local word before=""
  [[ $cur == *,* ]] && before=\${cur%,*},
  compopt -o nospace 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$before$word"); done < <(compgen -W "$1" -- "\${cur##*,}")
}
_gpusort_none() { compopt +o default 2>/dev/null; }
_gpusort_folder() { compopt +o default -o dirnames 2>/dev/null; }
# Where the function finds no words, bash completes files.
complete -o default -F _gpusort gpusort
`;
}

const bashValues = valuesText({
  names: (names) => `_gpusort_names "${names}"`,
  list: (names) => `_gpusort_list "${names}"`,
  file: () => ":",
  folder: () => "_gpusort_folder",
  other: () => "_gpusort_none",
});

/** A script for zsh: specifications for its function _arguments. */
function zshScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const cases = commands.map(({ name, options, operands }) => {
    const specs = [...options.map(zshOption), `'*:${operandName(operands)}:${zshValues(operands)}'`];
    return `    ${name}) _arguments -s ${specs.map((spec) => `\\\n      ${spec}`).join(" ")} ;;`;
  });
  const described = commands.map(
    ({ name, description }) => `      ${singleQuoted(`${name}:${description.replaceAll(":", "\\:")}`)}`,
  );
  return `#compdef gpusort
# Completions of gpusort for zsh. Load them after compinit with: source <(gpusort completion zsh)
_gpusort() {
  local command=${DEFAULT_COMMAND}
  if (( CURRENT == 2 )); then
    local -a commands=(
${described.join("\n")}
    )
    [[ \${words[2]} == -* ]] || _describe command commands
  else
    case \${words[2]} in
      ${names.join("|")}) command=\${words[2]}; shift words; (( CURRENT-- )) ;;
    esac
  fi
  case $command in
${cases.join("\n")}
  esac
}
if [[ \${funcstack[1]} == _gpusort ]]; then _gpusort "$@"; else compdef _gpusort gpusort; fi
`;
}

function zshOption({ flags, description, values, repeatable }: CompletedOption): string {
  const text = `[${description.replace(/[\\[\]]/g, "\\$&")}]`;
  const value = values ? `:${operandName(values)}:${zshValues(values)}` : "";
  const others = repeatable ? "*" : flags.length > 1 ? `(${flags.join(" ")})` : "";
  const forms = flags.map((flag) => (values ? `${flag}${flag.startsWith("--") ? "=" : "+"}` : flag));
  const rest = singleQuoted(`${text}${value}`);
  if (forms.length === 1) return `${singleQuoted(`${others}${forms[0]}`)}${rest}`;
  return `${others && singleQuoted(others)}{${forms.join(",")}}${rest}`;
}

function operandName({ kind }: Values): string {
  return kind === "names" || kind === "list" ? "name" : kind === "other" ? "value" : kind;
}

const zshValues = valuesText({
  names: (names) => `(${names})`,
  list: (names) => `_sequence compadd - ${names}`,
  file: () => "_files",
  folder: () => "_files -/",
  other: () => " ",
});

/** A script for fish: one command \`complete\` for each option. */
function fishScript(commands: readonly CompletedCommand[]): string {
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

const fishValues = valuesText({
  names: (names) => `-x -a '${names}'`,
  list: (names) => `-x -a '(__fish_append , ${names})'`,
  file: () => "-r -F",
  folder: () => "-x -a '(__fish_complete_directories)'",
  other: () => "-x",
});
