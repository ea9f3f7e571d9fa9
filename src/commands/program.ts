import { Command } from "commander";
import { description, version } from "../build.generated.js";
import { addBenchCommand } from "./bench/options.js";
import { addCompletionCommand } from "./completion/options.js";
import { addDemoCommand } from "./demo/options.js";
import { addDevicesCommand } from "./devices/options.js";
import { addGenCommand } from "./gen/options.js";
import { errorOutput, helpAfter, sortingHelp } from "./help.js";
import { addJobCommand } from "./job/options.js";
import { addSortCommand, addVerifyCommand } from "./sort/options.js";

/** The commands beside `sort`. Each one's own code is loaded when it runs, so that --help is fast. */
const addCommand: Readonly<Record<string, (program: Command) => void>> = {
  verify: addVerifyCommand,
  gen: addGenCommand,
  bench: addBenchCommand,
  devices: addDevicesCommand,
  demo: addDemoCommand,
  job: addJobCommand,
  completion: addCompletionCommand,
};

/** Words with which the program speaks of all commands. */
const ABOUT_ALL = ["--help", "help", "completion"];

/**
 * All commands with their options. Completions and the manual page are made from it too.
 *
 * @param words those of the command line. Commands that they do not name then get no options, which would take
 *   a millisecond or two. Default: all commands get theirs.
 */
export function createProgram(words: readonly string[] = ABOUT_ALL): Command {
  const program = new Command("gpusort")
    .description(description)
    .usage("[options] <files...> | gpusort <command> [options]")
    .version(version, "--version", "print the version, as does -V alone at a terminal")
    .option("--debug", "print the stack trace of an error, and Dawn's own messages")
    .showHelpAfterError("(gpusort --help lists the commands, gpusort <command> --help its options)")
    .addHelpText("afterAll", ({ command, error }) => helpAfter(command, error))
    .hook("preAction", (command) => {
      if (command.opts().debug) process.env.GPUSORT_DAWN_LOG = "on";
    })
    .configureOutput(errorOutput)
    .exitOverride();
  const sort = addSortCommand(program);
  const isAboutAll = words.some((word) => ABOUT_ALL.includes(word));
  for (const [name, add] of Object.entries(addCommand)) {
    if (isAboutAll || words.includes(name)) add(program);
    else program.command(name);
  }
  // Last, because each command takes over what the program has when the command is made.
  program.helpOption("--help", "print this help, as does -h alone at a terminal");
  program.addHelpText("after", ({ error }) => sortingHelp(program, sort, error));
  return program;
}
