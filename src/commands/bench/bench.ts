import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import { Budget } from "../../bench/budget.js";
import { mismatch, parseDocument } from "../../bench/document.js";
import type { EndToEnd } from "../../bench/end_to_end.js";
import { machineOf } from "../../bench/machine.js";
import { runBench, secondsByDefault } from "../../bench/run.js";
import {
  type AdapterEnvironment,
  type BenchDocument,
  type Environment,
  type Header,
  SCHEMA,
} from "../../bench/schema.js";
import { commit, version } from "../../build.generated.js";
import type { GpuClock } from "../../core/engines/engine.js";
import { InputError } from "../../core/errors.js";
import { dawnOptions } from "../../dawn/adapter.js";
import { type OpenedEngine, openEngine } from "../../dawn/open_engine.js";
import { Journal } from "../../files/journal.js";
import { openReplacement } from "../../files/output.js";
import { requireDistinct } from "../../files/same_file.js";
import { EndToEndTable, endToEndNote } from "../../report/end_to_end.js";
import { jsonText } from "../../report/json.js";
import { plotterFor } from "../../report/plot/plot.js";
import { formatNumberOf } from "../../report/units.js";
import { ExitCode } from "../exit_code.js";
import { requirePath } from "../output.js";
import { readText } from "../read_text.js";
import { openDeviceHidingOutput } from "../terminal/hide_dawn_output.js";
import { StatusLine } from "../terminal/status_line.js";
import { noticeLine, terminalWidth } from "../terminal/terminal.js";
import { contendersFor, enginesOf, probes } from "./bench_contenders.js";
import { BenchOutput } from "./bench_output.js";
import { type BenchOptions, parseSettings, type Settings } from "./bench_settings.js";
import { endToEnd } from "./end_to_end.js";

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
    if (draw) await plot?.finish(await draw(document, settings.metrics, settings.theme));
    const { changes } = document.comparison ?? {};
    if (changes?.length === 0) throw nothingShared(options.compare!);
    if (changes?.some(({ verdict }) => verdict === "slower")) process.exitCode = ExitCode.slower;
  } catch (error) {
    await plot?.discard();
    throw error;
  }
}

function nothingShared(path: string): InputError {
  return new InputError(`nothing that was measured is in --compare '${path}' too, so nothing was compared`, {
    hint: "measure the tasks, types, sizes and columns that it has, or name another result",
  });
}

async function openPlot(path: string, { out, compare }: BenchOptions) {
  await requireDistinct(path, "plot", [
    ["the file of --out", out],
    ["the file of --compare", compare],
  ]);
  return openReplacement(path, "plot");
}

async function measureAll(
  asked: Settings,
  options: BenchOptions,
  before: BenchDocument | undefined,
): Promise<BenchDocument> {
  const opened = await openShown(asked, options);
  const settings = opened.device ? asked : parseSettings({ ...options, device: "cpu" });
  const { axes, rule } = settings;
  const engines = await enginesOf(opened, settings);
  if (opened.notice && !options.quiet) process.stderr.write(noticeLine(opened.notice));
  const header: Header = {
    schema: SCHEMA,
    startedAt: new Date().toISOString(),
    environment: environment(opened, settings.threads),
    stopRule: rule,
  };
  const journal = options.out === undefined ? undefined : openJournal(options.out, header);
  const budget = budgetOf(settings);
  const output = new BenchOutput({ settings, options, opened, header, before });
  const forgetInterrupt = onInterrupt(() => output.interrupt());
  try {
    output.begin();
    const events = runBench({
      axes,
      contenders: (input) => contendersFor(input, settings, engines),
      relativeError: rule.relativeError,
      budget,
      machine: machineOf(opened.device && (await probes(opened.device))),
      contests: settings.contests,
      known: journal ? parseDocument(journal.text || JSON.stringify(header), "--out").rows : [],
      progress: (text, purpose) => output.showStatus(text, purpose, budget.secondsLeft),
    });
    for await (const event of events) {
      if (journal && "row" in event && !event.known) journal.append(JSON.stringify({ row: event.row }));
      output.add(event);
    }
    return output.end();
  } finally {
    forgetInterrupt();
    output.clearStatus();
    journal?.close();
    engines.cpu.close();
  }
}

