import { describe, expect, it } from "vitest";
import { gridBarrierPlan, showsGridBarrier } from "../../../src/core/sort/device_probes.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";

const plan = gridBarrierPlan();
const right = runOnCpu(plan, {})[plan.result]!;
/** The result, of which one word is another. */
const withWord = (at: number, word: number) => right.slice().fill(word, at, at + 1);

describe("the result of the probe of the grid barrier", () => {
  it("shows a barrier if all words are right", () => {
    expect(showsGridBarrier(right)).toBe(true);
  });

  it("shows none if a word is wrong, came late or was lost", () => {
    for (const at of [64, 65, 10_000, 64 + 2 ** 15 - 1]) {
      expect(showsGridBarrier(withWord(at, right[at]! ^ 1))).toBe(false);
      expect(showsGridBarrier(withWord(at, right[at + 2 ** 15]!))).toBe(false);
      expect(showsGridBarrier(withWord(at, 0))).toBe(false);
    }
  });

  it("shows none if a workgroup was alone, waited in vain, or did not arrive", () => {
    expect(showsGridBarrier(withWord(2, 1))).toBe(false);
    expect(showsGridBarrier(withWord(2, 1).fill(right[3]! / right[2]!, 3, 4))).toBe(false);
    expect(showsGridBarrier(withWord(3, (right[3]! | 0x8000_0000) >>> 0))).toBe(false);
    expect(showsGridBarrier(withWord(3, right[3]! - 1))).toBe(false);
  });

  it("waits for a tenth of a second at most, on a device whose loads take a microsecond", () => {
    const { program, grid } = plan.passes[0]!;
    const { SPIN_LIMIT, ENTRY_SPIN_LIMIT } = program.constants;
    expect(SPIN_LIMIT).toBeLessThan(100_000);
    // Workgroups that begin as late as they may keep the first one waiting, and all that have begun with it.
    expect(grid[0] * ENTRY_SPIN_LIMIT!).toBeLessThan(SPIN_LIMIT!);
  });
});
