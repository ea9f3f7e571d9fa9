import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divide } from "../../src/jobs/divide.js";

const MOST_FILES = 500;
const counts = fc.oneof(
  fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 20 }),
  fc.array(fc.nat({ max: 3 }), { minLength: 990, maxLength: 1600 }),
);

describe("divide", () => {
  it("gives every item and every input to a run, in the order of the inputs, and no run too many items or files", () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 2000 }), (counts, runItems) => {
        const inputs = counts.map((itemCount) => ({ bytes: 4 * itemCount, itemCount }));
        const runs = divide(inputs, runItems, 4 * runItems);
        const taken = counts.map(() => 0);
        let last = 0;
        const misplaced = runs.flat().filter(([input, first, count]) => {
          const isNext = first === taken[input] && input >= last;
          taken[input]! += count!;
          last = input;
          return !isNext;
        });
        expect(misplaced).toEqual([]);
        expect(taken).toEqual(counts);
        expect(new Set(runs.flat().map(([input]) => input)).size).toBe(counts.length);
        const itemsOf = (run: (typeof runs)[number]) => run.reduce((sum, [, , count]) => sum + count!, 0);
        const fits = (files: number, items: number) => files > 0 && files <= MOST_FILES && items <= runItems;
        expect(runs.filter((run) => !fits(run.length, itemsOf(run)))).toEqual([]);
      }),
    );
  });

  it("gives files that are read from start to end to runs as a whole", () => {
    const files = (...sizes: number[]) => sizes.map((bytes) => ({ bytes, itemCount: undefined }));
    expect(divide(files(4, 4, 4), 1, 8)).toEqual([[[0], [1]], [[2]]]);
    expect(divide(files(100, 1, 1), 1, 8)).toEqual([[[0]], [[1], [2]]]);
    expect(divide(files(...Array(501).fill(0)), 1, 8).map((run) => run.length)).toEqual([MOST_FILES, 1]);
  });
});
