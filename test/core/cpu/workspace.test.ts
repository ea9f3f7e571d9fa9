import { describe, expect, it } from "vitest";
import { elementForm, workspaceFor } from "../../../src/core/cpu/workspace.js";

describe("the memory of a sort on the CPU", () => {
  // With 1 GiB of u32 keys on one thread, 2,048 digits are too large for its buffer.
  it("has a place for the end of each digit by which keys are divided, on any number of threads", () => {
    for (const threads of [1, 2, 16]) {
      for (const count of [2 ** 22, 2 ** 24, 2 ** 25, 2 ** 28]) {
        const { spread, findings, countTables } = workspaceFor(elementForm(4, false), count, threads);
        expect(findings - countTables).toBeGreaterThanOrEqual(4 * 2 ** spread!.bits);
      }
    }
  });
});
