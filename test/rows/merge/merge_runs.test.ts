import { expect, it } from "vitest";
import { mergeRuns, type StoredRun } from "../../../src/rows/merge/merge_runs.js";

it("refuses runs whose longest rows do not fit the memory together, before it reads any", async () => {
  const run = { at: 0, bytes: 2 ** 20, rows: 1, longestRow: 2 ** 20, hashes: 0n, numbers: undefined };
  const runs: StoredRun[] = Array.from({ length: 700 }, () => run);
  const unused = {} as never;
  await expect(mergeRuns(unused, runs, unused, unused, unused)).rejects.toMatchObject({
    message: "the longest rows of all 700 parts that were sorted do not fit in memory",
    hint: "allow more memory, so that there are fewer parts",
    options: ["memoryBytes"],
  });
});
