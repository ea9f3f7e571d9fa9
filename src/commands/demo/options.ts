import type { Command } from "commander";
import { withInferredTypes } from "../shared_options.js";

export function addDemoCommand(program: Command): void {
  withInferredTypes(program)
    .command("demo")
    .description("run an example compute kernel, and check its result against the CPU")
    .usage("[name] [options]")
    .argument("[name...]", "the demo and its options; without a name, list the demos")
    // Each demo declares its own options, --help among them, and is loaded when it runs.
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words) => (await import("./demo.js")).demo(words));
}
