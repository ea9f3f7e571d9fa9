import type { Phase } from "../core/streams/phase_clock.js";
import type { SortSummary } from "../external/sort_file.js";
import { plainTable } from "./table.js";
import { formatBytes, formatCount, formatGbPerSecond, formatMs } from "./units.js";

/** The time and the rate of each phase, and what went through temporary files. */
export function phasesText(summary: SortSummary): string {
  const { phases, bytes, totalMs, gpuMs, gpuClock } = summary;
  const rows = [
    ["phase", "ms", "GB/s"],
    ...phases.map((phase) => phaseRow(phase, summary)),
    ["total", formatMs(totalMs), rateText(bytes, totalMs)],
  ];
  const timer =
    gpuClock === "wall clock" ? "the wall clock: this adapter has no timestamp queries" : gpuClock;
  return [
    externalText(summary),
    plainTable(rows, ["left", "right", "right"]),
    gpuMs === undefined ? "" : `GPU sort is timed by ${timer}.\n`,
    "Phases overlap; a phase's GB/s is the keys' bytes divided by its time.\n",
  ].join("");
}

function externalText({ external }: SortSummary): string {
  if (!external) return "";
  const { runs, chunkBytes, temporaryBytes } = external;
  const kept = temporaryBytes === 0 ? "" : `, ${formatBytes(temporaryBytes)} of temporary files`;
  return `out of core: ${formatCount(runs)} runs, chunks of ${formatBytes(chunkBytes)}${kept}\n`;
}

/** Phases whose time does not depend on the number of keys, so that a rate means nothing. */
const WITHOUT_RATE: readonly Phase["name"][] = ["start", "prepare", "publish"];

function phaseRow({ name, ms }: Phase, { gpuMs, bytes }: SortSummary): string[] {
  if (name === "sort" && gpuMs !== undefined) return ["GPU sort", formatMs(gpuMs), rateText(bytes, gpuMs)];
  return [name, formatMs(ms), WITHOUT_RATE.includes(name) ? "" : rateText(bytes, ms)];
}

/** A phase shorter than this took nothing: what its clock shows is mostly noise. */
const LEAST_MS = 0.01;

/** Empty if nothing was moved, if it took nothing, or if the rate is too small to show. */
function rateText(bytes: number, ms: number): string {
  const rate = bytes === 0 || ms < LEAST_MS ? "" : formatGbPerSecond(bytes, ms);
  return rate.startsWith("<") ? "" : rate;
}
