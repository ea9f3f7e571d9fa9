import type { Plan } from "../../src/core/plan/plan.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import { distinctRowsPlan, keepDistinctPlan } from "../../src/core/rows/distinct.js";
import { countRowsPlan, findRowsPlan } from "../../src/core/rows/find.js";
import { inspectRowsPlan, TOTALS_WORDS } from "../../src/core/rows/inspect.js";
import { moveRowsPlan } from "../../src/core/rows/move.js";
import { rowReading } from "../../src/core/rows/reading.js";
import { combinedOrderPlan, countTiesPlan, groupKeysPlan, moveTiesPlan } from "../../src/core/rows/ties.js";
import { FINDINGS_WORDS, keyWordsPlan, prefixPlan, readPrefix } from "../../src/core/rows/words.js";
import { deviceKeys } from "../../src/rows/device_rows.js";
import { deviceOrder, keysOf } from "../../src/rows/order/order_words.js";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import { runOnCpu } from "./cpu_kernels/run.js";

/** A plan of a sort of rows, with inputs, and what its kernels make of them on the CPU. */
export interface RowStep {
  readonly name: string;
  readonly plan: Plan;
  readonly inputs: Readonly<Record<string, Uint32Array<ArrayBuffer>>>;
  /** The words that count, by the names of the buffers that begin with them. */
  readonly results: Readonly<Record<string, Uint32Array>>;
}

/** The words of bytes, of which others complete the last one: what follows a text may be anything. */
function wordsOf(text: Uint8Array): Uint32Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil(text.length / 4) * 4).fill(0x0a);
  bytes.set(text);
  return new Uint32Array(bytes.buffer);
}

/**
 * The steps of a sort of rows, one after the other: every kernel, for all rows and for those that are tied.
 *
 * @param text ends with the terminator.
 */
