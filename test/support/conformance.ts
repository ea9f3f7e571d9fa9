import { describe, expect, it } from "vitest";
import { type ElementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { difference, distributions } from "./keys.js";

export type SortKeys = (keys: KeyArray, type: ElementType, descending: boolean) => Promise<KeyArray>;

/** The types whose keys are whole words. A "plain only" algorithm sorts no others. */
export const wholeWordTypes = elementTypes.filter(({ bytes }) => bytes >= 4);

/**
 * Tests a sort with every type that it takes, every distribution, both directions, and the given sizes. Each
 * distribution takes each size in one direction, and the next one in the other.
 */
export function describeConformance(
  name: string,
  sort: SortKeys,
  sizes: readonly number[],
  types: readonly ElementType[] = elementTypes,
): void {
  describe(`${name} sorts as TypedArray.prototype.sort does`, () => {
    for (const type of types) {
      for (const [d, [distribution, make]] of Object.entries(distributions).entries()) {
        it(`${type.name}, ${distribution}`, async () => {
          for (const [s, size] of sizes.entries()) {
            const descending = (d + s) % 2 === 1;
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
