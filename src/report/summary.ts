import { printable } from "../core/printable.js";
import type { SortSummary } from "../sort/sort_file.js";
import { fit } from "./fit.js";
import { misfitsText } from "./row_order.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf, formatPerSecond } from "./units.js";

/** A device's name is not shortened to less than this. */
const SHORTEST_DEVICE = 12;

/**
 * A summary of two lines: what was sorted where to, and how. One more for each column with values that misfit.
 *
 * @param columns the device's name is shortened so that the second line fits in this many columns.
 */
export function summaryText(summary: SortSummary, columns = Number.POSITIVE_INFINITY): string {
  const {
    keyCount,
    type,
    itemBytes,
    bytes,
    written,
    descending,
    by,
    misfits = [],
    algorithm,
    device,
  } = summary;
  const items = formatNumberOf(keyCount, names[type] ?? `${type} key`);
  const length = type === "record" ? ` of ${itemBytes} bytes` : "";
  const kept = written === keyCount ? "" : `, ${formatCount(written)} written`;
  const order = by === undefined ? (descending ? "descending" : "ascending") : `by ${printable(by)}`;
  const how = howText(summary);
  const room = Math.max(SHORTEST_DEVICE, columns - `${algorithm} on ${how}`.length);
  return [
    `${printable(summary.input)} -> ${printable(summary.output)}: ${items}${length} (${formatBytes(bytes)}), `,
    `${order}${kept}\n`,
    `${algorithm} on ${fit(printable(device), room)}${how}\n`,
    ...misfits.map((one) => `${printable(misfitsText(one))}\n`),
  ].join("");
}

/** What is counted, unless it is keys, by its type. */
const names: Readonly<Record<string, string>> = { record: "record", line: "line", row: "row" };

/** The second line from the device's name on. */
function howText({ external, verified, keyCount, type, totalMs }: SortSummary): string {
  const rate = `${formatPerSecond(keyCount, totalMs)} ${names[type] ?? "key"}s/s`;
  return [
    ...(external ? ["out of core"] : []),
    verified ? "verified" : "not verified",
    formatDuration(totalMs / 1000),
    ...(keyCount > 0 && totalMs > 0 ? [rate] : []),
  ]
    .map((part) => `, ${part}`)
    .join("");
}
