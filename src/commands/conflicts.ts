import type { Command } from "commander";
import { InputError } from "../core/errors.js";
import { optionTable, type RefusableOption, sharesKind, worksWith } from "../kinds/options.js";
import { flags, lineOptions, presentFlags } from "./error_hint.js";
import { fullName } from "./help.js";

/** Options of a command that have no effect with, or without, other options of it. They are refused. */
interface Rule {
  /** The rule applies if one of these options is given … */
  readonly with?: readonly string[];
  /** … or if none of these is given. */
  readonly without?: readonly string[];
  readonly refused: readonly string[];
  readonly hint: string;
}

const alsoOfColumns = ["--field-separator", "--zero-terminated", "--ignore-case"];

const flagsOf = (has: (option: RefusableOption) => boolean) =>
  (Object.keys(optionTable) as RefusableOption[]).filter(has).map((option) => flags[option]);

/** They work with rows of text if keys of sort(1), or values that change nothing, are given to them. */
const dependsOnValue: readonly RefusableOption[] = ["keys", "algorithm"];

/** What describes numbers or records, and has no effect on rows of text. */
const numberOptions = flagsOf(
  (option) => !sharesKind(option, "rows") && !sharesKind(option, "by") && !dependsOnValue.includes(option),
);

const inputOptions = [...numberOptions, "--format", "--key", "--header"];

/** What goes with columns only. */
const columnOptions = flagsOf(
  (option) => option !== "by" && sharesKind(option, "by") && !worksWith(option, "lines"),
);

/** Of the commands that take an order of lines. */
const orderRules: readonly Rule[] = [
  {
    with: lineOptions,
    refused: numberOptions,
    hint: "leave one of them out: the one orders lines of text, the other describes numbers or records",
  },
  {
    with: ["--by"],
    refused: [...lineOptions.filter((option) => !alsoOfColumns.includes(option)), "--key", ...numberOptions],
    hint: "leave one of them out: columns are compared by their types, as in --by price:number:desc",
  },
  { without: ["--by"], refused: columnOptions, hint: "name the columns to sort by" },
];

const twoKindsOfRecords: Rule = {
  with: ["--records"],
  refused: ["--record"],
  hint: "leave one of them out: --record is the length of records, --records names the sort benchmark's",
};

const rules: Readonly<Record<string, readonly Rule[]>> = {
  sort: [
    ...orderRules,
    { with: ["--threads"], refused: ["--parallel"], hint: "leave one of them out: they mean the same" },
    {
      // Not --memory and --temp-dir: scripts give them to every sort(1), and it takes them for a check.
      with: ["--check", "-C"],
      refused: [
        "--merge",
        "--argsort",
        "--head",
        "--output",
        "--to",
        "--force",
        "--compress",
        "--algorithm",
        "--device",
        "--verify",
        "--no-verify",
        "--explain",
        "--trace",
        "--json",
        "--verbose",
      ],
      hint: "leave one of them out: a check sorts and writes nothing; gpusort verify --json prints findings",
    },
    {
      with: ["--quiet"],
      refused: ["--explain", "--verbose"],
      hint: "leave one of them out: --quiet prints nothing but errors",
    },
  ],
  verify: [
    {
      with: ["--combine"],
      refused: [
        ...inputOptions,
        ...lineOptions,
        "--by",
        ...columnOptions,
        "--reverse",
        "--threads",
        "--records",
      ],
      hint: "leave it out: each summary says how its keys were read and ordered",
    },
    twoKindsOfRecords,
    {
      with: ["--records"],
      refused: [
        ...inputOptions.filter((option) => option !== "--skip-bytes"),
        ...lineOptions,
        "--by",
        ...columnOptions,
        "--reverse",
      ],
      hint: "leave it out: valsort expects records of 100 bytes, in ascending order of their first ten",
    },
    ...orderRules,
  ],
  gen: [
    twoKindsOfRecords,
    {
      with: ["--records"],
      refused: ["--type", "--byte-order"],
      hint: "leave one of them out: the sort benchmark's records have 100 bytes, of which ten are the key",
    },
    {
      with: ["--records"],
      refused: ["--seed", "--total"],
      hint: "leave it out: the bytes of gensort's records follow from their numbers alone",
    },
    {
      without: ["--records"],
      refused: ["--checksum"],
      hint: "name gensort's records with --records gensort",
    },
    {
      with: ["--record"],
      refused: ["--type", "--byte-order"],
      hint: "leave one of them out: the key of a record is ten bytes, compared from the first to the last",
    },
  ],
  bench: [
    {
      with: ["--sizes"],
      refused: ["--min", "--max", "--step"],
      hint: "either list the sizes, or give the smallest, the largest and the step",
    },
    {
      with: ["--end-to-end"],
      refused: [
        "--task",
        "--payload",
        "--columns",
        "--threads",
        "--no-crossover",
        "--seed-table",
        "--csv",
        "--markdown",
        "--plot",
        "--theme",
        "--out",
        "--compare",
        "--threshold",
      ],
      hint: "leave one of them out: --end-to-end times whole processes, and prints a table or --json",
    },
    {
      with: ["--json", "--csv", "--markdown"],
      refused: ["--seed-table"],
      hint: "leave one of them out: the tutorial's times are shown below the table only",
    },
    { without: ["--plot"], refused: ["--theme"], hint: "name the file to draw to with --plot" },
    { without: ["--compare"], refused: ["--threshold"], hint: "name the earlier result with --compare" },
  ],
};

/**
 * Refuses options that the other options of the command line make pointless.
 *
 * @throws InputError that names both options.
 */
export function refuseConflicts(command: Command): void {
  const here = new Set(presentFlags(command));
  for (const { with: present, without, refused, hint } of rules[fullName(command)] ?? []) {
    const cause = present?.find((flag) => here.has(flag));
    const applies = present ? cause !== undefined : !without?.some((flag) => here.has(flag));
    const pointless = refused.find((flag) => here.has(flag));
    if (!applies || pointless === undefined) continue;
    const why = present ? `cannot be used with ${cause}` : `has no effect without ${without?.join(" or ")}`;
    throw new InputError(`${pointless} ${why}`, { hint });
  }
}