/** The time of the benchmark, which began with the process: opening the device and its kernels counts. */
function budgetOf({ axes, contests, rule }: Settings): Budget {
  const weight = secondsByDefault(axes, contests.length > 0);
  return new Budget(rule.budgetSeconds, weight, () => performance.now(), 0);
}

/** Opens the engine, and says so on a terminal meanwhile. */
async function openShown({ threads }: Settings, { device, quiet }: BenchOptions): Promise<OpenedEngine> {
  const status = new StatusLine(process.stderr, !quiet);
  status.show("opening the device");
  try {
    return await openEngine(device, { openDevice: openDeviceHidingOutput, threads });
  } finally {
    status.clear();
  }
}

/** `--end-to-end`: each run is a process that opens its own device, so this process opens none. */
async function commandTimes(settings: Settings, options: BenchOptions): Promise<void> {
  const { axes, rule, table } = settings;
  const drawn = new EndToEndTable(axes, terminalWidth(process.stdout));
  const status = new StatusLine(process.stderr, !options.quiet);
  const print = (text: string) => {
    status.clear();
    if (table) process.stdout.write(text);
  };
  const rows: EndToEnd[] = [];
  const end = ({ interrupted = false } = {}) => {
    print(drawn.foot() + endToEndNote);
    if (!options.json) return;
    const document = { stopRule: rule, ...(interrupted ? { interrupted } : {}), endToEnd: rows };
    process.stdout.write(jsonText(document));
  };
  const forgetInterrupt = onInterrupt(() => {
    end({ interrupted: true });
    process.stderr.write(`gpusort: interrupted after ${formatNumberOf(rows.length, "row")}\n`);
  });
  try {
    print(drawn.head());
    const budget = budgetOf(settings);
    for await (const row of endToEnd(axes, options.device, rule.relativeError, budget, (text) =>
      status.show(text),
    )) {
      rows.push(row);
      print(drawn.row(row));
    }
    end();
  } finally {
    forgetInterrupt();
    status.clear();
  }
}

async function readDocument(path: string): Promise<BenchDocument> {
  const name = `--compare '${path}'`;
  return parseDocument(await readText(path, name), name);
}

/**
 * Opens the `--out` file: a new one, or one of an earlier run, which is continued.
 *
 * @throws InputError if the earlier rows cannot be compared with new ones, since the machine, the versions or
 *   the bound of the error differ.
 */
function openJournal(path: string, header: Header): Journal {
  requirePath(path, "--out");
  const name = `--out '${path}'`;
  const journal = Journal.open(path, name, (text) => {
    const why = mismatch(parseDocument(text, name), header);
    if (why === undefined) return;
    throw new InputError(`${name} cannot be continued: ${why}`, {
      hint: "name another file, or remove this one",
    });
  });
  if (journal.text === "") journal.append(JSON.stringify(header));
  return journal;
}

/**
 * Does some work, which must be synchronous, if a signal such as Ctrl-C ends the process: `main` emits "exit"
 * with the exit code of the signal.
 *
 * @returns a function that takes the work back.
 */
function onInterrupt(work: () => void): () => void {
  const atExit = (code: number) => {
    if (code > 128) work();
  };
  process.once("exit", atExit);
  return () => process.off("exit", atExit);
}

/**
 * Describes where a benchmark runs: versions, operating system, processor, memory and adapter.
 *
 * @param threads the most threads that the CPU engine uses.
 */
function environment({ engine, device }: OpenedEngine, threads: number): Environment {
  const all = cpus();
  return {
    gpusort: version,
    commit,
    node: process.version,
    v8: process.versions.v8,
    dawn: (createRequire(import.meta.url)("webgpu/package.json") as { version: string }).version,
    toggles: dawnOptions,
    os: `${type()} ${release()} ${process.arch}`,
    cpu: all[0]?.model ?? "unknown",
    cores: all.length,
    threads,
    memoryBytes: totalmem(),
    adapter: device ? adapterOf(device.adapter, engine.gpuClock) : null,
  };
}

function adapterOf(
  {
    name,
    driver,
    vendor,
    architecture,
    software,
    subgroupSize,
  }: NonNullable<OpenedEngine["device"]>["adapter"],
  gpuClock: GpuClock = "wall clock",
): AdapterEnvironment {
  return { name, driver, vendor, architecture, software, subgroupSize, gpuClock };
}
