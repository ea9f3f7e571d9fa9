import { type Contest, contestsOf } from "../../bench/crossover.js";
import { columnsOnCpu, columnsWithGpu, type Metric } from "../../bench/metric.js";
import { type Axes, secondsByDefault } from "../../bench/run.js";
import type { StopRule } from "../../bench/schema.js";
import { parseTask, sortTask, type Task } from "../../bench/tasks.js";
import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { nameHint } from "../../core/names.js";
import { algorithm } from "../../core/sort/algorithms.js";
import { type BenchColumn, parseBenchColumns } from "../../report/columns.js";
import type { PlotTheme } from "../../report/plot/plot.js";
import { distribution } from "../../testdata/distributions.js";
import { defaultThreads } from "../../threads/count.js";
import { parseCount, parsePositive, parseSize, parseSizes, parseThreads, sizesBetween } from "../numbers.js";

export interface BenchOptions {
  readonly min: string;
  readonly max: string;
  readonly step: string;
  readonly sizes?: string;
  readonly task: string;
  readonly type: string;
  readonly algorithm: string;
  readonly dist: string;
  readonly payload: string;
  readonly columns?: string;
  readonly threads?: string;
  readonly device: string;
  readonly error: string;
  readonly budget?: string;
  readonly crossover: boolean;
  readonly endToEnd?: boolean | undefined;
  readonly seedTable?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly csv?: boolean | undefined;
  readonly markdown?: boolean | undefined;
  readonly plot?: string;
  readonly theme: string;
  readonly out?: string;
  readonly compare?: string;
  readonly threshold: string;
  readonly quiet?: boolean | undefined;
}

/** What a benchmark measures and shows. */
export interface Settings {
  readonly axes: Axes;
  readonly columns: readonly BenchColumn[];
  /** What must be measured to fill the columns. */
  readonly metrics: ReadonlySet<Metric>;
  /** The contests whose crossovers are to be found. */
  readonly contests: readonly Contest[];
  readonly rule: StopRule;
  /** The most threads of the CPU engine. */
  readonly threads: number;
  readonly threshold: number;
  readonly theme: PlotTheme;
  /** Whether standard output shows the table, rather than JSON, CSV or Markdown. */
  readonly table: boolean;
}

/** @throws InputError for a value that an option cannot have, or that other options make pointless. */
export function parseSettings(options: BenchOptions): Settings {
  const list = (text: string) => [...new Set(text.split(",").map((item) => item.trim()))];
  const sizes =
    options.sizes === undefined
      ? sizesBetween(
          parseSize(options.min, "--min"),
          parseSize(options.max, "--max"),
          parsePositive(options.step, "--step", "times"),
        )
      : parseSizes(options.sizes, "--sizes");
  const algorithms = list(options.algorithm).map((name) => algorithm(name).name);
  if (options.device === "cpu") refuseAlgorithms(algorithms);
  if ([options.json, options.csv, options.markdown].filter(Boolean).length > 1) {
    throw new InputError("--json, --csv and --markdown all print to standard output", {
      hint: "choose one; `--out rows.jsonl` writes all results to a file at the same time",
    });
  }
  const columns = parseBenchColumns(options.columns ?? defaultColumns(options.device));
  const metrics = new Set([
    ...columns.flatMap((column) => column.metrics),
    ...(options.seedTable ? SEED_METRICS : []),
  ]);
  if (options.threads !== undefined && !metrics.has("cpu")) {
    throw new InputError("--threads has no effect without the column cpu", {
      hint: "leave it out, or add cpu to --columns",
    });
  }
  const contests = options.crossover && !options.endToEnd ? contestsOf(metrics) : [];
  const types = list(options.type).map(elementType);
  const payloads = list(options.payload).map(parsePayload);
  const tasks = parseTasks(list(options.task));
  for (const task of tasks) requirePossible(task, payloads, algorithms);
  if (options.seedTable && !tasks.includes(sortTask)) {
    throw new InputError("--seed-table has no effect without the task sort", {
      hint: "leave it out, or add sort to --task",
    });
  }
  const distributions = list(options.dist).map((name) => distribution(name, types).name);
  const axes: Axes = { tasks, types, distributions, payloads, algorithms, sizes };
  return {
    axes,
    columns,
    metrics,
    contests,
    rule: {
      relativeError: parsePositive(options.error, "--error", "percent") / 100,
      budgetSeconds:
        options.budget === undefined
          ? Math.round(secondsByDefault(axes, contests.length > 0))
          : parsePositive(options.budget, "--budget", "seconds"),
    },
    threads: parseThreads(options.threads) ?? defaultThreads(),
    threshold: parsePositive(options.threshold, "--threshold", "percent") / 100,
    theme: parseTheme(options.theme),
    table: !options.json && !options.csv && !options.markdown,
  };
}

/** Ratios are to `Array.prototype.sort`. The table with them fits a terminal of 80 columns. */
function defaultColumns(device: string): string {
  return device === "cpu" ? columnsOnCpu : columnsWithGpu;
}

/** The metrics that `--seed-table` shows. */
const SEED_METRICS: readonly Metric[] = ["typed", "gpu", "round-trip"];

/** Numbers in several notations may be the same: top:1K is top:1000. */
function parseTasks(names: readonly string[]): Task[] {
  const all = names.map((text) => parseTask(text, (number) => parseSize(number, "--task: the number")));
  return [...new Map(all.map((task) => [task.name, task])).values()];
}

/** @throws InputError if all that is asked of a task is what it cannot do. */
function requirePossible(
  { name, keysOnly, gpusort }: Task,
  payloads: readonly number[],
  algorithms: readonly string[],
): void {
  if (keysOnly && !payloads.includes(0)) {
    throw new InputError(
      `--payload ${payloads.join(",")} gives each key a value, but --task ${name} takes none`,
      {
        hint: "leave one of them out, or add 0 to --payload",
      },
    );
  }
  if (gpusort && !algorithms.includes("auto")) {
    throw new InputError(`--algorithm ${algorithms.join(",")} is for --task sort, not for ${name}`, {
      hint: "leave one of them out, or add auto to --algorithm",
    });
  }
}

function parsePayload(text: string): number {
  const bytes = parseCount(text, "--payload", { least: 0, most: MOST_PAYLOAD_BYTES });
  if (bytes % 4 === 0) return bytes;
  throw new InputError(`--payload '${text}' is not a multiple of 4`, {
    hint: "give the bytes per key, as in --payload 0,4,8",
  });
}

/** The greatest whole number of words in 32 bits. */
const MOST_PAYLOAD_BYTES = 2 ** 32 - 4;

/** @throws InputError for an algorithm other than auto on the CPU: they are algorithms of a GPU. */
function refuseAlgorithms(algorithms: readonly string[]): void {
  const named = algorithms.find((name) => name !== "auto");
  if (named === undefined) return;
  throw new InputError(`--algorithm ${named} is one of a GPU, but this benchmark runs on the CPU`, {
    hint: "leave --algorithm out, or choose another --device; gpusort devices lists them",
  });
}

function parseTheme(text: string): PlotTheme {
  if (text === "auto" || text === "light" || text === "dark") return text;
  throw new InputError(`--theme '${text}' is not a theme`, {
    hint: nameHint(text, ["auto", "light", "dark"]),
  });
}
