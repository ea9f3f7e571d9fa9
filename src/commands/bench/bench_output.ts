import { compare } from "../../bench/compare.js";
import type { BenchEvent } from "../../bench/run.js";
import type { BenchDocument, BenchRow, Crossover, Header } from "../../bench/schema.js";
import { printableLines } from "../../core/printable.js";
import type { OpenedEngine } from "../../dawn/open_engine.js";
import { benchNotes, csv, markdownTable, stopRuleText } from "../../report/bench.js";
import { axisColumns } from "../../report/columns.js";
import { comparisonText } from "../../report/compare.js";
import { foldLines } from "../../report/fit.js";
import { jsonText } from "../../report/json.js";
import { seedNote, seedTable } from "../../report/seed.js";
import { ColumnTable } from "../../report/table.js";
import { formatNumberOf, formatThreads } from "../../report/units.js";
import { StatusLine } from "../terminal/status_line.js";
import { terminalWidth } from "../terminal/terminal.js";
import type { BenchOptions, Settings } from "./bench_settings.js";

interface Subject {
  readonly settings: Settings;
  readonly options: BenchOptions;
  readonly opened: OpenedEngine;
  readonly header: Header;
  /** An earlier result to compare with. */
  readonly before: BenchDocument | undefined;
}

/** Prints a benchmark: each row as soon as it is measured, and the rest at its end. */
export class BenchOutput {
  readonly #subject: Subject;
  readonly #rows: BenchRow[] = [];
  readonly #crossovers: Crossover[] = [];
  readonly #table: ColumnTable<BenchRow>;
  readonly #status: StatusLine;

  constructor(subject: Subject) {
    const { axes, columns } = subject.settings;
    this.#subject = subject;
    this.#table = new ColumnTable(axisColumns(axes), columns, width());
    this.#status = new StatusLine(process.stderr, !subject.options.quiet);
  }

  begin(): void {
    const { settings, opened } = this.#subject;
    this.#print(foldLines(`${subjectText(settings, opened)}\n${stopRuleText(settings.rule)}`, width()));
    this.#print(this.#table.head());
  }

  add(event: BenchEvent): void {
    if ("crossover" in event) {
      this.#crossovers.push(event.crossover);
      return;
    }
    this.#rows.push(event.row);
    if (event.row.purpose === "grid") this.#print(this.#table.row(event.row));
  }

  /** Shows on a terminal what is being measured, which row that is, and the time left. */
  showStatus(text: string, purpose: BenchRow["purpose"], secondsLeft: number): void {
    const row = `row ${this.#grid.length + 1} of ${this.#rowCount}`;
    const left = `${Math.ceil(secondsLeft)} s left`;
    this.#status.show(`${purpose === "grid" ? row : "crossover"}, ${left}: ${text}`);
  }

  clearStatus(): void {
    this.#status.clear();
  }

  /** Ends the table, and prints everything that comes after it. */
  end({ interrupted = false } = {}): BenchDocument {
    const { settings, opened, header, before } = this.#subject;
    const [rows, crossovers] = [this.#rows, this.#crossovers];
    this.#print(this.#table.foot());
    const notes = benchNotes(rows, crossovers, opened.device?.adapter.name ?? "the CPU");
    this.#print(foldLines(notes, width()));
    const comparison = before && compare(before, { ...header, rows }, settings.threshold);
    const document: BenchDocument = {
      ...header,
      ...(interrupted ? { interrupted } : {}),
      rows,
      crossovers,
      ...(comparison ? { comparison } : {}),
    };
    this.#printDocument(document);
    return document;
  }

  /** Ends a benchmark that a signal ends, and says how its rows can be kept. */
  interrupt(): void {
    this.end({ interrupted: true });
    const { out, plot } = this.#subject.options;
    const lines = [
      `gpusort: interrupted after ${this.#grid.length} of ${formatNumberOf(this.#rowCount, "row")}`,
      out === undefined
        ? "  --out FILE keeps each row as soon as it is measured, and the same command then continues the file"
        : `  they are in '${out}', which the same command continues`,
      ...(plot === undefined ? [] : ["  no plot was drawn"]),
    ];
    const text = lines.map((line) => `${line}\n`).join("");
    process.stderr.write(printableLines(foldLines(text, terminalWidth(process.stderr))));
  }

  get #grid(): readonly BenchRow[] {
    return this.#rows.filter(({ purpose }) => purpose === "grid");
  }

  get #rowCount(): number {
    const { sizes, algorithms, ...others } = this.#subject.settings.axes;
    return [sizes, algorithms, ...Object.values(others)].reduce((product, { length }) => product * length, 1);
  }

  #print(text: string): void {
    this.#status.clear();
    if (this.#subject.settings.table) process.stdout.write(printableLines(text));
  }

  #printDocument(document: BenchDocument): void {
    const { settings, options } = this.#subject;
    const out = (text: string) => process.stdout.write(text);
    const columns = [...axisColumns(settings.axes), ...settings.columns];
    if (options.json) out(jsonText(document));
    if (options.csv) out(csv(document.rows));
    if (options.markdown) out(printableLines(markdownTable(this.#grid, columns)));
    if (options.seedTable && settings.table) out(`\n${seedTable(this.#grid, width())}${seedNote}`);
    if (!document.comparison) return;
    (settings.table ? process.stdout : process.stderr).write(comparisonText(document.comparison, width()));
  }
}

/** Lines that say what is measured and on what. */
function subjectText({ axes, metrics, threads }: Settings, { engine }: OpenedEngine): string {
  const { tasks, types, distributions, algorithms } = axes;
  const done = tasks.map(({ name }) => name).join(", ");
  return [
    `${done === "sort" ? "" : `${done} of `}${types.map(({ name }) => name).join(", ")} keys, ${distributions.join(", ")}`,
    engine.gpuClock
      ? `${algorithms.join(", ")} on ${engine.device}; GPU sort by ${engine.gpuClock}`
      : "on the CPU",
    ...(metrics.has("cpu") ? [`CPU sort: gpusort's own, with at most ${formatThreads(threads)}`] : []),
  ].join("\n");
}

function width(): number {
  return terminalWidth(process.stdout);
}
