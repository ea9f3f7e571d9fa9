import type { Pass, Plan } from "../core/plan/plan.js";
import { readParams } from "../core/shaders/kernels.js";

/**
 * Two keys that are compared, and exchanged if they are in the wrong order. The keys are named by their
 * indices, not by their addresses in the buffer.
 */
interface Comparator {
  readonly low: number;
  readonly high: number;
  /** Whether the larger key goes to `low`. */
  readonly descending: boolean;
  /** The number of the workgroup that compares the keys. */
  readonly workgroup: number;
}

/** The comparators that run between two barriers. No two of them share a key. */
export interface Stage {
  /** After all stages of a level, each run of 2^level keys is sorted. */
  readonly level: number;
  /** A comparator compares two keys whose indices differ only in this bit. */
  readonly bit: number;
  readonly comparators: readonly Comparator[];
}

/** What one pass of a bitonic plan does, in terms of the keys' indices. */
export type NetworkPass =
  | { readonly kind: "local"; readonly workgroups: number; readonly stages: readonly Stage[] }
  | { readonly kind: "transpose"; readonly rows: number; readonly columns: number };

/**
 * The comparators of a plan that `bitonicPlan` made. They are read from the parameters of the plan's passes,
 * so they show what the plan really does.
 *
 * @throws RangeError if a pass runs a kernel that the bitonic sort does not use.
 */
export function networkOf(plan: Plan): NetworkPass[] {
  return plan.passes.map((pass) => {
    const words = pass.params as readonly number[]; // a bitonic plan keeps no parameters in buffers
    switch (pass.program.kernel) {
      case "bitonic_local":
        return localPass(pass);
      case "transpose": {
        const { rows, columns } = readParams("transpose", words);
        return { kind: "transpose", rows, columns };
      }
      case "transpose_blocks": {
        const { rowQuads, columnQuads } = readParams("transpose_blocks", words);
        return { kind: "transpose", rows: 4 * rowQuads, columns: 4 * columnQuads };
      }
      default:
        throw new RangeError(`${pass.program.kernel} is not a kernel of the bitonic sort`);
    }
  });
}

function localPass({ params, program }: Pass): NetworkPass {
  const { keyCount, shift, windowEnd, columnBits, tilesPerRow, tiles, firstLevel, lastLevel } = readParams(
    "bitonic_local",
    params as readonly number[],
  );
  const rowBits = program.constants.TILE_BITS! - columnBits;
  const workgroupOf = (index: number) => {
    const row = index % 2 ** shift;
    const column = Math.floor(index / 2 ** shift);
    return Math.floor(row / 2 ** rowBits) * tilesPerRow + Math.floor(column / 2 ** columnBits);
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

/** Applies the comparators of a stage to a copy of the keys. `precedes` defines the order. */
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
