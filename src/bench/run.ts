import type { ElementType } from "../core/elements.js";
import { distribution, generateKeys } from "../testdata/distributions.js";
import { type Budget, crossoverSeconds, rowSeconds } from "./budget.js";
import type { Contender } from "./contender.js";
import { type Contest, findCrossover, sizeToTry } from "./crossover.js";
import type { Machine } from "./machine.js";
import { measure } from "./measure.js";
import type { Metric } from "./metric.js";
import { type BenchRow, type Cell, type Crossover, OVER, type Point } from "./schema.js";
import type { Task } from "./tasks.js";

/** The axes of a benchmark, which measures every combination of their values. */
export interface Axes {
  readonly tasks: readonly Task[];
  readonly types: readonly ElementType[];
  readonly distributions: readonly string[];
  readonly algorithms: readonly string[];
  /** Bytes of the value that belongs to each key; 0 for keys alone. */
  readonly payloads: readonly number[];
  /** Ascending. */
  readonly sizes: readonly number[];
}

export interface BenchPlan {
  readonly axes: Axes;
  /** The contenders for an input: those on the CPU once, those on the GPU once per algorithm. */
  readonly contenders: (input: Input) => readonly Contender[];
  /** The bound on the relative error of a median. */
  readonly relativeError: number;
  /** Its weight is that of `secondsByDefault`, for the same axes and contests. */
  readonly budget: Budget;
  readonly machine: Machine;
  /** The contests whose crossovers are to be found, by measuring sizes between those of the axes. */
  readonly contests: readonly Contest[];
  /** Rows of an earlier run, which are not measured again. */
  readonly known?: readonly BenchRow[];
  readonly progress?: (text: string, purpose: BenchRow["purpose"]) => void;
}

/** The seconds that a benchmark takes at most, about, if its user names no others. */
export function secondsByDefault(
  { tasks, types, payloads, distributions, algorithms, sizes }: Axes,
  hasContests: boolean,
): number {
  const rows = sizes.reduce((sum, keyCount) => sum + algorithms.length * rowSeconds(keyCount), 0);
  const series = tasks.length * types.length * payloads.length * distributions.length;
  return series * (hasContests ? rows + crossoverSeconds(rows) : rows);
}

/** What the contenders of several distributions and sizes have in common. */
export interface Input {
  readonly task: Task;
  readonly type: ElementType;
  readonly payloadBytes: number;
}

export type BenchEvent =
  | { readonly row: BenchRow; readonly known: boolean }
  | { readonly crossover: Crossover };

/** Sorting takes about n log n, so from one size to the next the time grows a little faster than n. */
const GROWTH = 1.1;

/** The maximum number of bisections per crossover: enough to narrow a factor of 16 between sizes to 2%. */
const MAX_STEPS = 9;

/**
 * Measures every combination of the axes. Yields each row as soon as it is complete. The crossovers of a
 * task, type, payload and distribution follow their rows.
 *
 * The rows of one task, type, payload, distribution and size are measured together, in rounds (see `measure`).
 * They end when their part of the budget is spent. A contender is skipped at sizes where its last cell predicts
 * that one sort takes longer than that, and than half of all the time that is left.
 *
 * @throws VerifyError if a contender's result differs from that of `TypedArray.prototype.sort`.
 */
export async function* runBench(plan: BenchPlan): AsyncGenerator<BenchEvent> {
  const { tasks, types, payloads, distributions, sizes } = plan.axes;
  const inputs = tasks.flatMap((task) =>
    types.flatMap((type) => payloads.map((payloadBytes): Input => ({ task, type, payloadBytes }))),
  );
  for (const input of inputs) {
    for (const name of distributions) {
      const series = new Series(plan, input, name);
      for (const keyCount of sizes) yield* series.rowsAt(keyCount, "grid", () => true);
      if (plan.contests.length > 0) yield* series.crossovers();
    }
  }
}

/** The rows and crossovers of one task, type, payload and distribution. */
class Series {
  readonly #plan: BenchPlan;
  readonly #input: Input;
  /** The fields of all its rows. */
  readonly #fields: Omit<Point, "keyCount">;
  readonly #contenders: readonly Contender[];
  readonly #rows: BenchRow[] = [];
  readonly #last = new Map<Contender, { keyCount: number; seconds: number }>();
  /** When the search for crossovers should have ended, in milliseconds of the clock. */
  #searchEnd = 0;

  constructor(plan: BenchPlan, input: Input, distribution: string) {
    const { task, type, payloadBytes } = input;
    this.#plan = plan;
    this.#input = input;
    this.#fields = { task: task.name, type: type.name, distribution, payloadBytes };
    this.#contenders = plan.contenders(input);
  }

