import { doubleWord, type Report } from "../report.js";

/** The place of the sum of hashes in a report. */
const HASHES = 10;

export interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** A part of the result of a merge: what it is made from, and the address where it goes. */
export interface MergePart extends Size {
  readonly out: number;
}

/** What came of a part. */
export interface Merged extends Size {
  readonly inversions: number;
  /** What was left out, as it is equal to what comes before it. */
  readonly equal: Size;
  /** Rows that are not as they were. */
  readonly changed: number;
  /** The sum of the hashes of all rows, those left out included, modulo 2^64; 0 unless rows are hashed. */
  readonly hashes: bigint;
}

/** Why a part cannot be written, as what throws the error. */
export type PartFault = () => Promise<never>;

/** What takes the parts of a merge. */
interface PartsJob {
  readonly parts: readonly MergePart[];
  /** The most rows to write. */
  readonly most: number;
  /** @param part undefined if some of its rows may be missing. */
  readonly faultOf: (report: Report, merged: Merged, part: MergePart | undefined) => PartFault | undefined;
  /** Takes a part whose rows are to be written. */
  readonly accept: (report: Report, merged: Merged, out: number) => void;
}

/** Takes what kernels report of parts, in order, up to a fault or the last row to write. */
export class MergedParts {
  readonly #job: PartsJob;
  #rows = 0;
  #taken = 0;
  #isCut = false;
  #fault: PartFault | undefined;

  constructor(job: PartsJob) {
    this.#job = job;
  }

  /** Rows of the parts that were taken. */
  get rows(): number {
    return this.#rows;
  }

  /** The part with too many rows, if there is one. It is to be merged once more, without those. */
  get cutPart(): number | undefined {
    const isOpen = this.#isCut && !this.#fault && this.#rows < this.#job.most;
    return isOpen ? this.#taken : undefined;
  }

  /** Throws the error of the first part that cannot be written. */
  async throwFault(): Promise<void> {
    await this.#fault?.();
  }

  /** Takes the part that was cut, without the rows that were too many. */
  takeCut(report: Report): void {
    this.#isCut = false;
    this.take(report);
  }

  /** Takes the next part. */
  take(report: Report): void {
    const { parts, most, faultOf, accept } = this.#job;
    const merged = mergedOf(report);
    const left = most - this.#rows;
    this.#isCut ||= merged.rows > left;
    if (this.#fault || this.#isCut) return;
    const part = parts[this.#taken]!;
    this.#fault = faultOf(report, merged, merged.rows < left ? part : undefined);
    if (this.#fault) return;
    accept(report, merged, part.out);
    this.#rows += merged.rows;
    this.#taken++;
  }
}

/** What a merge reports of a part: see assembly/rows/merge/part.ts. */
function mergedOf(report: Report): Merged {
  const [, , , rows, bytes, inversions, equalRows, equalBytes, changed] = report;
  const equal = { rows: equalRows!, bytes: equalBytes! };
  const hashes = doubleWord(report, HASHES);
  return { rows: rows!, bytes: bytes!, inversions: inversions!, equal, changed: changed!, hashes };
}
