import { expect, it } from "vitest";
import { progressText } from "../../src/report/progress.js";

const state = { phase: "writing", phaseBytes: 1.2e9, doneBytes: 3e9, totalBytes: 4e9, elapsedMs: 6000 };

it("progress tells the phase, the bytes, the share, the rate and the time left", () => {
  expect(progressText(state)).toBe("writing 1.20 GB, 75% at 0.500 GB/s, 2 s left");
});

it("progress promises nothing where the end is not known", () => {
  expect(progressText({ ...state, totalBytes: undefined })).toBe("writing 1.20 GB, 0.500 GB/s");
  expect(progressText({ ...state, phase: "starting", phaseBytes: 0, doneBytes: 0 })).toBe(
    "starting 0 B, 0 GB/s",
  );
});
