import { aligned, ELEMENT_BYTES } from "../workspace.js";

/**
 * Bytes of a run, of what a thread keeps of one and besides, and of a part: see cuts.ts, merge.ts with
 * whole_rows.ts, and part.ts in assembly/rows/merge.
 */
const RUN_BYTES = 8;
const STATE_BYTES = 288;
const FURTHER_BYTES = 1024;
export const PART_BYTES = 16;

/** The merge is divided at samples of the rows. */
export const SAMPLES_PER_PART = 4;

/** Addresses of what describes runs and the parts of their merge, and of the result. */
export interface MergePlaces {
  readonly runs: number;
  readonly cuts: number;
  readonly parts: number;
  readonly states: number;
  /** Bytes of the states of one part. */
  readonly stateBytes: number;
  readonly samples: number;
  /** The most parts. */
  readonly mostParts: number;
  /** Here the result goes, in turns. */
  readonly outs: readonly number[];
  readonly end: number;
}

/**
 * Lays out what a merge needs besides its text.
 *
 * @param begin the first address.
 * @param outBytes the most bytes of the result.
 * @param most the end of the memory: two results fit in it, or one is all.
 */
export function mergePlaces(
  begin: number,
  runs: number,
  mostParts: number,
  outBytes: number,
  most: number,
): MergePlaces {
  let end = begin;
  const take = (bytes: number) => {
    const at = end;
    end = aligned(end + bytes);
    return at;
  };
  const stateBytes = aligned(STATE_BYTES * runs + FURTHER_BYTES);
  const places = {
    runs: take(RUN_BYTES * runs),
    cuts: take(4 * (mostParts + 1) * runs),
    parts: take(PART_BYTES * mostParts),
    states: take(stateBytes * mostParts),
    stateBytes,
    samples: take(2 * ELEMENT_BYTES * SAMPLES_PER_PART * mostParts),
    mostParts,
  };
  const outs = [take(outBytes)];
  if (end + outBytes <= most) outs.push(take(outBytes));
  return { ...places, outs, end };
}