  async *rowsAt(
    keyCount: number,
    purpose: BenchRow["purpose"],
    include: (contender: Contender) => boolean,
  ): AsyncGenerator<BenchEvent> {
    const { budget, axes } = this.#plan;
    const contenders = this.#contenders.filter(include);
    const algorithms = axes.algorithms.filter(
      (name) => purpose === "grid" || contenders.some(({ algorithm }) => algorithm === name),
    );
    const weight = algorithms.length * rowSeconds(keyCount);
    const point = { ...this.#fields, keyCount };
    const known = algorithms.map((algorithm) => this.#known(point, algorithm, purpose, contenders));
    if (known.every((row) => row !== undefined)) {
      if (purpose === "grid") budget.skip(weight);
      for (const row of known) {
        this.#rows.push(row);
        yield { row, known: true };
      }
      return;
    }
    const usual = budget.secondsFor(weight);
    const seconds = purpose === "grid" ? budget.take(weight) : Math.min(usual, this.#searchSeconds);
    // A prediction from one slow run of a busy machine must not end a column while there is much time.
    const limit = Math.max(usual, seconds, budget.secondsLeft / 2);
    const time = { deadline: budget.now() + seconds * 1000, limit };
    for (const row of await this.#measure(point, algorithms, purpose, contenders, time)) {
      this.#rows.push(row);
      yield { row, known: false };
    }
  }

  /** Finds a row of an earlier run that has all cells that are wanted. */
  #known(
    { task, type, distribution: name, payloadBytes, keyCount }: Point,
    algorithm: string,
    purpose: BenchRow["purpose"],
    contenders: readonly Contender[],
  ): BenchRow | undefined {
    const metrics = contenders
      .filter((one) => one.algorithm === undefined || one.algorithm === algorithm)
      .flatMap((one) => one.metrics);
    return this.#plan.known?.find(
      (row) =>
        row.task === task &&
        row.type === type &&
        row.distribution === name &&
        row.payloadBytes === payloadBytes &&
        row.keyCount === keyCount &&
        row.algorithm === algorithm &&
        row.purpose === purpose &&
        metrics.every((metric) => row.cells[metric]),
    );
  }

  async #measure(
    point: Point,
    algorithms: readonly string[],
    purpose: BenchRow["purpose"],
    contenders: readonly Contender[],
    { deadline, limit }: { readonly deadline: number; readonly limit: number },
  ): Promise<BenchRow[]> {
    const { relativeError, machine, progress, budget } = this.#plan;
    const { keyCount, distribution: name } = point;
    const { task, type } = this.#input;
    const cells = new Map<Contender, readonly (readonly [Metric, Cell])[]>();
    const running = contenders.filter((contender) => {
      const reason = contender.refuses(keyCount) ?? this.#overLimit(contender, keyCount, limit);
      if (reason !== undefined)
        cells.set(
          contender,
          contender.metrics.map((metric) => [metric, { skipped: reason }]),
        );
      return reason === undefined;
    });
    let copyBytesPerSecond: number | null = null;
    if (running.length > 0) {
      const of = this.#plan.axes.tasks.length > 1 ? `${task.name}: ` : "";
      const what = `${of}${keyCount.toLocaleString("en-US")} ${type.name} keys, ${name}`;
      progress?.(`${what}: making them`, purpose);
      const keys = generateKeys(distribution(name), type, keyCount, keyCount);
      const measured = await measure(running, keys, task, {
        relativeError,
        deadline,
        machine,
        now: budget.now,
        progress: (name) => progress?.(`${what}: ${name}`, purpose),
      });
      for (const { contender, cells: own } of measured.measurements) {
        cells.set(contender, own);
        this.#last.set(contender, { keyCount, seconds: own[0]![1].medianSeconds });
      }
      copyBytesPerSecond = measured.copyBytesPerSecond;
    }
    return algorithms.map((algorithm) => ({
      ...point,
      algorithm,
      purpose,
      cells: Object.fromEntries(
        contenders
          .filter((one) => one.algorithm === undefined || one.algorithm === algorithm)
          .flatMap((one) => cells.get(one)!),
      ),
      copyBytesPerSecond,
    }));
  }

  /** Says that one sort would take longer than `seconds`; undefined if it may not. */
  #overLimit(contender: Contender, keyCount: number, seconds: number): string | undefined {
    const last = this.#last.get(contender);
    if (!last) return undefined;
    const predicted = last.seconds * (keyCount / last.keyCount) * GROWTH;
    return predicted > seconds ? `${OVER}${Number(seconds.toPrecision(2))} s` : undefined;
  }

  /** Finds the crossovers of all algorithms and contests, as precisely as the time allows. */
  async *crossovers(): AsyncGenerator<BenchEvent> {
    const { budget, axes, contests } = this.#plan;
    const rows = axes.sizes.reduce((sum, keyCount) => sum + rowSeconds(keyCount), 0);
    this.#searchEnd = budget.now() + 1000 * budget.take(crossoverSeconds(axes.algorithms.length * rows));
    for (const algorithm of axes.algorithms) {
      for (const contest of contests) yield* this.#crossover(algorithm, contest);
    }
  }

  get #searchSeconds(): number {
    return (this.#searchEnd - this.#plan.budget.now()) / 1000;
  }

  /** Bisects between the measured sizes, on a logarithmic scale. Yields no crossover if none can be known. */
  async *#crossover(algorithm: string, contest: Contest): AsyncGenerator<BenchEvent> {
    const rows = () => this.#rows.filter((row) => row.algorithm === algorithm);
    const { faster, slower } = contest;
    let crossover = findCrossover(rows(), contest);
    for (let step = 0; crossover && step < MAX_STEPS && this.#searchSeconds > 0; step++) {
      const keyCount = sizeToTry(rows(), crossover, contest);
      if (keyCount === undefined) break;
      yield* this.rowsAt(
        keyCount,
        "crossover",
        ({ metrics, algorithm: own }) =>
          (metrics.includes(faster) || metrics.includes(slower)) && (own === undefined || own === algorithm),
      );
      crossover = findCrossover(rows(), contest);
    }
    if (!crossover) return;
    yield { crossover: { ...this.#fields, algorithm, way: faster, against: slower, from: crossover } };
  }
}
