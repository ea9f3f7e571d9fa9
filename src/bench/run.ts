import type { ElementType, KeyArray } from "../elements.js";
import { VerifyError } from "../errors.js";
import type { ColumnKey, Contender, Now } from "./contender.js";
import { randomKeys } from "./keys.js";
import { median } from "./statistics.js";

/** One size's results. */
export interface BenchRow {
  readonly keyCount: number;
  readonly cells: Readonly<Record<ColumnKey, Cell>>;
}

export type Cell =
  | { readonly medianSeconds: number; readonly minSeconds: number; readonly runs: number }
  | { readonly skipped: string };

export interface BenchPlan {
  readonly type: ElementType;
  readonly sizes: readonly number[];
  /** One a column. */
  readonly contenders: readonly Contender[];
  /** Timed runs a cell, at most; at least one is made. */
  readonly runs: number;
  /** Seconds that a cell may take, and beyond which a column is not begun. */
  readonly budgetSeconds: number;
  readonly progress?: (text: string) => void;
  readonly now?: Now;
}

/** Sorting n keys takes about n log n: a little more than in proportion from one size to the next. */
const GROWTH = 1.1;

/** A GPU that has idled for a second runs 2-5 times slower until it has been kept busy for half of this. */
const WARM_SECONDS = 1;

/**
 * Measures every contender at every size and yields each row as soon as it is complete.
 *
 * A cell is WARM_SECONDS of runs to warm up, or half the budget, then `runs` timed ones, fewer if the budget is spent; the last
 * one's result is checked. A contender whose last cell foretells that one run here would take longer than the
 * budget is out from here on.
 *
 * @throws VerifyError if a contender's result is not what `TypedArray.prototype.sort` makes of the keys.
 */
export async function* runBench(plan: BenchPlan): AsyncGenerator<BenchRow> {
  const last = new Map<Contender, { keyCount: number; runSeconds: number }>();
  for (const keyCount of plan.sizes) {
    const keys = randomKeys(plan.type, keyCount, keyCount);
    const expected = keys.slice().sort();
    const cells: Partial<Record<ColumnKey, Cell>> = {};
    for (const contender of plan.contenders) {
      const reason =
        contender.refuses(keyCount) ?? overBudget(last.get(contender), keyCount, plan.budgetSeconds);
      if (reason !== undefined) {
        cells[contender.column] = { skipped: reason };
        continue;
      }
      plan.progress?.(`${keyCount} keys: ${contender.name}`);
      const { cell, runSeconds } = await measure(contender, keys, expected, plan);
      cells[contender.column] = cell;
      last.set(contender, { keyCount, runSeconds });
    }
    yield { keyCount, cells: cells as Record<ColumnKey, Cell> };
  }
}

function overBudget(
  last: { keyCount: number; runSeconds: number } | undefined,
  keyCount: number,
  budgetSeconds: number,
): string | undefined {
  if (!last) return undefined;
  const foretold = last.runSeconds * (keyCount / last.keyCount) * GROWTH;
  return foretold > budgetSeconds ? `over ${budgetSeconds} s` : undefined;
}

async function measure(
  contender: Contender,
  keys: KeyArray,
  expected: KeyArray,
  { runs, budgetSeconds, now = () => performance.now() }: BenchPlan,
): Promise<{ cell: Cell; runSeconds: number }> {
  const trial = await contender.start(keys);
  const begin = now();
  const spent = () => (now() - begin) / 1000;
  try {
    let runsMade = 1;
    let seconds = await trial.run();
    for (; spent() < Math.min(WARM_SECONDS, budgetSeconds / 2); runsMade++) seconds = await trial.run();

    // A run that alone eats the budget has been warm enough: it counts, rather than be made again.
    const samples = spent() > budgetSeconds ? [seconds] : [];
    for (; samples.length < runs && (samples.length === 0 || spent() < budgetSeconds); runsMade++) {
      samples.push(await trial.run());
    }
    const runSeconds = spent() / runsMade;

    if (!sameKeys(await trial.result(), expected)) {
      throw new VerifyError(`${contender.name} sorted ${keys.length} keys wrongly`, {
        hint: "its times would mean nothing, so the benchmark ends here; try another --device",
      });
    }
    const cell = { medianSeconds: median(samples), minSeconds: Math.min(...samples), runs: samples.length };
    return { cell, runSeconds };
  } finally {
    trial.end();
  }
}

/** Equal as keys: of NaNs there must be as many, but which of them stands where is no contender's promise. */
function sameKeys(a: KeyArray, b: KeyArray): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}
