import type { ProgressState } from "../core/streams/progress.js";
import { fit, textWidth } from "./fit.js";
import { formatBytes, formatGbPerSecond } from "./units.js";

/**
 * The state as a line such as "writing 1.20 GB of 4.00 GB at 0.410 GB/s, 7 s left", or "sorting on the CPU".
 * If it is longer than `columns`, the rate is left out, then the total. What is still longer is shortened in
 * the middle.
 *
 * @param phaseMs milliseconds since the phase began first.
 */
export function progressText(
  state: ProgressState,
  phaseMs: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  const { phase, movesBytes, phaseBytes, phaseTotalBytes: total = 0, secondsLeft } = state;
  const left = secondsLeft ? `, ${Math.ceil(secondsLeft)} s left` : "";
  if (!movesBytes) return fit(`${phase}${left}`, columns);
  const done = total === 0 ? phaseBytes : Math.min(phaseBytes, total);
  const moved = `${phase} ${formatBytes(done)}`;
  const all = total === 0 ? "" : ` of ${formatBytes(total)}`;
  const rate = done === 0 ? "" : ` at ${formatGbPerSecond(done, phaseMs) || "0"} GB/s`;
  const lines = [`${moved}${all}${rate}${left}`, `${moved}${all}${left}`, `${moved}${left}`];
  return fit(lines.find((line) => textWidth(line) <= columns) ?? lines.at(-1)!, columns);
}
