import type { DeviceChoice } from "../auto/open.js";
import { printableLines } from "../core/printable.js";
import type { SortDecision } from "../sort/sort_options.js";
import type { Strategy } from "../sort/strategy.js";
import { rowOrderText } from "./row_order.js";
import { formatCount, formatDuration } from "./units.js";

/** The text of `--explain`: why the sort runs on this device, and how it is done, in a few lines. */
export function explainText(decision: SortDecision): string {
  const { device, threads, deviceChoice, shaderCache, strategy, rows, by } = decision;
  const onThreads =
    threads === undefined ? "" : threads === 1 ? ", on one thread" : `, on up to ${threads} threads`;
  const problem = shaderCache?.problem;
  const lines = [
    `${device}${onThreads}${deviceText(deviceChoice)}`,
    ...(problem === undefined ? [] : [`the driver may compile its shaders in each run: ${problem}`]),
    ...(by === undefined ? [] : [`the columns are read so: ${by}`]),
    ...(rows ? [rowOrderText(rows)] : []),
    strategyText(strategy),
  ];
  return printableLines(`${lines.join("\n")}\n`);
}

/** Why a device was chosen, to follow its name. */
function deviceText(choice: DeviceChoice): string {
  switch (choice.reason) {
    case "asked":
      return ": chosen by --device or --algorithm";
    case "rows":
      return `: rows of text are sorted on the CPU${choice.why === undefined ? "" : `, as ${choice.why}`}`;
    case "rows estimate":
      return [
        ", by an estimate for rows of text:",
        `  the CPU takes about ${formatDuration(choice.cpuSeconds)}`,
        `  a GPU takes about ${formatDuration(choice.gpuSeconds)}`,
      ].join("\n");
    case "records":
      return ": records are sorted there, and keys that are moved with their indices";
    case "tables":
      return ": DuckDB sorts tables there";
    case "unknown":
      return ": it sorts as fast as the input comes, whose length is not known";
    case "few keys":
      return `: it sorts up to ${formatCount(choice.keyCount)} keys faster than a GPU can be opened`;
    case "no GPU":
      return choice.problem === undefined
        ? ": this machine has no GPU, and no software adapter sorts faster than the CPU"
        : `: no GPU could be opened: ${choice.problem}`;
    case "estimate":
      return [
        ", by an estimate:",
        `  the CPU takes about ${formatDuration(choice.cpuSeconds)}`,
        `  a GPU takes about ${formatDuration(choice.gpuSeconds)}, most of it to be opened and to get the keys`,
      ].join("\n");
    default:
      return choice satisfies never;
  }
}

function strategyText(strategy: Strategy): string {
  const count = formatCount;
  switch (strategy.kind) {
    case "in memory":
      return `all ${count(strategy.itemCount)} items at once: they fit in memory${selectedText(strategy.selected)}`;
    case "indices in memory":
      return `the indices of all ${count(strategy.itemCount)} keys at once: they fit in memory`;
    case "top k":
      return `one pass over all items, which keeps the first ${count(strategy.count)}`;
    case "out of core":
      return `out of core, in chunks of ${count(strategy.chunkItems)} items`;
    case "rows in memory":
      return `all ${count(strategy.rows)} rows at once: they fit in memory`;
    case "rows out of core":
      return "out of core: parts of the rows are sorted, and then merged";
    case "rows by DuckDB":
      return "all rows by DuckDB, in memory and in temporary files; then what it wrote is checked";
    case "rows merged":
      return `a merge of ${count(strategy.inputs)} sorted inputs, as they are read`;
    case "merge":
      return [
        `a merge of ${count(strategy.runs)} sorted inputs, `,
        `in buckets of ${count(strategy.chunkItems)} items`,
      ].join("");
    default:
      return strategy satisfies never;
  }
}

type InMemory = Extract<Strategy, { kind: "in memory" }>;

/** What the device writes, unless it writes all items. */
function selectedText({ unique, head }: InMemory["selected"] = {}): string {
  const items = unique ? "distinct items" : "items";
  if (head !== undefined) return `; the device selects the first ${formatCount(head)} ${items}`;
  return unique ? `; the device selects the ${items}` : "";
}
