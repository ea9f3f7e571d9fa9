import { formatBytes, formatGbPerSecond } from "./units.js";

export interface ProgressState {
  readonly phase: string;
  readonly phaseBytes: number;
  /** Moved in all phases so far, and to be moved; undefined if only the end tells. */
  readonly doneBytes: number;
  readonly totalBytes: number | undefined;
  readonly elapsedMs: number;
}

/** "writing 1.20 GB, 62% at 0.410 GB/s, 3 s left" */
export function progressText({ phase, phaseBytes, doneBytes, totalBytes, elapsedMs }: ProgressState): string {
  const rate = `${formatGbPerSecond(doneBytes, elapsedMs) || "0"} GB/s`;
  const moved = `${phase} ${formatBytes(phaseBytes)}`;
  if (!totalBytes || doneBytes === 0) return `${moved}, ${rate}`;
  const share = Math.min(1, doneBytes / totalBytes);
  const secondsLeft = Math.ceil((elapsedMs / share - elapsedMs) / 1000);
  return `${moved}, ${Math.floor(share * 100)}% at ${rate}, ${secondsLeft} s left`;
}
