import type { Pause } from "../../core/streams/yield_to_event_loop.js";

/** Indices that are sorted without a pause: it takes some milliseconds. */
const BLOCK = 1024;

/**
 * Sorts indices by comparisons, in place. It is a merge sort, which can pause: blocks are sorted one by one,
 * then neighbours are merged until one is left. It takes n log n comparisons.
 *
 * @param compare never returns 0 for different indices.
 */
export async function sortIndices(
  indices: Uint32Array,
  compare: (a: number, b: number) => number,
  pause: Pause,
): Promise<void> {
  for (let start = 0; start < indices.length; start += BLOCK) {
    indices.subarray(start, start + BLOCK).sort(compare);
    await pause();
  }
  const scratch = new Uint32Array(indices.length > BLOCK ? indices.length : 0);
  let from: Uint32Array = indices;
  let into: Uint32Array = scratch;
  for (let width = BLOCK; width < indices.length; width *= 2) {
    for (let start = 0; start < indices.length; start += 2 * width) {
      await merge(from.subarray(start, start + 2 * width), width, into.subarray(start), compare, pause);
    }
    [from, into] = [into, from];
  }
  if (from !== indices) indices.set(from);
}

/** Merges the first `middle` elements of `from` with its others. */
async function merge(
  from: Uint32Array,
  middle: number,
  into: Uint32Array,
  compare: (a: number, b: number) => number,
  pause: Pause,
): Promise<void> {
  let left = 0;
  let right = middle;
  for (let at = 0; at < from.length; at++) {
    if (at % BLOCK === 0) await pause();
    const takesLeft = right >= from.length || (left < middle && compare(from[left]!, from[right]!) < 0);
    into[at] = takesLeft ? from[left++]! : from[right++]!;
  }
}

/** Sorts a few indices by comparisons, in place: those from `start` to `end` - 1. */
export function sortFew(
  indices: Uint32Array,
  start: number,
  end: number,
  compare: (a: number, b: number) => number,
): void {
  for (let next = start + 1; next < end; next++) {
    const index = indices[next]!;
    let at = next;
    for (; at > start && compare(indices[at - 1]!, index) > 0; at--) indices[at] = indices[at - 1]!;
    indices[at] = index;
  }
}
