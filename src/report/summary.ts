import type { SortReport } from "../engines/engine.js";
import type { Phase } from "../engines/phases.js";
import { plainTable } from "./table.js";
import { formatBytes, formatCount, formatGbPerSecond, formatMs } from "./units.js";

/** What `gpusort sort` tells of one run; with --json it is printed as it is. */
export interface SortSummary extends SortReport {
  readonly input: string;
  readonly output: string;
  readonly type: string;
  readonly bytes: number;
  readonly descending: boolean;
  /** The engine's, with "start" before them, opening the files and the device, and "publish" after them, making the output durable and giving it its name. */
  readonly phases: readonly Phase[];
  /** From the command's first line to the published output. */
  readonly totalMs: number;
}

export function summaryText(summary: SortSummary): string {
  const { keyCount, type, bytes, descending, device, algorithm, verified, gpuMs, gpuClock } = summary;
  const order = descending ? "descending" : "ascending";
  const rows = [
    ["phase", "ms", "GB/s"],
    ...summary.phases.map((phase) => phaseRow(phase, summary)),
    ["total", formatMs(summary.totalMs), formatGbPerSecond(bytes, summary.totalMs)],
  ];
  const clock =
    gpuMs === undefined
      ? ""
      : `GPU sort is timed by ${gpuClock === "wall clock" ? "the wall clock: this adapter has no timestamp queries" : gpuClock}. `;
  return [
    `${summary.input} -> ${summary.output}: ${formatCount(keyCount)} ${type} keys (${formatBytes(bytes)}), ${order}\n`,
    `${algorithm} on ${device}, ${verified ? "verified: in order, and the same keys" : "not verified"}\n`,
    plainTable(rows, ["left", "right", "right"]),
    `${clock}Phases overlap; a phase's GB/s is the keys' bytes over its time.\n`,
  ].join("");
}

/** These take their time whatever the number of keys. */
const WITHOUT_RATE: readonly Phase["name"][] = ["start", "prepare", "publish"];

function phaseRow({ name, ms }: Phase, { gpuMs, bytes }: SortSummary): string[] {
  if (name === "sort" && gpuMs !== undefined) {
    return ["GPU sort", formatMs(gpuMs), formatGbPerSecond(bytes, gpuMs)];
  }
  return [name, formatMs(ms), WITHOUT_RATE.includes(name) ? "" : formatGbPerSecond(bytes, ms)];
}
