import type { Pass } from "../plan/plan.js";
import type { Digit } from "./digits.js";
import type { KeyBuffers, RadixJob } from "./radix_job.js";
import {
  type Condition,
  type Conversion,
  countBuffer,
  GROUP_CHUNKS,
  GROUP_COUNTS,
  groupsColumns,
  sumsColumns,
  TOP_COUNTS,
} from "./radix_parts.js";
import { type ChunkGroups, clearPass, countPass, scanPass, scatterPasses } from "./radix_passes.js";

/** A move reorders all keys by one digit, from one pair of buffers to another. There are four kinds. */
export type Move = PlainMove | TopmostMove | FallbackMove | Tally;

interface MoveBase extends Conversion {
  readonly from: KeyBuffers;
  readonly to: KeyBuffers;
  readonly digit: Digit;
}

/**
 * Counts the keys of each digit value and moves the keys: count and scatter. A scan pass is between them if
 * there are many columns and workgroups cannot add up the counts of groups of them; if they can, the first move
 * clears these, unless an earlier pass has.
 */
export interface PlainMove extends MoveBase {
  readonly kind: "plain";
  /**
   * The number of the digit, 0 for the least significant. It selects the count buffers, and the place in the
   * buffer "params".
   */
  readonly number: number;
  /** Whether an earlier pass has counted the digit. */
  readonly isCounted: boolean;
  /** Whether an earlier pass has cleared the counts of groups of chunks. */
  readonly areGroupsCleared: boolean;
  /**
   * "if_fallback" for a move that runs only if a sort by the most significant digit first was not possible.
   */
  readonly condition: Condition;
}

/**
 * The move by the topmost digit before a local sort. It keeps the totals of the digit values, which the local
 * sort needs.
 */
export interface TopmostMove extends MoveBase {
  readonly kind: "topmost";
  /** The lowest digit. The same count pass counts it for the first fallback move. */
  readonly lowest: Digit;
}

/** A move that runs only if the local sort was not possible. An earlier pass has counted its digit. */
export interface FallbackMove extends MoveBase {
  readonly kind: "fallback";
  readonly number: number;
  /** The next digit, which the same pass counts; undefined for the last move. */
  readonly next: Digit | undefined;
}

/** Counts the keys of each digit value into the buffer "totals" and moves no keys. */
export interface Tally {
  readonly kind: "tally";
  readonly from: KeyBuffers;
  readonly digit: Digit;
}

/** The groups of the chunks of a move. Their counts change places with those of the next move. */
export function chunkGroups(number: number, chunks = GROUP_CHUNKS): ChunkGroups {
  return { chunks, counts: GROUP_COUNTS[number % 2]!, cleared: GROUP_COUNTS[(number + 1) % 2]! };
}

/** Makes the passes of a move. */
export function movePasses(job: RadixJob, move: Move): Pass[] {
  const { inputWindows } = job;
  const summed = sumsColumns(job);
  switch (move.kind) {
    case "plain": {
      const { digit, number, isCounted, areGroupsCleared, condition } = move;
      const groups = groupsColumns(job) ? chunkGroups(number) : undefined;
      const step = { ...move, counts: countBuffer(number), other: undefined, groups };
      const counted = isCounted ? [] : inputWindows;
      const start = summed ? "summed" : groups ? "grouped" : "scanned";
      return [
        ...(groups && number === 0 && !areGroupsCleared ? [clearPass(job, groups, condition)] : []),
        ...counted.map((window) => {
          return countPass(job, { ...step, extra: undefined, summed: start !== "scanned" }, window);
        }),
        ...(start === "scanned"
          ? [scanPass(job, { digit, number, condition, counts: countBuffer(number) })]
          : []),
        ...scatterPasses(job, { ...step, start, next: undefined }),
      ];
    }
    case "topmost": {
      const step = { ...move, number: 0, counts: TOP_COUNTS, other: move.lowest };
      return [
        countPass(job, { ...step, extra: move.lowest, summed: true }, inputWindows[0]!),
        ...scatterPasses(job, { ...step, start: "summed_kept", condition: "always", next: undefined }),
      ];
    }
    case "fallback": {
      const step = { ...move, counts: countBuffer(move.number), other: move.next };
      return scatterPasses(job, { ...step, start: "summed", condition: "if_fallback" });
    }
    case "tally": {
      const step = { ...move, number: 0, counts: countBuffer(0), other: undefined };
      const counting = { ...step, rawInput: true, extra: undefined, summed: false };
      return [...inputWindows.map((window) => countPass(job, counting, window)), scanPass(job, step)];
    }
    default:
      return move satisfies never;
  }
}
