import type { Command } from "commander";
import { QUIET, withInferredTypes } from "../shared_options.js";

export function addCompletionCommand(program: Command): void {
  withInferredTypes(program)
    .command("completion")
    .description("print a script that completes gpusort's commands, options and their values")
    .argument("<shell>", "bash, zsh or fish")
    .option(...QUIET)
    .action(async (shell) => {
      const { completion } = await import("./completion.js");
      process.stdout.write(completion(shell, program));
    });
}
