import type { ElementType } from "../elements.js";
import { distribution, generateKeys } from "../keys/distributions.js";
import type { Contender, Now } from "./contender.js";
import { type Crossover, lead, sizeToTry } from "./crossover.js";
import type { Machine } from "./machine.js";
import { type Measurement, measure, type StopRule } from "./measure.js";
import type { BenchRow, Cell, Point } from "./row.js";
import type { Way } from "./way.js";

/** What a benchmark goes through: every combination. */
export interface Axes {
  readonly types: readonly ElementType[];
  readonly distributions: readonly string[];
  readonly algorithms: readonly string[];
  /** Bytes of the values that go along with the keys; 0 for none. */
  readonly payloads: readonly number[];
  /** Ascending. */
  readonly sizes: readonly number[];
}

export interface BenchPlan {
  readonly axes: Axes;
  /** For a type and a payload: those of the CPU once, those of the GPU for each algorithm. */
  readonly contenders: (type: ElementType, payloadBytes: number) => readonly Contender[];
  readonly rule: StopRule;
  readonly machine: Machine;
  /** Ways of the GPU whose crossovers are searched for by measuring between the sizes. */
  readonly crossovers: readonly Way[];
  /** Rows that are measured already, and are not measured again. */
  readonly known?: readonly BenchRow[];
  readonly progress?: (text: string) => void;
  readonly now?: Now;
}

export type BenchEvent =
  | { readonly row: BenchRow; readonly known: boolean }
  | { readonly crossover: Crossover };

/** Sorting n keys takes about n log n: a little more than in proportion from one size to the next. */
const GROWTH = 1.1;

/** Bisections of a crossover, at most: from sizes a factor of 16 apart to within 2%. */
const MOST_STEPS = 9;

/**
 * Measures every combination of the axes and yields each row as soon as it is complete, then the crossovers.
 *
 * The rows of one type, payload, distribution and size are measured together, in rounds (see `measure`). A contender whose
 * last cell foretells that one sort here would take longer than the budget is skipped from here on.
 *
 * @throws VerifyError if a contender's result is not what `TypedArray.prototype.sort` makes of the keys.
 */
export async function* runBench(plan: BenchPlan): AsyncGenerator<BenchEvent> {
  const { types, payloads, distributions, sizes } = plan.axes;
  const inputs = types.flatMap((type) => payloads.map((payloadBytes) => ({ type, payloadBytes })));
  for (const { type, payloadBytes } of inputs) {
    for (const name of distributions) {
      const series = new Series(plan, type, payloadBytes, name);
      for (const keyCount of sizes) yield* series.rowsAt(keyCount, "grid", () => true);
      for (const algorithm of plan.axes.algorithms) {
        for (const way of plan.crossovers) yield* series.crossover(algorithm, way);
      }
    }
  }
}

/** The way that a crossover is against: the fastest sort that JavaScript has. */
const OPPONENT: Way = "typed";

/** One type, payload and distribution. */
class Series {
  readonly #plan: BenchPlan;
  readonly #type: ElementType;
  readonly #payloadBytes: number;
  readonly #distribution: string;
  readonly #contenders: readonly Contender[];
  readonly #rows: BenchRow[] = [];
  readonly #last = new Map<Contender, { keyCount: number; seconds: number }>();

  constructor(plan: BenchPlan, type: ElementType, payloadBytes: number, distributionName: string) {
    this.#plan = plan;
    this.#type = type;
    this.#payloadBytes = payloadBytes;
    this.#distribution = distributionName;
    this.#contenders = plan.contenders(type, payloadBytes);
  }

