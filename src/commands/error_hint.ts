import type { Command } from "commander";
import type { GpusortError, OptionName } from "../core/errors.js";

/** The command-line flag for each option of the library. */
export const flags: Readonly<Record<OptionName, string>> = {
  algorithm: "--algorithm",
  argsort: "--argsort",
  blankLines: "--blank-lines",
  by: "--by",
  decimal: "--decimal",
  nullWords: "--null",
  thousands: "--thousands",
  byteOrder: "--byte-order",
  compress: "--compress",
  device: "--device",
  distribution: "--dist",
  format: "--format",
  header: "--header",
  invalid: "--invalid",
  keys: "--key",
  memoryBytes: "--memory",
  threads: "--threads",
  merge: "--merge",
  output: "--output",
  picture: "--output",
  plot: "--plot",
  recordBytes: "--record",
  replace: "--force",
  rows: "--key",
  skipBytes: "--skip-bytes",
  tempDir: "--temp-dir",
  textOverflow: "--text-overflow",
  to: "--to",
  trace: "--trace",
  type: "--type",
  verify: "--verify",
};

/** Options of sort(1) that order lines. */
export const lineOptions = [
  "--numeric-sort",
  "--general-numeric-sort",
  "--human-numeric-sort",
  "--month-sort",
  "--version-sort",
  "--sort",
  "--ignore-leading-blanks",
  "--dictionary-order",
  "--ignore-case",
  "--ignore-nonprinting",
  "--zero-terminated",
  "--field-separator",
];

/** The options that the command line has. One such as `--no-verify` is another one than `--verify`. */
export function presentFlags(command: Command): string[] {
  return command.options
    .filter((option) => {
      const name = option.attributeName();
      const isOff = command.getOptionValue(name) === false;
      return command.getOptionValueSource(name) === "cli" && option.negate === isOff;
    })
    .map((option) => option.long ?? option.short!);
}

/** The options that say the order of lines; if there are none, that of the separator. */
function flagsOfLines(command: Command): readonly string[] {
  const present = presentFlags(command).filter((flag) => flag === flags.rows || lineOptions.includes(flag));
  return present.length > 0 ? present : ["--field-separator"];
}

/** Each demo declares its own options; these are the ones that an error may refer to. */
const demoFlags = ["--device", "--output"];

/**
 * An error's hint, followed by the flags of the options that it is about: "name the type of its keys
 * (--type)". If nobody typed `--device`, the variable that chose the device is named too. A task of a job reads
 * as its plan says, so the plan's flags are named for it. A job writes into two folders.
 *
 * @param command the command that failed. Flags that it does not have are left out. Default: any command.
 */
export function hintText({ hint, options }: GpusortError, command?: Command): string | undefined {
  const own = command?.name() === "demo" ? demoFlags : command?.options.map(({ long }) => long);
  const plan = command?.parent?.commands.find((one) => one.name() === "plan");
  const all = options.flatMap((option) => {
    if (option === "rows" && command) return flagsOfLines(command);
    return option === "output" && plan ? ["--job", flags.output] : flags[option];
  });
  const known = all.filter((flag) => own?.includes(flag) ?? true);
  const planned = all.filter((flag) => plan?.options.some(({ long }) => long === flag));
  if (hint !== undefined && known.length === 0 && planned.length > 0)
    return `${hint} (plan anew with ${planned.join(", ")})`;
  if (hint === undefined || known.length === 0) return hint;
  const byVariable = process.env.GPUSORT_DEVICE && command?.getOptionValueSource("device") === "default";
  const named = known.map((flag) =>
    flag === flags.device && byVariable ? `GPUSORT_DEVICE or ${flag}` : flag,
  );
  return `${hint} (${named.join(", ")})`;
}
