import type { Pass } from "../../plan/plan.js";
import type { Digit } from "../key.js";
import type { KeyBuffers, RadixJob } from "./radix_job.js";
import {
  COUNTS,
  type Condition,
  type Conversion,
  GROUP_CHUNKS,
  GROUP_COUNTS,
  groupsColumns,
  skipsMoves,
  sumsColumns,
} from "./radix_parts.js";
import { type ChunkGroups, clearPass, countPass, scanPass, scatterPasses } from "./radix_passes.js";

/** A move reorders all keys by one digit, from one pair of buffers to another. */
export interface Move extends Conversion {
  readonly from: KeyBuffers;
  readonly to: KeyBuffers;
  readonly digit: Digit;
  /** The number of the digit, 0 for the least significant. It selects the place in the buffer "params". */
  readonly number: number;
  /** Whether an earlier pass has counted the digit. */
  readonly isCounted: boolean;
  /** Whether an earlier pass has cleared what the first count adds to. */
  readonly isCleared: boolean;
  /** The buffer of decimals that the move restores instead, if decimals are sorted: see `takesDecimals`. */
  readonly restored?: string | undefined;
  /**
   * "if_fallback" for a move that runs only if a sort by the most significant digit first was not possible.
   */
  readonly condition?: Condition | undefined;
}

/** The groups of the chunks of a move. Their counts change places with those of the next move. */
export function chunkGroups(number: number, chunks = GROUP_CHUNKS): ChunkGroups {
  return { chunks, counts: GROUP_COUNTS[number % 2]!, cleared: GROUP_COUNTS[(number + 1) % 2]! };
}

/**
 * Counts the keys of each digit value and moves the keys: count and scatter. A scan pass is between them if
 * there are many columns and workgroups cannot add up the counts of groups of them; if they can, the first move
 * clears these, unless an earlier pass has.
 */
export function movePasses(job: RadixJob, move: Move): Pass[] {
  const { digit, number, isCounted, isCleared, condition } = move;
  const groups = groupsColumns(job) ? chunkGroups(number) : undefined;
  const start = sumsColumns(job) ? "summed" : groups ? "grouped" : "scanned";
  const ofScatter = skipsMoves(job, condition) ? "read" : undefined;
  // The first count finds the bits in which keys differ, as it reads all keys.
  const ofCount = ofScatter && number === 0 ? "published" : ofScatter;
  const step = { ...move, counts: COUNTS, groups };
  const counting = { ...step, differingBits: ofCount, summed: start !== "scanned" } as const;
  const windows = isCounted ? [] : job.inputWindows;
  return [
    ...(groups && number === 0 && !isCleared ? [clearPass(job, groups, condition)] : []),
    ...windows.map((window) => countPass(job, counting, window)),
    ...(start === "scanned" ? [scanPass(job, { digit, number, condition, counts: COUNTS })] : []),
    ...scatterPasses(job, { ...step, differingBits: ofScatter, start }),
  ];
}

/** Counts the keys of each digit value into the buffer "totals" and moves no keys. */
export function tallyPasses(job: RadixJob, from: KeyBuffers, digit: Digit): Pass[] {
  const step = { from, digit, number: 0, counts: COUNTS };
  const counting = { ...step, rawInput: true, summed: false };
  return [...job.inputWindows.map((window) => countPass(job, counting, window)), scanPass(job, step)];
}
