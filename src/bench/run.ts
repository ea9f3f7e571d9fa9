import type { ElementType, KeyArray } from "../elements.js";
import { VerifyError } from "../errors.js";
import type { ColumnKey, Contender } from "./contender.js";
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
  readonly contenders: readonly Contender[];
  /** Timed runs a cell, at most; at least one is made. */
  readonly runs: number;
  /** Seconds that a cell's runs may take together, and beyond which a column is not begun. */
  readonly budgetSeconds: number;
  readonly progress?: (text: string) => void;
}

/** Sorting n keys takes about n log n: a little more than in proportion from one size to the next. */
const GROWTH = 1.1;

/**
 * Measures every contender at every size and yields each row as soon as it is complete.
 *
 * A cell is one run to warm up, which is also the one whose result is checked, and then `runs` timed ones,
 * fewer if the budget is spent. A contender whose last cell foretells that one run here would take longer than
 * the budget is out from here on.
 *
 * @throws VerifyError if a contender's result is not what `TypedArray.prototype.sort` makes of the keys.
 */
export async function* runBench(plan: BenchPlan): AsyncGenerator<BenchRow> {
  const last = new Map<Contender, { keyCount: number; seconds: number }>();
  for (const keyCount of plan.sizes) {
    const keys = randomKeys(plan.type, keyCount, keyCount);
    const expected = keys.slice().sort();
    const cells: Partial<Record<ColumnKey, Cell>> = {};
    for (const contender of plan.contenders) {
      const reason =
        contender.refuses(keyCount) ?? overBudget(last.get(contender), keyCount, plan.budgetSeconds);
      if (reason === undefined) {
        plan.progress?.(`${keyCount} keys: ${contender.name}`);
        const { cells: measured, runSeconds } = await measure(contender, keys, expected, plan);
        Object.assign(cells, measured);
        last.set(contender, { keyCount, seconds: runSeconds });
      } else {
        for (const column of contender.columns) cells[column] = { skipped: reason };
      }
    }
    yield { keyCount, cells: cells as Record<ColumnKey, Cell> };
  }
}

function overBudget(
  last: { keyCount: number; seconds: number } | undefined,
  keyCount: number,
  budgetSeconds: number,
): string | undefined {
  if (!last) return undefined;
  const foretold = last.seconds * (keyCount / last.keyCount) * (keyCount > last.keyCount ? GROWTH : 1);
  return foretold > budgetSeconds ? `over ${budgetSeconds} s` : undefined;
}

async function measure(
  contender: Contender,
  keys: KeyArray,
  expected: KeyArray,
  { runs, budgetSeconds }: BenchPlan,
): Promise<{ cells: Partial<Record<ColumnKey, Cell>>; runSeconds: number }> {
  const warm = await contender.run(keys);
  if (!sameKeys(warm.sorted, expected)) {
    throw new VerifyError(`${contender.name} sorted ${keys.length} keys wrongly`, {
      hint: "its times would mean nothing, so the benchmark ends here; try another --device",
    });
  }
  const longest = (seconds: Partial<Record<ColumnKey, number>>) => Math.max(...Object.values(seconds));
  const samples: Partial<Record<ColumnKey, number>>[] = [];
  let spent = longest(warm.seconds);
  // A run that alone eats the budget has been warm enough: it counts, rather than be made again.
  if (spent > budgetSeconds) samples.push(warm.seconds);
  while (samples.length < runs && (samples.length === 0 || spent < budgetSeconds)) {
    const { seconds } = await contender.run(keys);
    samples.push(seconds);
    spent += longest(seconds);
  }
  const cells = contender.columns.map((column): [ColumnKey, Cell] => {
    const seconds = samples.map((sample) => sample[column]!);
    return [
      column,
      { medianSeconds: median(seconds), minSeconds: Math.min(...seconds), runs: seconds.length },
    ];
  });
  return { cells: Object.fromEntries(cells), runSeconds: median(samples.map(longest)) };
}

/** Equal as keys: of NaNs there must be as many, but which of them stands where is no contender's promise. */
function sameKeys(a: KeyArray, b: KeyArray): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}
