import { expect, it } from "vitest";
import { PhaseClock } from "../../src/core/streams/phase_clock.js";
import { mergeUntilFew, type PassesJob } from "../../src/tables/merge_passes.js";
import { type Run, RunFile } from "../../src/tables/runs.js";

it("a merge that fails closes all files, even if one cannot be closed, and throws its own error", async () => {
  const closed: number[] = [];
  const runs = [0, 1, 2].map((i): Run => {
    const close = async () => {
      closed.push(i);
      if (i === 0) throw new Error("it cannot be closed");
    };
    const file = { write: async () => {}, read: async () => {}, close };
    const first = { bytes: 1, rows: 1, sum: 0 };
    return {
      ...{ file: new RunFile(file, new PhaseClock(), undefined), at: 0, first },
      ...{ rows: 1, bytes: 1, blockCost: 100 },
    };
  });
  const createFile = async () => {
    throw new Error("the disk is full");
  };
  const merged = mergeUntilFew({ budget: 100, createFile } as Partial<PassesJob> as PassesJob, runs);
  await expect(merged).rejects.toThrow("the disk is full");
  expect(closed).toEqual([0, 1, 2]);
});
