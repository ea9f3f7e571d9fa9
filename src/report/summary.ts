import type { Phase } from "../core/streams/phase_clock.js";
import type { SortSummary } from "../external/sort_file.js";
import { plainTable } from "./table.js";
import { formatBytes, formatCount, formatGbPerSecond, formatMs } from "./units.js";

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
  const timer =
    gpuClock === "wall clock" ? "the wall clock: this adapter has no timestamp queries" : gpuClock;
  const clock = gpuMs === undefined ? "" : `GPU sort is timed by ${timer}. `;
  return [
    `${summary.input} -> ${summary.output}: ${formatCount(keyCount)} ${items} (${formatBytes(bytes)}), `,
    `${order}${kept}\n`,
    `${algorithm} on ${device}, ${verified ? "verified: in order, and the same keys" : "not verified"}\n`,
    externalText(summary),
    plainTable(rows, ["left", "right", "right"]),
    `${clock}Phases overlap; a phase's GB/s is the keys' bytes divided by its time.\n`,
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
  if (name === "sort" && gpuMs !== undefined) {
    return ["GPU sort", formatMs(gpuMs), formatGbPerSecond(bytes, gpuMs)];
  }
  return [name, formatMs(ms), WITHOUT_RATE.includes(name) ? "" : formatGbPerSecond(bytes, ms)];
}
