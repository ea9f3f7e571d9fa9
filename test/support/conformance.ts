import { describe, expect, it } from "vitest";
import { type ElementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { difference, distributions } from "./keys.js";

export type SortKeys = (keys: KeyArray, type: ElementType, descending: boolean) => Promise<KeyArray>;

/** The types whose keys are whole words. A "plain only" algorithm sorts no others. */
export const wholeWordTypes = elementTypes.filter(({ bytes }) => bytes >= 4);

/**
 * Tests a sort with every type that it takes, every distribution, both directions, and the given sizes, of which
 * the longest comes last. Each type and distribution take the longest, and every other one of those before it,
 * in one direction; the next type and the next distribution take the others.
 */
export function describeConformance(
  name: string,
  sort: SortKeys,
  sizes: readonly number[],
  types: readonly ElementType[] = elementTypes,
): void {
  describe(`${name} sorts as TypedArray.prototype.sort does`, () => {
    for (const [t, type] of types.entries()) {
      for (const [d, [distribution, make]] of Object.entries(distributions).entries()) {
        it(`${type.name}, ${distribution}`, async () => {
          for (const [s, size] of sizes.entries()) {
            const turn = t + d + s;
            if (turn % 2 === 1 && s < sizes.length - 1) continue;
            const descending = Math.floor(turn / 2) % 2 === 1;
            const keys = make(type, size);
            const sorted = await sort(keys, type, descending);
            const where = `${size} keys, ${descending ? "descending" : "ascending"}`;
            expect(difference(keys, sorted, descending), where).toBeUndefined();
          }
        });
      }
    }
  });
}
