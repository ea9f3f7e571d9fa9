import type { SortArrays, SortJob } from "../engines/engine.js";
import { InputError } from "../errors.js";
import { shown } from "../names.js";
import { classOf } from "./arrays.js";

/** A sort of the segments of arrays. */
export interface SegmentsJob {
  readonly job: SortJob;
  /** One more than there are segments: ascending, from 0 to the number of keys. */
  readonly offsets: Uint32Array;
  /** Where the result of each segment begins: `offsets`, unless it is only the first keys. */
  readonly starts: Uint32Array;
  readonly arrays: SortArrays;
  /** Whether `arrays.into` takes indices instead of keys. */
  readonly indices: boolean;
}

/** @throws InputError unless the offsets ascend from 0 to the number of keys. */
export function requireOffsets(offsets: Uint32Array, keyCount: number): void {
  if (classOf(offsets) !== "Uint32Array") {
    throw new InputError(`segments is ${shown(offsets)}`, {
      hint: "pass a Uint32Array of one offset more than there are segments",
    });
  }
  const [first, last] = [offsets[0], offsets[offsets.length - 1]];
  if (first !== 0) {
    throw new InputError(
      first === undefined ? "segments is empty" : `the first segment begins at key ${first}`,
      {
        hint: "begin with offset 0",
      },
    );
  }
  for (let i = 1; i < offsets.length; i++) {
    if (offsets[i]! >= offsets[i - 1]!) continue;
    throw new InputError(`segments[${i}] is ${offsets[i]}, less than ${offsets[i - 1]} before it`, {
      hint: "pass offsets that ascend; equal ones are an empty segment",
    });
  }
  if (last !== keyCount) {
    throw new InputError(`the last segment ends at key ${last}, but there are ${keyCount} keys`, {
      hint: "end with the number of keys as the last offset",
    });
  }
}

/** Where the first `top` keys of each segment begin if they follow each other, and where the last ones end. */
export function startsOf(offsets: Uint32Array, top: number): Uint32Array {
  const starts = new Uint32Array(offsets.length);
  for (let i = 1; i < offsets.length; i++) {
    starts[i] = starts[i - 1]! + Math.min(top, offsets[i]! - offsets[i - 1]!);
  }
  return starts;
}

/** The most keys of a segment. */
export function longestOf(offsets: Uint32Array): number {
  let longest = 0;
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i]! - offsets[i - 1]!);
  return longest;
}
