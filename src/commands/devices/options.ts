import type { Command } from "commander";
import { ADAPTER, QUIET, withInferredTypes } from "../shared_options.js";

export function addDevicesCommand(program: Command): void {
  withInferredTypes(program)
    .command("devices")
    .description("list the adapters of this machine, and which of them --device chooses")
    .option(...ADAPTER)
    .option(
      "--report",
      "check and measure the device that --device chooses, and print a report (with --json: to attach to an issue)",
    )
    .option("--json", "print the list, or the report, as JSON")
    .option(...QUIET)
    .action(async (options, command) => {
      const isDefault = command.getOptionValueSource("device") === "default";
      await (await import("./devices.js")).devices({ ...options, isDefault });
    });
}
