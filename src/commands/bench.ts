import { compare } from "../bench/compare.js";
import { contestsOf } from "../bench/crossover.js";
import { mismatch, parseDocument } from "../bench/document.js";
import type { EndToEnd } from "../bench/end_to_end.js";
import { machineOf } from "../bench/machine.js";
import { runBench } from "../bench/run.js";
import {
  type BenchDocument,
  type BenchRow,
  type Comparison,
  type Crossover,
  type Header,
  SCHEMA,
} from "../bench/schema.js";
import { InputError } from "../core/errors.js";
import { printableLines } from "../core/printable.js";
import { type OpenedEngine, openEngine } from "../dawn/open_engine.js";
import { Journal } from "../files/journal.js";
import { openReplacement } from "../files/replace_file.js";
import { BenchTable, benchNotes, csv, markdownTable, stopRuleText } from "../report/bench.js";
import { axisColumns } from "../report/columns.js";
import { comparisonText } from "../report/compare.js";
import { EndToEndTable, endToEndNote } from "../report/end_to_end.js";
import { foldLines } from "../report/fold.js";
import { jsonText } from "../report/json.js";
import { plotterFor } from "../report/plot.js";
import { seedNote, seedTable } from "../report/seed.js";
import { formatThreads } from "../report/units.js";
import { contendersFor, type Engines, enginesOf, probes } from "./bench_contenders.js";
import { type BenchOptions, parseSettings, refuseAlgorithms, type Settings } from "./bench_settings.js";
import { requireDistinct } from "./distinct.js";
import { endToEnd } from "./end_to_end.js";
import { environment } from "./environment.js";
import { ExitCode } from "./exit_code.js";
import { openDeviceQuietly } from "./quiet.js";
import { readText } from "./read_text.js";
import { StatusLine } from "./status_line.js";
import { terminalWidth } from "./terminal.js";

/** `gpusort bench`: measures the sorts on this machine, and prints each row as soon as it is measured. */
export async function bench(options: BenchOptions): Promise<void> {
  const settings = parseSettings(options);
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
  const opened = await openShown(settings, options);
  const engines = await enginesOf(opened, settings);
  if (opened.engine.gpuClock === undefined) refuseAlgorithms(settings.axes.algorithms);
  if (opened.notice && !options.quiet) process.stderr.write(`gpusort: ${opened.notice}\n`);
  const header: Header = {
    schema: SCHEMA,
    startedAt: new Date().toISOString(),
    environment: environment(opened, settings.threads),
    stopRule: settings.rule,
  };
  const journal = options.out === undefined ? undefined : openJournal(options.out, header);
  try {
    const results = await run(settings, opened, engines, header, journal, options);
    const comparison = before && compare(before, { ...header, ...results }, settings.threshold);
    return { ...header, ...results, ...(comparison ? { comparison } : {}) };
  } finally {
    engines.cpu.close();
  }
}

/** Opens the engine, and says so on a terminal meanwhile. */
async function openShown({ threads }: Settings, { device, quiet }: BenchOptions): Promise<OpenedEngine> {
  const status = new StatusLine(process.stderr, !quiet);
  status.show("opening the device");
  try {
    return await openEngine(device, { openDevice: openDeviceQuietly, threads });
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
  engines: Engines,
  header: Header,
  journal: Journal | undefined,
  options: BenchOptions,
): Promise<Results> {
  const { axes, columns, metrics, rule, table } = settings;
  const { device } = opened;
  const machine = machineOf(device && (await probes(device)));
  const drawn = new BenchTable(axisColumns(axes), columns, width());
  const status = new StatusLine(process.stderr, !options.quiet);
  const print = (text: string) => {
    status.clear();
    if (table) process.stdout.write(printableLines(text));
  };
  print(foldLines(`${subject(settings, opened)}\n${stopRuleText(rule)}`, width()));
  print(drawn.head());
  const rows: BenchRow[] = [];
  const found: Crossover[] = [];
  const events = runBench({
    axes,
    contenders: (input) => contendersFor(input, settings, engines),
    rule,
    machine,
    contests: options.crossover ? contestsOf(metrics) : [],
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

/** Lines that say what is measured and on what. */
function subject({ axes, metrics, threads }: Settings, { engine }: OpenedEngine): string {
  const { tasks, types, distributions, algorithms } = axes;
  const done = tasks.map(({ name }) => name).join(", ");
  return [
    `${done === "sort" ? "" : `${done} of `}${types.map(({ name }) => name).join(", ")} keys, ${distributions.join(", ")}`,
    engine.gpuClock
      ? `${algorithms.join(", ")} on ${engine.device}; GPU sort by ${engine.gpuClock}`
      : "no GPU adapter",
    ...(metrics.has("cpu") ? [`CPU sort: gpusort's own, with at most ${formatThreads(threads)}`] : []),
  ].join("\n");
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
