import type { Pass, Plan } from "../plan/plan.js";

/** Two keys that are compared and, if they are the wrong way round, exchanged. By their indices, not their addresses. */
export interface Comparator {
  readonly low: number;
  readonly high: number;
  /** Whether the larger key goes to `low`. */
  readonly descending: boolean;
  /** The workgroup that does it, by its number. */
  readonly workgroup: number;
}

/** Comparators that do not touch each other's keys, and all happen between two barriers. */
export interface Stage {
  /** Runs of 2^level keys are sorted when the level is done. */
  readonly level: number;
  /** Keys whose indices differ in this bit alone are compared. */
  readonly bit: number;
  readonly comparators: readonly Comparator[];
}

/** What one pass of a bitonic plan does to the keys, seen by their indices. */
export type NetworkPass =
  | { readonly kind: "local"; readonly workgroups: number; readonly stages: readonly Stage[] }
  | { readonly kind: "transpose"; readonly rows: number; readonly columns: number };

/**
 * The comparators of a plan that `bitonicPlan` made, read from its passes' own parameters: what the plan says, not
 * what it should.
 *
 * @throws RangeError if a pass is neither of the bitonic sort's.
 */
export function networkOf(plan: Plan): NetworkPass[] {
  return plan.passes.map((pass) => {
    const words = pass.params as readonly number[]; // of its own, and in no buffer
    switch (pass.program.kernel) {
      case "bitonic_local":
        return localPass(pass);
      case "transpose":
        return { kind: "transpose", rows: words[0]!, columns: words[1]! };
      case "transpose_blocks":
        return { kind: "transpose", rows: 4 * words[0]!, columns: 4 * words[1]! };
      default:
        throw new RangeError(`${pass.program.kernel} is no kernel of the bitonic sort`);
    }
  });
}

/** By wgsl/bitonic_local.wgsl's `Params`. */
function localPass({ params, program }: Pass): NetworkPass {
  const [keyCount, shift, windowEnd, , , columnBits, tilesARow, tiles, firstLevel, lastLevel] =
    params as readonly number[] as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
  const rowBits = program.constants.TILE_BITS! - columnBits;
  const workgroupOf = (index: number) => {
    const row = index % 2 ** shift;
    const column = Math.floor(index / 2 ** shift);
    return Math.floor(row / 2 ** rowBits) * tilesARow + Math.floor(column / 2 ** columnBits);
  };
  const stages: Stage[] = [];
  for (let level = firstLevel; level <= lastLevel; level++) {
    for (let bit = Math.min(level, windowEnd) - 1; bit >= shift; bit--) {
      const comparators: Comparator[] = [];
      for (let low = 0; low < keyCount; low++) {
        const high = low + 2 ** bit;
        if (Math.floor(low / 2 ** bit) % 2 === 1 || high >= keyCount) continue;
        const descending = Math.floor(low / 2 ** level) % 2 !== Math.floor((keyCount - 1) / 2 ** level) % 2;
        comparators.push({ low, high, descending, workgroup: workgroupOf(low) });
      }
      stages.push({ level, bit, comparators });
    }
  }
  return { kind: "local", workgroups: tiles, stages };
}

/** What the comparators of a stage make of the keys, ordered as `precedes` says. */
export function applyStage<T>(
  keys: readonly T[],
  { comparators }: Stage,
  precedes: (a: T, b: T) => boolean,
): T[] {
  const after = [...keys];
  for (const { low, high, descending } of comparators) {
    const [first, second] = [after[low]!, after[high]!];
    if (precedes(second, first) !== descending) {
      after[low] = second;
      after[high] = first;
    }
  }
  return after;
}
