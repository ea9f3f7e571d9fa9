import { singleQuoted } from "../../core/printable.js";
import { type CompletedCommand, type CompletedOption, DEFAULT_COMMAND, type Values } from "./words.js";

/** A script for zsh: specifications for its function _arguments. */
export function zshScript(commands: readonly CompletedCommand[]): string {
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

function zshValues(values: Values): string {
  switch (values.kind) {
    case "names":
      return `(${values.names.join(" ")})`;
    case "list":
      return `_sequence compadd - ${values.names.join(" ")}`;
    case "file":
      return "_files";
    case "folder":
      return "_files -/";
    case "other":
      return " ";
    default:
      return values satisfies never;
  }
}
