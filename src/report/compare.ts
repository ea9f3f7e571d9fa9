import type { Change, Comparison } from "../bench/schema.js";
import { payloadText } from "./columns.js";
import { axisColumn, ColumnTable, type RowColumn } from "./table.js";
import { formatCount, formatDuration, formatPercent, formatThreads } from "./units.js";

/** A table of the changes, followed by their summary. */
export function comparisonText(
  { changes, threshold, unmatched, threads }: Comparison,
  maxWidth: number,
): string {
  const axis = (heading: string, text: (change: Change) => string) =>
    axisColumn(heading, changes.map(text), text);
  const axes: RowColumn<Change>[] = [
    ...axis("task", ({ task }) => task),
    ...axis("type", ({ type }) => type),
    ...axis("keys are", ({ distribution }) => distribution),
    ...axis("payload", ({ payloadBytes }) => payloadText(payloadBytes)),
    ...axis("algorithm", ({ algorithm }) => algorithm),
    {
      heading: "keys",
      width: Math.max(4, ...changes.map(({ keyCount }) => formatCount(keyCount).length)),
      align: "right",
      text: ({ keyCount }) => formatCount(keyCount),
    },
  ];
  const columns: RowColumn<Change>[] = [
    { heading: "", width: 10, align: "left", text: ({ way: metric }) => metric },
    { heading: "old", width: 7, align: "right", text: ({ oldSeconds }) => formatDuration(oldSeconds) },
    { heading: "new", width: 7, align: "right", text: ({ newSeconds }) => formatDuration(newSeconds) },
    { heading: "change", width: 6, align: "right", text: ({ ratio }) => signed(ratio) },
    {
      heading: "surely between",
      width: 11,
      align: "right",
      text: ({ low, high }) => `${signed(low)} ${signed(high)}`,
    },
    { heading: "verdict", width: 7, align: "left", text: ({ verdict }) => verdict },
  ];
  const table = new ColumnTable(axes, columns, maxWidth);
  const count = (verdict: Change["verdict"]) => changes.filter((one) => one.verdict === verdict).length;
  const only =
    unmatched > 0 ? `Cells that only one of the two results has: ${formatCount(unmatched)}.\n` : "";
  return [
    table.head(),
    ...changes.map((change) => table.row(change)),
    table.foot(),
    `${count("slower")} slower, ${count("faster")} faster, ${count("equal")} equal, `,
    `${count("noisy") + count("machine")} too noisy to tell, `,
    `with a threshold of ${formatPercent(threshold)}.\n`,
    changes.some((one) => one.verdict === "machine" && !(threads && one.way === "cpu")) ? MACHINE : "",
    threads
      ? `cpu had ${formatThreads(threads.old)} at most and now has ${threads.new}, so its change is called machine\n`
      : "",
    only,
  ].join("");
}

const MACHINE = "machine: seconds and units of the reference work give different verdicts\n";

/** A ratio of times as a change: 1.123 -> "+12%". */
function signed(ratio: number): string {
  const text = formatPercent(Math.min(9.99, ratio - 1));
  return ratio >= 1 ? `+${text}` : text;
}
