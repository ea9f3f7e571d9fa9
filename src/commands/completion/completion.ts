import type { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { nameHint } from "../../core/names.js";
import { bashScript } from "./bash.js";
import { fishScript } from "./fish.js";
import { describe, shellNames } from "./words.js";
import { zshScript } from "./zsh.js";

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
