import { type Phase, unionMs } from "../core/streams/phase_clock.js";
import type { SortSummary } from "../sort/sort_file.js";
import { plainTable } from "./table.js";
import { formatBytes, formatCount, formatGbPerSecond, threeDigits } from "./units.js";

/** The time of a process before and after the call of `sortFile`. */
export interface ProcessTimes {
  /** Milliseconds from the start of the process to the call: Node starts and loads the code. */
  readonly loadMs: number;
  /** Milliseconds from the published output to now: the engine was closed. */
  readonly closeMs: number;
}

/**
 * The time and the rate of each phase, and what went through temporary files. With the intervals of the
 * phases, the rows tell where all of the total went.
 *
 * @param summary a summary with the intervals of its phases.
 */
export function phasesText(summary: SortSummary, { loadMs, closeMs }: ProcessTimes): string {
  const { phases, bytes, totalMs, gpuMs, gpuClock } = summary;
  const names = phases.map(({ name }) => name);
  const inAll = loadMs + totalMs + closeMs;
  const rows = [
    ["phase", "ms", "GB/s"],
    ["load", threeDigits(loadMs), ""],
    ...phases.map((phase) => phaseRow(phase, summary)),
    ["close", threeDigits(closeMs), ""],
    ["in no phase", threeDigits(Math.max(0, totalMs - unionMs(phases, names))), ""],
    ["total", threeDigits(inAll), rateText(bytes, inAll)],
  ];
  const timer =
    gpuClock === "wall clock" ? "the wall clock: this adapter has no timestamp queries" : gpuClock;
  return [
    externalText(summary),
    plainTable(rows, ["left", "right", "right"]),
    gpuMs === undefined ? "" : `GPU sort is timed by ${timer}.\n`,
    "Phases overlap; a phase's GB/s is the bytes of its keys divided by its time.\n",
    "The total begins with the process. What its end takes, it cannot tell.\n",
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

/** Phases that move only what is written. */
const OF_OUTPUT: readonly Phase["name"][] = ["readback", "write"];

function phaseRow({ name, ms }: Phase, { gpuMs, bytes, itemBytes, written }: SortSummary): string[] {
  if (name === "sort" && gpuMs !== undefined) return ["GPU sort", threeDigits(gpuMs), rateText(bytes, gpuMs)];
  const moved = OF_OUTPUT.includes(name) ? itemBytes * written : bytes;
  return [name, threeDigits(ms), WITHOUT_RATE.includes(name) ? "" : rateText(moved, ms)];
}

/** A phase shorter than this took nothing: what its clock shows is mostly noise. */
const LEAST_MS = 0.01;

/** Empty if nothing was moved, if it took nothing, or if the rate is too small to show. */
function rateText(bytes: number, ms: number): string {
  const rate = bytes === 0 || ms < LEAST_MS ? "" : formatGbPerSecond(bytes, ms);
  return rate.startsWith("<") ? "" : rate;
}