export function rowSteps(text: Uint8Array, order: RowOrder, traits: DeviceTraits): RowStep[] {
  const steps: RowStep[] = [];
  const bytes = text.length;
  const shape = {
    bytes,
    terminator: order.terminator,
    separator: order.quotes ? order.separator : undefined,
  };
  const reading = rowReading(deviceKeys(order), order.quotes, deviceOrder(order));
  const known: Record<string, Uint32Array<ArrayBuffer>> = { text: wordsOf(text), order: deviceOrder(order) };
  /** @param zeros buffers that must be zero before; `results` how many words of each buffer count. */
  const step = (name: string, plan: Plan, zeros: readonly string[], results: Record<string, number>) => {
    const inputs: Record<string, Uint32Array<ArrayBuffer>> = {};
    for (const [buffer, spec] of Object.entries(plan.buffers)) {
      if (zeros.includes(buffer)) inputs[buffer] = new Uint32Array(spec.bytes / 4);
      else if (known[buffer]) inputs[buffer] = known[buffer].slice(0, spec.bytes / 4);
    }
    const made = runOnCpu(plan, inputs);
    const counted = Object.entries(results).map(
      ([buffer, n]) => [buffer, made[buffer]!.slice(0, n)] as const,
    );
    steps.push({ name, plan, inputs, results: Object.fromEntries(counted) });
    Object.assign(known, Object.fromEntries(counted));
  };

  const counted = { row_total: 1, quote_total: 1, misplaced_quotes: 1 };
  step("count", countRowsPlan(shape, traits), ["quote_total", "misplaced_quotes"], counted);
  const rows = known.row_total![0]!;
  const { text_counts, quote_counts } = runOnCpu(countRowsPlan(shape, traits), known);
  Object.assign(known, { text_counts }, quote_counts && { quote_counts });
  step("find", findRowsPlan(shape, rows, traits), ["longest"], { starts: rows + 1, longest: 1 });

  const orderWords = known.order!.length;
  const read = { bytes, rows, reading, orderWords, list: "all", count: rows, key: 0 } as const;
  const keys = keysOf(order);
  for (const key of keys.keys()) {
    for (const stage of [2, 1, 0]) {
      const plan = keyWordsPlan({ ...read, key }, { stage, prefix: 0, into: "first_words" }, traits);
      step(`word ${stage} of key ${key}`, plan, ["findings"], {
        first_words: 2 * rows,
        findings: FINDINGS_WORDS,
      });
    }
  }
  let prefix = 0;
  if (keys[0]!.compare === "bytes") {
    step("prefix", prefixPlan(read, 0, traits), ["differing"], { differing: 1 });
    prefix = readPrefix(known.differing!) ?? 0;
  }
  const first = keyWordsPlan(read, { stage: 0, prefix, into: "first_words" }, traits);
  step("first words", first, ["findings"], { first_words: 2 * rows, findings: FINDINGS_WORDS });

  const all = Array.from({ length: rows }, (_, i) => i);
  const byWord = (words: Uint32Array) => (a: number, b: number) =>
    words[2 * a + 1]! - words[2 * b + 1]! || words[2 * a]! - words[2 * b]! || a - b;
  const sorted = all.sort(byWord(known.first_words!));
  known.first_order = Uint32Array.from(sorted);
  known.first_words = Uint32Array.from(
    sorted.flatMap((row) => [known.first_words![2 * row]!, known.first_words![2 * row + 1]!]),
  );
  const { descending = false } = keys[0]!;
  const names = { sorted: "first_order", words: "first_words" };
  const ofAll = { list: "all", count: rows, descending } as const;
  const tieCounts = { tie_total: 2, goes_on: 1 };
  step("ties", countTiesPlan(ofAll, names, traits), ["goes_on"], tieCounts);
  known.tie_counts = runOnCpu(countTiesPlan(ofAll, names, traits), known).tie_counts!;
  const tied = known.tie_total![0]!;
  const results = { permutation: rows, next_ties: 4 * tied };
  step("list ties", moveTiesPlan(ofAll, names, { all: rows, next: tied }, traits), [], results);

  if (tied > 0) {
    known.ties = known.next_ties!;
    const again = { ...read, list: "tied", count: tied } as const;
    if (keys[0]!.compare === "bytes")
      step("prefix of ties", prefixPlan(again, prefix, traits), ["differing"], { differing: 1 });
    const second = keyWordsPlan(again, { stage: 1, prefix, into: "words" }, traits);
    step("words of ties", second, ["findings"], { words: 2 * tied, findings: FINDINGS_WORDS });
    const some = Array.from({ length: tied }, (_, i) => i);
    const byWords = some.sort(byWord(known.words!));
    known.by_words = Uint32Array.from(byWords);
    step("groups", groupKeysPlan(tied, traits), [], { keys: 2 * tied });
    const places = byWords.map((_, place) => place);
    known.by_groups = Uint32Array.from(
      places.sort((a, b) => known.keys![2 * a]! - known.keys![2 * b]! || a - b),
    );
    step("order of ties", combinedOrderPlan(tied, "by_groups", traits), [], { sorted: tied });
    const ofTies = { list: "tied", count: tied, descending } as const;
    const tieNames = { sorted: "sorted", words: "words" };
    step("ties left", countTiesPlan(ofTies, tieNames, traits), ["goes_on"], tieCounts);
    known.tie_counts = runOnCpu(countTiesPlan(ofTies, tieNames, traits), known).tie_counts!;
    const left = known.tie_total![0]!;
    // Only the places of ties change.
    const move = moveTiesPlan(ofTies, tieNames, { all: rows, next: left }, traits);
    step("list ties left", move, [], { permutation: rows, next_ties: 4 * left });
  }

  const outputWords = Math.ceil(bytes / 4);
  const moved = { places: rows + 1, output: outputWords };
  step("move", moveRowsPlan(bytes, rows, traits), [], moved);
  const distinct = distinctRowsPlan({ bytes, rows, reading, orderWords }, traits);
  const reads = { is_distinct: rows, distinct_total: 2, distinct_sums: TOTALS_WORDS };
  step("distinct rows", distinct, ["distinct_sums"], reads);
  const kept = { next_permutation: known.distinct_total![0]! };
  step("keep distinct rows", keepDistinctPlan(rows, traits), [], kept);
  known.later_starts = known.starts!.slice(1);
  known.earlier_starts = known.starts!.slice(0, rows);
  for (const [source, starts, count] of [
    ["text", "starts", rows],
    ["output", "places", rows],
    ["text", "later_starts", rows - 1],
    ["text", "earlier_starts", rows - 1],
  ] as const) {
    if (count === 0) continue;
    const inspected = { bytes, rows: count, terminator: order.terminator, reading, orderWords };
    const where = { text: source, starts, isSorted: true, firstRows: Math.ceil((2 * count) / 3) };
    const plan = inspectRowsPlan({ ...inspected, ...where }, "totals", traits);
    step(`inspect the ${source} by ${starts}`, plan, ["totals"], { totals: TOTALS_WORDS });
  }
  return steps;
}