  async *rowsAt(
    keyCount: number,
    purpose: BenchRow["purpose"],
    wanted: (contender: Contender) => boolean,
  ): AsyncGenerator<BenchEvent> {
    const contenders = this.#contenders.filter(wanted);
    const algorithms = this.#plan.axes.algorithms.filter(
      (name) => purpose === "grid" || contenders.some(({ algorithm }) => algorithm === name),
    );
    const point = {
      type: this.#type.name,
      distribution: this.#distribution,
      payloadBytes: this.#payloadBytes,
      keyCount,
    };
    const known = algorithms.map((algorithm) => this.#known(point, algorithm, purpose, contenders));
    if (known.every((row) => row !== undefined)) {
      for (const row of known) {
        this.#rows.push(row);
        yield { row, known: true };
      }
      return;
    }
    for (const row of await this.#measure(point, algorithms, purpose, contenders)) {
      this.#rows.push(row);
      yield { row, known: false };
    }
  }

  /** A row that was measured before, with all that is wanted of it. */
  #known(
    { type, distribution: name, payloadBytes, keyCount }: Point,
    algorithm: string,
    purpose: BenchRow["purpose"],
    contenders: readonly Contender[],
  ): BenchRow | undefined {
    const ways = contenders
      .filter((one) => one.algorithm === undefined || one.algorithm === algorithm)
      .flatMap((one) => one.ways);
    return this.#plan.known?.find(
      (row) =>
        row.type === type &&
        row.distribution === name &&
        row.payloadBytes === payloadBytes &&
        row.keyCount === keyCount &&
        row.algorithm === algorithm &&
        row.purpose === purpose &&
        ways.every((way) => row.cells[way]),
    );
  }

  async #measure(
    point: Point,
    algorithms: readonly string[],
    purpose: BenchRow["purpose"],
    contenders: readonly Contender[],
  ): Promise<BenchRow[]> {
    const { rule, machine, progress, now = () => performance.now() } = this.#plan;
    const { keyCount } = point;
    const cells = new Map<Contender, readonly (readonly [Way, Cell])[]>();
    const running = contenders.filter((contender) => {
      const reason = contender.refuses(keyCount) ?? this.#overBudget(contender, keyCount);
      if (reason !== undefined)
        cells.set(
          contender,
          contender.ways.map((way) => [way, { skipped: reason }]),
        );
      return reason === undefined;
    });
    let copyBytesPerSecond: number | null = null;
    if (running.length > 0) {
      const keys = generateKeys(distribution(point.distribution), this.#type, keyCount, keyCount);
      const expected = keys.slice().sort();
      const measured = await measure(running, keys, expected, {
        rule,
        machine,
        now,
        progress: (name) => progress?.(`${keyCount} ${point.type} keys, ${point.distribution}: ${name}`),
      });
      for (const measurement of measured.measurements) this.#note(measurement, keyCount, cells);
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

  #note(
    { contender, cells: measured }: Measurement,
    keyCount: number,
    cells: Map<Contender, readonly (readonly [Way, Cell])[]>,
  ): void {
    cells.set(contender, measured);
    this.#last.set(contender, { keyCount, seconds: measured[0]![1].medianSeconds });
  }

  #overBudget(contender: Contender, keyCount: number): string | undefined {
    const last = this.#last.get(contender);
    if (!last) return undefined;
    const { budgetSeconds } = this.#plan.rule;
    const foretold = last.seconds * (keyCount / last.keyCount) * GROWTH;
    return foretold > budgetSeconds ? `over ${budgetSeconds} s` : undefined;
  }

  /** Bisects, in the logarithm, between the measured sizes. */
  async *crossover(algorithm: string, way: Way): AsyncGenerator<BenchEvent> {
    const rows = () => this.#rows.filter((row) => row.algorithm === algorithm);
    let found = lead(rows(), way, OPPONENT);
    for (let step = 0; step < MOST_STEPS; step++) {
      const keyCount = sizeToTry(rows(), found, way, OPPONENT);
      if (keyCount === undefined) break;
      yield* this.rowsAt(
        keyCount,
        "crossover",
        ({ ways, algorithm: own }) => ways.includes(OPPONENT) || (ways.includes(way) && own === algorithm),
      );
      found = lead(rows(), way, OPPONENT);
    }
    const [{ name: type }, payloadBytes] = [this.#type, this.#payloadBytes];
    const series = { type, distribution: this.#distribution, payloadBytes, algorithm };
    yield { crossover: { ...series, way, from: found } };
  }
}
