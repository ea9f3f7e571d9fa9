import { type CompletedCommand, DEFAULT_COMMAND, type Values } from "./words.js";

/** A script for bash 4 or later: a function that puts the possible words into COMPREPLY. */
export function bashScript(commands: readonly CompletedCommand[]): string {
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

function bashValues(values: Values): string {
  switch (values.kind) {
    case "names":
      return `_gpusort_names "${values.names.join(" ")}"`;
    case "list":
      return `_gpusort_list "${values.names.join(" ")}"`;
    case "file":
      return ":";
    case "folder":
      return "_gpusort_folder";
    case "other":
      return "_gpusort_none";
    default:
      return values satisfies never;
  }
}
