import { expect, it } from "vitest";
import { progressText } from "../../src/report/progress.js";

const state = { phase: "writing", phaseBytes: 1.2e9, doneBytes: 3e9, totalBytes: 4e9 };

it("progress shows the phase, the bytes, the percentage, the rate and the time left", () => {
  expect(progressText(state, 6000)).toBe("writing 1.20 GB, 75% at 0.500 GB/s, 2 s left");
});

it("progress shows no percentage and no time left if the total is unknown", () => {
  expect(progressText({ ...state, totalBytes: undefined }, 6000)).toBe("writing 1.20 GB, 0.500 GB/s");
  expect(progressText({ ...state, phase: "starting", phaseBytes: 0, doneBytes: 0 }, 6000)).toBe(
    "starting 0 B, 0 GB/s",
  );
});
