import { expect } from "vitest";
import { elementType, type KeyArray, type TypeName } from "../../src/core/elements.js";
import type { Sorter } from "../../src/core/sorter/sorter.js";
import { distributions, expectedIndices } from "./keys.js";

/** Arrays of keys of these types, in which many keys are equal. */
const arraysOf = (names: readonly TypeName[], size: number): KeyArray[] =>
  names.map((name) => distributions["few values"]!(elementType(name), size));

/** Expects the indices of the arrays to be those of one comparison by all of them, the last array first. */
export async function expectLexsorted(
  sorter: Sorter,
  names: readonly TypeName[],
  size: number,
  descending?: boolean | readonly boolean[],
): Promise<void> {
  const arrays = arraysOf(names, size);
  const ranks = arrays.map((keys, i) => {
    const type = elementType(names[i]!);
    const isDown = typeof descending === "object" ? descending[i]! : (descending ?? false);
    const order = expectedIndices(keys, type, { descending: isDown });
    const bits = (at: number) => String(keys[at]) + (Object.is(keys[at], -0) ? "-" : "");
    const rank = new Uint32Array(size);
    for (let place = 1; place < size; place++) {
      const [before, here] = [order[place - 1]!, order[place]!];
      rank[here] = rank[before]! + (bits(before) === bits(here) ? 0 : 1);
    }
    return rank;
  });
  const compare = (a: number, b: number) => {
    for (const rank of ranks.toReversed()) if (rank[a] !== rank[b]) return rank[a]! - rank[b]!;
    return 0;
  };
  const expected = Array.from({ length: size }, (_, i) => i).sort(compare);
  expect([...(await sorter.lexsort(arrays, { descending }))], `${names} ${size}`).toEqual(expected);
}
