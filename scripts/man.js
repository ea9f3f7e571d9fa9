/**
 * Writes man/gpusort.1, the manual page, from the commands and options of what is built in dist/, so that it
 * says what --help says. Run it after the compiler.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { version } from "../dist/build.generated.js";
import { examples, fullName } from "../dist/commands/help.js";
import { numberNotation } from "../dist/commands/numbers.js";
import { createProgram } from "../dist/commands/program.js";

/** @typedef {import("commander").Command} Command */

/** What --help does not say. A pair is a term and its description. */
const texts = {
  description: [
    [
      "gpusort sorts files of numbers, or of records of a fixed length, on the GPU, or on the CPU where that is",
      "faster, and lines of text. A file is read as binary numbers, end to end: keys.f64 names their type, a .npy",
      "file contains it, otherwise it is u32. Text is sorted as numbers if its lines are single numbers, else as",
      "lines, with the keys and options of sort(1), in the order of bytes.",
    ].join(" "),
    [
      "The order is that of JavaScript's typed arrays: -0 comes before +0, and NaNs come last. Every result is",
      "checked before the output appears: complete, or not at all.",
    ].join(" "),
  ],
  numbers: [
    [
      `Counts are written like ${numberNotation}; M, G and T, and Mi, Gi and Ti likewise. An amount of memory`,
      "is written as for sort(1): a plain number is in KiB, the suffixes K, M, G and T are powers of 1024, b is",
      "bytes, and % is a share of this machine's memory.",
    ].join(" "),
  ],
  exit: [
    ["0", "done"],
    ["1", "not in order (--check, verify)"],
    ["2", "an error: standard error names the file or the option, and a way out"],
    ["3", "the device or its driver failed, or computed a wrong result (job): another try may succeed"],
    ["4", "a disk or a network file system failed, or another task must run first (job): try again"],
    ["5", "slower (bench --compare)"],
  ],
  environment: [
    ["TMPDIR", "the folder for temporary files, unless --temp-dir names one"],
    ["GPUSORT_DEVICE", "the default of --device; without it, that is auto"],
    [
      "XDG_CACHE_HOME",
      [
        "where the cache folder gpusort/ is, with compiled code and shaders, results of self-tests, and the",
        "software driver; ~/.cache by default on Linux",
      ].join(" "),
    ],
  ],
};

/**
 * Characters that roff would take for something else, and what to write instead.
 *
 * @type {Record<string, string>}
 */
const escapes = { "\\": "\\e", "-": "\\-", "^": "\\(ha", "~": "\\(ti", "'": "\\(aq", "`": "\\(ga" };
/** @param {string} text */
const roff = (text) =>
  text
    .replace(/[\\\-^~'`]/g, (one) => escapes[one])
    .replace(/[^ -~]/g, (one) => `\\[u${one.codePointAt(0)?.toString(16).toUpperCase()}]`)
    .replace(/^(?=\.)/, "\\&");
/**
 * @param {string} name
 * @param {string[]} lines
 */
const section = (name, lines) => [`.SH ${name}`, ...lines];
/** @param {string[]} some */
const paragraphs = (some) => some.flatMap((text) => [".PP", roff(text)]);
/** @param {(readonly string[])[]} pairs */
const terms = (pairs) => pairs.flatMap(([term = "", text = ""]) => [".TP", `.B ${roff(term)}`, roff(text)]);

const program = /** @type {Command} */ (/** @type {unknown} */ (createProgram()));
/** Of Commander's own types, which take a command with any options. */
const help = /** @type {import("commander").Help} */ (/** @type {unknown} */ (program.createHelp()));

/** @param {Command} command */
function optionsOf(command) {
  return terms(
    help.visibleOptions(command).map((option) => [help.optionTerm(option), help.optionDescription(option)]),
  );
}

/**
 * A command, or the commands that it has.
 *
 * @param {Command} command
 * @returns {readonly Command[]}
 */
function withOwn(command) {
  return command.commands.length === 0 ? [command] : command.commands;
}

/**
 * A command's arguments and options, below a heading with its usage.
 *
 * @param {Command} command
 */
function commandText(command) {
  const some = help.visibleArguments(command).map((one) => [one.name(), help.argumentDescription(one)]);
  const usage = `gpusort ${fullName(command)} ${command.usage()}`;
  return [`.SS ${roff(usage)}`, roff(`${command.description()}.`), ...terms(some), ...optionsOf(command)];
}

const page = [
  `.TH GPUSORT 1 "" "gpusort ${version}" "User Commands"`,
  ".nh",
  ...section("NAME", [roff("gpusort - sort files of numbers and of text, on the GPU or on the CPU")]),
  ...section("SYNOPSIS", [".B gpusort", "[options] files...", ".br", ".B gpusort", "command [options]"]),
  ...section("DESCRIPTION", paragraphs(texts.description)),
  ...section("OPTIONS OF ALL COMMANDS", optionsOf(program)),
  ...section("COMMANDS", help.visibleCommands(program).flatMap(withOwn).flatMap(commandText)),
  ...section("NUMBERS", paragraphs(texts.numbers)),
  ...section("EXIT STATUS", terms(texts.exit)),
  ...section("ENVIRONMENT", terms(texts.environment)),
  ...section("EXAMPLES", terms(Object.values(examples).flat())),
  ...section("SEE ALSO", [".BR sort (1)"]),
  "",
];

const folder = new URL("../man/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("gpusort.1", folder), page.join("\n"));
