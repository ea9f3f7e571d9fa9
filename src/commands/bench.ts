import { compare } from "../bench/compare.js";
import {
  arrayContender,
  type Contender,
  gpuRoundTripContender,
  gpuSortContender,
  typedArrayContender,
  valuesContender,
} from "../bench/contender.js";
import { CopyProbe } from "../bench/copy_probe.js";
import { mismatch, parseDocument } from "../bench/document.js";
import type { EndToEnd } from "../bench/end_to_end.js";
import { machineOf } from "../bench/machine.js";
import type { Metric } from "../bench/metric.js";
import { type Axes, runBench } from "../bench/run.js";
import type { BenchRow, Crossover, StopRule } from "../bench/schema.js";
import { type BenchDocument, type Comparison, type Header, SCHEMA } from "../bench/schema.js";
import { type ElementType, elementType } from "../core/elements.js";
import { CpuEngine } from "../core/engines/cpu.js";
import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";
import { printableLines } from "../core/printable.js";
import { algorithm } from "../core/sort/algorithms.js";
import { type OpenedEngine, openEngine } from "../dawn/open_engine.js";
import { Journal } from "../files/journal.js";
import { openReplacement } from "../files/replace_file.js";
import { BenchTable, benchNotes, csv, markdownTable, stopRuleText } from "../report/bench.js";
import { axisColumns, type BenchColumn, parseColumns } from "../report/columns.js";
import { comparisonText } from "../report/compare.js";
import { EndToEndTable, endToEndNote } from "../report/end_to_end.js";
import { foldLines } from "../report/fold.js";
import { jsonText } from "../report/json.js";
import { type PlotTheme, plotterFor } from "../report/plot.js";
import { seedNote, seedTable } from "../report/seed.js";
import { distribution } from "../testdata/distributions.js";
import { requireDistinct } from "./distinct.js";
import { endToEnd } from "./end_to_end.js";
import { environment } from "./environment.js";
import { ExitCode } from "./exit_code.js";
import { parseCount, parsePositive } from "./numbers.js";
import { openDeviceQuietly } from "./quiet.js";
import { readText } from "./read_text.js";
import { parseSize, parseSizes, sizesBetween } from "./sizes.js";
import { StatusLine } from "./status_line.js";
import { terminalWidth } from "./terminal.js";

