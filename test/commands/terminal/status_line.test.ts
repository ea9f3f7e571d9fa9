import { describe, expect, it } from "vitest";
import { progressText } from "../../../src/commands/terminal/status_line.js";
import type { ProgressState } from "../../../src/core/streams/progress.js";

const state: ProgressState = {
  phase: "writing",
  movesBytes: true,
  phaseBytes: 1.2e9,
  phaseTotalBytes: 4e9,
  doneBytes: 5.2e9,
  totalBytes: 8e9,
  secondsLeft: 6.2,
};
const sorting = { ...state, phase: "sorting on Some GPU", movesBytes: false, phaseBytes: 0 };

describe("the progress line", () => {
  it("shows the phase, its bytes, its rate and the time left", () => {
    expect(progressText(state, 3000)).toBe("writing 1.20 GB of 4.00 GB at 0.400 GB/s, 7 s left");
  });

  it("leaves out what is not known", () => {
    const unknown = { ...state, phaseTotalBytes: undefined, secondsLeft: undefined };
    expect(progressText(unknown, 3000)).toBe("writing 1.20 GB at 0.400 GB/s");
    expect(progressText({ ...unknown, phaseBytes: 0 }, 3000)).toBe("writing 0 B");
    expect(progressText({ ...state, secondsLeft: 0 }, 3000)).toMatch(/ GB\/s$/);
  });

  it("shows only the name of a phase that moves no bytes, and the time left", () => {
    expect(progressText(sorting, 3000)).toBe("sorting on Some GPU, 7 s left");
    expect(progressText({ ...sorting, secondsLeft: undefined }, 3000)).toBe("sorting on Some GPU");
  });

  it("never shows more bytes than there are", () => {
    expect(progressText({ ...state, phaseBytes: 4.1e9 }, 3000)).toMatch(/^writing 4\.00 GB of 4\.00 GB at /);
  });

  it.each([
    [50, "writing 1.20 GB of 4.00 GB at 0.400 GB/s, 7 s left"],
    [49, "writing 1.20 GB of 4.00 GB, 7 s left"],
    [35, "writing 1.20 GB, 7 s left"],
    [20, "writing 1.… 7 s left"],
  ])("in %i columns leaves out the rate, then the total, and shortens the rest", (columns, line) => {
    expect(progressText(state, 3000, columns)).toBe(line);
  });
});
