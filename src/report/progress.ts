import type { ProgressState } from "../core/streams/progress.js";
import { formatBytes, formatGbPerSecond } from "./units.js";

/** The state as a line such as "writing 1.20 GB, 62% at 0.410 GB/s, 3 s left". */
export function progressText(state: ProgressState, elapsedMs: number): string {
  const { phase, phaseBytes, doneBytes, totalBytes } = state;
  const rate = `${formatGbPerSecond(doneBytes, elapsedMs) || "0"} GB/s`;
  const moved = `${phase} ${formatBytes(phaseBytes)}`;
  if (!totalBytes || doneBytes === 0) return `${moved}, ${rate}`;
  const share = Math.min(1, doneBytes / totalBytes);
  const secondsLeft = Math.ceil((elapsedMs / share - elapsedMs) / 1000);
  return `${moved}, ${Math.floor(share * 100)}% at ${rate}, ${secondsLeft} s left`;
}
