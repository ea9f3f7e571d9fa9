/**
 * node scripts/hardware.js: makes the table of docs/hardware.md from the reports in docs/hardware/. A report is
 * what `gpusort devices --report --json` prints, or what the page of gpusort saves.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable, withMarkedTable } from "./marked_table.js";

/**
 * @typedef {import("../dist/core/plan/traits.js").DeviceTraits} DeviceTraits
 * @typedef {import("../dist/hardware/report.js").HardwareReport & { file: string }} Report
 */

const folder = new URL("../docs/hardware/", import.meta.url);
const document = new URL("../docs/hardware.md", import.meta.url);

/** Makers of GPUs by the names that WebGPU gives them, and what is known of them without a report. */
const MAKERS = [
  ["nvidia", "NVIDIA", "no report; an H200 by Vulkan is measured in [BENCHMARKS.md](../BENCHMARKS.md)"],
  ["amd", "AMD", "never run"],
  ["intel", "Intel", "never run"],
  ["apple", "Apple", "never run"],
  ["arm", "Arm Mali", "never run"],
  ["qualcomm", "Qualcomm Adreno", "never run"],
];

/**
 * @returns {Report[]} all reports, with the names of their files.
 * @throws Error if a file is none.
 */
export function readReports() {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const report = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
      if (report.format !== 1) throw new Error(`docs/hardware/${file} is no report of format 1`);
      return { file, ...report };
    });
}

/**
 * @param {number} keyCount
 * @param {number} ms
 */
const perSecond = (keyCount, ms) =>
  new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(
    (1000 * keyCount) / ms,
  );

/**
 * @param {DeviceTraits} reported
 * @param {DeviceTraits} tested
 */
function subgroups({ subgroupSize: { min, max }, subgroups: has, software }, tested) {
  if (!has) return "none";
  const sizes = min === max ? `${min}` : `${min} to ${max}`;
  return software || tested.subgroups ? sizes : `${sizes}, which sort wrongly`;
}

/** @param {Report} report */
function row({ file, adapter, runtime, date, reported, tested, correctness, times }) {
  const { sorted, planned, wrong } = correctness;
  const missing = sorted === planned ? "" : ` (of ${planned} planned)`;
  const last = times.at(-1);
  const rates = /** @type {const} */ (["residentMs", "bitonicMs", "cpuMs", "platformMs"]).map((ms) =>
    last ? perSecond(last.keyCount, last[ms]) : "–",
  );
  const name = `${adapter.name || adapter.architecture}${adapter.software ? " (a program)" : ""}`;
  const how = [adapter.driver, adapter.backend].filter(Boolean).join(", ");
  return [
    `[${name}](hardware/${file})`,
    [how, runtime, date].filter(Boolean).join("; "),
    subgroups(reported, tested),
    `${sorted - wrong.length} of ${sorted}${missing}`,
    last ? `2^${Math.log2(last.keyCount)}` : "–",
    ...rates,
  ];
}

/**
 * The table, in Markdown.
 *
 * @param {Report[]} reports
 */
export function hardwareTable(reports) {
  const makers = MAKERS.filter(([vendor]) => !reports.some(({ adapter }) => adapter.vendor === vendor));
  const head = [
    "hardware",
    "run by",
    "subgroups",
    "arrays right",
    "u32 keys",
    "sorted a second, on the device",
  ];
  const beside = ["bitonic sort there", "gpusort on the CPU beside it", "JavaScript's sort"];
  const columns = [...head, ...beside];
  const rows = [
    ...reports.map(row),
    ...makers.map(([, name, known]) => [name, known, ...columns.slice(2).map(() => "")]),
  ];
  return markdownTable(columns, rows, 4);
}

/**
 * The document with the table of these reports.
 *
 * @param {string} text
 * @param {Report[]} reports
 */
export function withTable(text, reports) {
  return withMarkedTable(text, "hardware.js", hardwareTable(reports));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(document, withTable(readFileSync(document, "utf8"), readReports()));
}