export interface BenchOptions {
  readonly min: string;
  readonly max: string;
  readonly step: string;
  readonly sizes?: string;
  readonly type: string;
  readonly algorithm: string;
  readonly dist: string;
  readonly payload: string;
  readonly columns: string;
  readonly device: string;
  readonly error: string;
  readonly budget: string;
  readonly runs: string;
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

/** `gpusort bench`: measures the sorts on this machine, and prints each row as soon as it is measured. */
export async function bench(options: BenchOptions): Promise<void> {
  const settings = parse(options);
  const before = options.compare === undefined ? undefined : await readDocument(options.compare);
  if (options.endToEnd) return commandTimes(settings, options);
  // A missing package or folder for the plot is reported here, before the long measurement.
  const draw = options.plot === undefined ? undefined : await plotterFor(options.plot);
  const plot = options.plot === undefined ? undefined : await openPlot(options.plot, options);
  try {
    const document = await measureAll(settings, options, before);
    show(settings, document, options);
    if (draw) await plot?.finish(await draw(document, settings.metrics, settings.theme));
    const isSlower = document.comparison?.changes.some(({ verdict }) => verdict === "slower");
    if (isSlower) process.exitCode = ExitCode.slower;
  } catch (error) {
    await plot?.discard();
    throw error;
  }
}

async function openPlot(path: string, { out, compare }: BenchOptions) {
  await requireDistinct(path, "plot", [
    ["the file of --out", out],
    ["the file of --compare", compare],
  ]);
  return openReplacement(path, "plot");
}

async function measureAll(
  settings: Settings,
  options: BenchOptions,
  before: BenchDocument | undefined,
): Promise<BenchDocument> {
  const opened = await openShown(options);
  if (opened.engine.gpuClock === undefined) refuseAlgorithms(settings.axes.algorithms);
  if (opened.notice && !options.quiet) process.stderr.write(`gpusort: ${opened.notice}\n`);
  const header: Header = {
    schema: SCHEMA,
    startedAt: new Date().toISOString(),
    environment: environment(opened),
    stopRule: settings.rule,
  };
  const journal = options.out === undefined ? undefined : openJournal(options.out, header);
  const results = await run(settings, opened, header, journal, options);
  const comparison = before && compare(before.rows, results.rows, settings.threshold);
  return { ...header, ...results, ...(comparison ? { comparison } : {}) };
}

/** Opens the engine, and says so on a terminal meanwhile. */
async function openShown({ device, quiet }: BenchOptions): Promise<OpenedEngine> {
  const status = new StatusLine(process.stderr, !quiet);
  status.show("opening the device");
  try {
    return await openEngine(device, { openDevice: openDeviceQuietly });
  } finally {
    status.clear();
  }
}

/** `--end-to-end`: each run is a process that opens its own device, so this process opens none. */
async function commandTimes({ axes, rule, table }: Settings, options: BenchOptions): Promise<void> {
  const drawn = new EndToEndTable(axes, width());
  const status = new StatusLine(process.stderr, !options.quiet);
  const print = (text: string) => {
    status.clear();
    if (table) process.stdout.write(text);
  };
  print(drawn.head());
  const rows: EndToEnd[] = [];
  try {
    for await (const row of endToEnd(axes, options.device, rule, (text) => status.show(text))) {
      rows.push(row);
      print(drawn.row(row));
    }
  } finally {
    status.clear();
  }
  print(drawn.foot() + endToEndNote);
  if (options.json) process.stdout.write(jsonText({ stopRule: rule, endToEnd: rows }));
}

interface Settings {
  readonly axes: Axes;
  readonly columns: readonly BenchColumn[];
  /** What must be measured to fill the columns. */
  readonly metrics: ReadonlySet<Metric>;
  readonly rule: StopRule;
  readonly threshold: number;
  readonly theme: PlotTheme;
  /** Whether standard output shows the table, rather than JSON, CSV or Markdown. */
  readonly table: boolean;
}

function parse(options: BenchOptions): Settings {
  const list = (text: string) => [...new Set(text.split(",").map((item) => item.trim()))];
  const sizes = options.sizes
    ? parseSizes(options.sizes, "--sizes")
    : sizesBetween(
        parseSize(options.min, "--min"),
        parseSize(options.max, "--max"),
        parsePositive(options.step, "--step", "times"),
      );
  const algorithms = list(options.algorithm).map((name) => algorithm(name).name);
  if (options.device === "cpu") refuseAlgorithms(algorithms);
  if ([options.json, options.csv, options.markdown].filter(Boolean).length > 1) {
    throw new InputError("--json, --csv and --markdown all print to standard output", {
      hint: "choose one; `--out rows.jsonl` writes all results to a file at the same time",
    });
  }
  const columns = parseColumns(options.columns);
  const types = list(options.type).map(elementType);
  return {
    axes: {
      types,
      distributions: list(options.dist).map((name) => distribution(name, types).name),
      payloads: list(options.payload).map(parsePayload),
      algorithms,
      sizes,
    },
    columns,
    metrics: new Set([
      ...columns.flatMap((column) => column.metrics),
      ...(options.seedTable ? SEED_METRICS : []),
    ]),
    rule: {
      relativeError: parsePositive(options.error, "--error", "percent") / 100,
      budgetSeconds: parsePositive(options.budget, "--budget", "seconds"),
      mostRuns: parseCount(options.runs, "--runs"),
    },
    threshold: parsePositive(options.threshold, "--threshold", "percent") / 100,
    theme: parseTheme(options.theme),
    table: !options.json && !options.csv && !options.markdown,
  };
}

/** The metrics that `--seed-table` shows. */
const SEED_METRICS: readonly Metric[] = ["typed", "gpu", "round-trip"];

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

async function readDocument(path: string): Promise<BenchDocument> {
  return parseDocument(await readText(path, `--compare '${path}'`), path);
}

/**
 * Opens the `--out` file: a new one, or one of an earlier run, which is continued.
 *
 * @throws InputError if the earlier rows cannot be compared with new ones, since the machine, the versions or
 *   the stop rule differ.
 */
function openJournal(path: string, header: Header): Journal {
  const journal = Journal.open(path, "--out", (text) => {
    const why = mismatch(parseDocument(text, path), header);
    if (why === undefined) return;
    throw new InputError(`--out '${path}' cannot be continued: ${why}`, {
      hint: "name another file, or remove this one",
    });
  });
  if (journal.text === "") journal.append(JSON.stringify(header));
  return journal;
}

interface Results {
  readonly rows: readonly BenchRow[];
  readonly crossovers: readonly Crossover[];
}

async function run(
  settings: Settings,
  opened: OpenedEngine,
  header: Header,
  journal: Journal | undefined,
  options: BenchOptions,
): Promise<Results> {
  const { axes, columns, metrics, rule, table } = settings;
  const { engine, device } = opened;
  const hasGpu = engine.gpuClock !== undefined;
  const crossovers = options.crossover && metrics.has("typed") && hasGpu ? crossoverMetrics(metrics) : [];
  const machine = machineOf(device && (await probes(device)));
  const drawn = new BenchTable(axisColumns(axes), columns, width());
  const status = new StatusLine(process.stderr, !options.quiet);
  const print = (text: string) => {
    status.clear();
    if (table) process.stdout.write(printableLines(text));
  };
  print(foldLines(`${subject(axes, opened)}\n${stopRuleText(rule)}`, width()));
  print(drawn.head());
  const rows: BenchRow[] = [];
  const found: Crossover[] = [];
  const events = runBench({
    axes,
    contenders: (type, payloadBytes) => contendersFor(type, payloadBytes, axes, metrics, engine),
    rule,
    machine,
    crossovers,
    known: journal ? parseDocument(journal.text || JSON.stringify(header), options.out!).rows : [],
    progress: (text) => status.show(text),
  });
  try {
    for await (const event of events) {
      if ("crossover" in event) {
        found.push(event.crossover);
        continue;
      }
      rows.push(event.row);
      if (journal && !event.known) journal.append(JSON.stringify({ row: event.row }));
      if (event.row.purpose === "grid") print(drawn.row(event.row));
    }
  } finally {
    status.clear();
  }
  print(drawn.foot());
  journal?.close();
  print(foldLines(benchNotes(rows, found, device?.adapter.name ?? "the CPU"), width()));
  return { rows, crossovers: found };
}

/** Bytes of a copy so small that its time is only the delay of a submission and its answer. */
const TINY_BYTES = 4096;

async function probes({ gpu, adapter }: NonNullable<OpenedEngine["device"]>) {
  const [large, tiny] = [await CopyProbe.create(gpu), await CopyProbe.create(gpu, TINY_BYTES)];
  return { large, tiny, software: adapter.software };
}

function crossoverMetrics(metrics: ReadonlySet<Metric>): Metric[] {
  return (["gpu", "round-trip"] as const).filter((way) => metrics.has(way));
}

function contendersFor(
  type: ElementType,
  payloadBytes: number,
  { algorithms }: Axes,
  metrics: ReadonlySet<Metric>,
  engine: OpenedEngine["engine"],
): Contender[] {
  const all = [
    arrayContender(type, payloadBytes),
    payloadBytes > 0 ? valuesContender(new CpuEngine(), type, payloadBytes) : typedArrayContender(),
    ...algorithms.map((name) => gpuSortContender(engine, type, name, payloadBytes)),
    ...algorithms.map((name) => gpuRoundTripContender(engine, type, name, payloadBytes)),
  ];
  return all.filter((contender) => contender.metrics.some((way) => metrics.has(way)));
}

/** Two lines that say what is measured and on what. */
function subject({ types, distributions, algorithms }: Axes, { engine }: OpenedEngine): string {
  const gpu = engine.gpuClock
    ? `${algorithms.join(", ")} on ${engine.device}; GPU sort by ${engine.gpuClock}`
    : "no GPU adapter";
  return `${types.map(({ name }) => name).join(", ")} keys, ${distributions.join(", ")}\n${gpu}`;
}

/** Prints everything that comes after the last row. */
function show(settings: Settings, document: BenchDocument, options: BenchOptions): void {
  const grid = document.rows.filter(({ purpose }) => purpose === "grid");
  const columns = [...axisColumns(settings.axes), ...settings.columns];
  const out = (text: string) => process.stdout.write(text);
  if (options.json) out(jsonText(document));
  if (options.csv) out(csv(document.rows));
  if (options.markdown) out(printableLines(markdownTable(grid, columns)));
  if (options.seedTable && settings.table) out(`\n${seedTable(grid, width())}${seedNote}`);
  if (document.comparison) showComparison(document.comparison, settings.table);
}

function width(): number {
  return terminalWidth(process.stdout);
}

function showComparison(comparison: Comparison, table: boolean): void {
  (table ? process.stdout : process.stderr).write(comparisonText(comparison, width()));
}
