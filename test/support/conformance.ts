import { describe, expect, it } from "vitest";
import { type ElementType, elementTypes, type KeyArray } from "../../src/elements.js";
import { difference, distributions } from "./keys.js";

export type SortKeys = (keys: KeyArray, type: ElementType, descending: boolean) => Promise<KeyArray>;

/** What everything that sorts must do: every type, direction and distribution, at every one of these sizes. */
export function describeConformance(name: string, sort: SortKeys, sizes: readonly number[]): void {
  describe(`${name} sorts as TypedArray.prototype.sort does`, () => {
    for (const type of elementTypes) {
      for (const [distribution, make] of Object.entries(distributions)) {
        it(`${type.name}, ${distribution}`, async () => {
          for (const size of sizes) {
            for (const descending of [false, true]) {
              const keys = make(type, size);
              const sorted = await sort(keys, type, descending);
              const where = `${size} keys, ${descending ? "descending" : "ascending"}`;
              expect(difference(keys, sorted, descending), where).toBeUndefined();
            }
          }
        });
      }
    }
  });
}
