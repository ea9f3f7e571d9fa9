import type { ExternalReport } from "../engines/external.js";
import type { Phase } from "../engines/phases.js";
import { plainTable } from "./table.js";
import { formatBytes, formatCount, formatGbPerSecond, formatMs } from "./units.js";

/** What `gpusort sort` tells of one run; with --json it is printed as it is. */
export interface SortSummary extends ExternalReport {
  readonly input: string;
  readonly output: string;
  /** Of the keys; "record" for records. */
  readonly type: string;
  readonly itemBytes: number;
  /** Of the items that were sorted. */
  readonly bytes: number;
  /** Items in the output: fewer than were sorted, where only some were asked for. */
  readonly written: number;
  readonly descending: boolean;
  /** The engine's, with "start" before them, opening the files and the device, and "publish" after them, making the output durable and giving it its name. */
  readonly phases: readonly Phase[];
  /** From the command's first line to the published output. */
  readonly totalMs: number;
}

export function summaryText(summary: SortSummary): string {
  const {
    keyCount,
    type,
    itemBytes,
    bytes,
    written,
    descending,
    device,
    algorithm,
    verified,
    gpuMs,
    gpuClock,
  } = summary;
  const items = type === "record" ? `records of ${itemBytes} bytes` : `${type} keys`;
  const kept = written === keyCount ? "" : `, ${formatCount(written)} written`;
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
    `${summary.input} -> ${summary.output}: ${formatCount(keyCount)} ${items} (${formatBytes(bytes)}), ${order}${kept}\n`,
    `${algorithm} on ${device}, ${verified ? "verified: in order, and the same keys" : "not verified"}\n`,
    externalText(summary),
    plainTable(rows, ["left", "right", "right"]),
    `${clock}Phases overlap; a phase's GB/s is the keys' bytes over its time.\n`,
  ].join("");
}

function externalText({ external }: SortSummary): string {
  if (!external) return "";
  const { runs, chunkBytes, temporaryBytes } = external;
  const kept = temporaryBytes === 0 ? "" : `, ${formatBytes(temporaryBytes)} of temporary files`;
  return `out of core: ${formatCount(runs)} runs, chunks of ${formatBytes(chunkBytes)}${kept}\n`;
}
/** These take their time whatever the number of keys. */
const WITHOUT_RATE: readonly Phase["name"][] = ["start", "prepare", "publish"];

function phaseRow({ name, ms }: Phase, { gpuMs, bytes }: SortSummary): string[] {
  if (name === "sort" && gpuMs !== undefined) {
    return ["GPU sort", formatMs(gpuMs), formatGbPerSecond(bytes, gpuMs)];
  }
  return [name, formatMs(ms), WITHOUT_RATE.includes(name) ? "" : formatGbPerSecond(bytes, ms)];
}
