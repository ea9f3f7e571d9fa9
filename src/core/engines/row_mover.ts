import {
  checkDistinctRows,
  checkRowTotals,
  type RowInvariants,
  type RowTotals,
  readRowTotals,
  TOTALS_WORDS,
} from "../rows/inspect.js";
import { type DeviceRows, RowFallback, type RowSteps } from "./row_job.js";
import type { RowPlans, TextSize } from "./row_plans.js";

const UNKNOWN = "their numbers have too many digits in common";

/** Rows to move, and what an inspection must find in them, if there is one. */
interface Moving extends TextSize {
  readonly totals: RowInvariants | undefined;
}

/** Rows at the beginning of the buffer "output", and what an inspection found in it, if there was one. */
export interface MovedRows {
  readonly written: TextSize;
  readonly totals: RowTotals | undefined;
}

/** Moves rows to their places in the output, once their order is found, and inspects them there. */
export class RowMover {
  readonly #job: DeviceRows;
  readonly #plans: RowPlans;
  readonly #steps: RowSteps;
  readonly #device: string;

  /** @param device the name of the device, for messages. */
  constructor(job: DeviceRows, plans: RowPlans, steps: RowSteps, device: string) {
    this.#job = job;
    this.#plans = plans;
    this.#steps = steps;
    this.#device = device;
  }

  /**
   * Moves the rows that are written to the beginning of the output. All are moved and inspected before some are
   * left out, so that the inspection tells whether that is right.
   *
   * @param totals what an inspection found before the sort, if there was one.
   */
  async moveWritten(totals: RowInvariants | undefined): Promise<MovedRows> {
    const { head = Number.POSITIVE_INFINITY } = this.#job;
    let moved = await this.#move({ ...this.#plans.all, totals });
    if (this.#job.unique) moved = await this.#moveDistinct(moved);
    if (head >= moved.written.rows) return moved;
    const bytes = await this.#steps.onDevice.word("places", head);
    return { ...moved, written: { rows: head, bytes } };
  }

  /**
   * Moves the rows whose keys differ from those of the row before. The kernels that find them also say what
   * their sums must be, so they alone could leave out a row unnoticed: the inspections before and after count
   * them too.
   */
  async #moveDistinct(moved: MovedRows): Promise<MovedRows> {
    const { rows } = moved.written;
    const kept = await this.#distinct(moved.written);
    if (moved.totals) checkDistinctRows(kept.rows, moved.totals, this.#device);
    if (kept.rows === rows) return moved;
    await this.#steps.run(this.#plans.keepDistinct(rows));
    this.#steps.onDevice.swap("permutation", "next_permutation");
    const distinct = await this.#move(kept);
    if (distinct.totals) checkDistinctRows(kept.rows, distinct.totals, this.#device);
    return distinct;
  }

  /** The rows of the output whose keys differ from those of the row before. */
  async #distinct(size: TextSize): Promise<Moving> {
    const { distinct_total, distinct_sums } = await this.#steps.run(this.#plans.distinct(size), {
      clear: ["distinct_sums"],
      read: { distinct_total: 2, distinct_sums: TOTALS_WORDS },
    });
    const { sums, unknown } = readRowTotals(distinct_sums!);
    if (unknown > 0) throw new RowFallback(UNKNOWN);
    const [rows = 0, bytes = 0] = distinct_total!;
    return { rows, bytes, totals: this.#job.verify ? { sums, seen: rows, malformed: 0 } : undefined };
  }

  /** Moves the first rows of the order to their places, and inspects them there. */
  async #move({ rows, bytes, totals }: Moving): Promise<MovedRows> {
    const written = { rows, bytes };
    await this.#steps.run(this.#plans.move(written));
    const after = totals && (await this.#inspect(written));
    if (after) checkRowTotals(rows, totals, after, this.#device);
    return { written, totals: after };
  }

  async #inspect(size: TextSize): Promise<RowTotals> {
    const { totals_after } = await this.#steps.run(this.#plans.inspectOutput(size), {
      clear: ["totals_after"],
      read: { totals_after: TOTALS_WORDS },
    });
    const totals = readRowTotals(totals_after!);
    if (totals.unknown > 0) throw new RowFallback(UNKNOWN);
    return totals;
  }
}
