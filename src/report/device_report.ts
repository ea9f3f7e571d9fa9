import type { DeviceTraits } from "../core/plan/traits.js";
import type { HardwareReport, Times } from "../hardware/report.js";
import { familiesText } from "./devices.js";
import { formatCount, formatPerSecond, formatPowerOfTwo } from "./units.js";

const COLUMNS: readonly { title: string; of: (times: Times) => number }[] = [
  { title: "resident", of: ({ residentMs }) => residentMs },
  { title: "bitonic", of: ({ bitonicMs }) => bitonicMs },
  { title: "array", of: ({ keysMs }) => keysMs },
  { title: "+ value", of: ({ pairsMs }) => pairsMs },
  { title: "CPU", of: ({ cpuMs }) => cpuMs },
  { title: "JavaScript", of: ({ platformMs }) => platformMs },
];
const cell = (text: string) => text.padStart(11);

/** A report of a device as text. It names no file, user or machine. */
export function deviceReportText(report: HardwareReport): string {
  const { adapter, features, reported, tested, gpuClock, times } = report;
  const { limits, subgroupSize } = reported;
  const rows = times.map((row) =>
    [
      `  ${formatPowerOfTwo(row.keyCount).padEnd(6)}`,
      ...COLUMNS.map(({ of }) => cell(formatPerSecond(row.keyCount, of(row)))),
    ].join(""),
  );
  return [
    `gpusort report: gpusort ${report.gpusort}, ${report.runtime}`,
    `adapter: ${adapter.name}${adapter.software ? " (software)" : ""}, ${adapter.vendor} ${adapter.architecture}`,
    `driver: ${adapter.driver}${adapter.backend && `, ${adapter.backend}`}`,
    `invocations a workgroup: ${limits.maxComputeInvocationsPerWorkgroup}`,
    `workgroup memory: ${limits.maxComputeWorkgroupStorageSize} bytes`,
    `largest binding: ${limits.maxStorageBufferBindingSize} bytes; largest buffer: ${limits.maxBufferSize} bytes`,
    `subgroups: ${subgroupSize.min} to ${subgroupSize.max}; ${foundText(reported, tested)}`,
    `features: ${features.filter((name) => /subgroup|timestamp|f16/.test(name)).join(", ") || "none"}`,
    `kernels for u32 keys: ${familiesText(tested)}`,
    `kernels for u32 keys with values: ${familiesText(tested, true)}`,
    ...correctnessLines(report),
    `u32 keys per second (resident and bitonic: keys on the device, by ${gpuClock})`,
    `  ${"keys".padEnd(6)}${COLUMNS.map(({ title }) => cell(title)).join("")}`,
    ...rows,
    "With --json, this is a file to attach to an issue of gpusort: see docs/hardware.md.",
    "",
  ].join("\n");
}

function correctnessLines({ correctness }: HardwareReport): string[] {
  const { types, sizes, sorted, planned, wrong } = correctness;
  const all = sorted === planned ? "" : ` of ${formatCount(planned)}, as time ran out`;
  const what = `${types.length} types, up to ${formatCount(sizes.at(-1) ?? 0)} keys`;
  return [
    `arrays sorted: ${formatCount(sorted)}${all} (${what}); wrong: ${formatCount(wrong.length)}`,
    ...wrong.map(({ type, size, call, what }) => `  ${call} of ${formatCount(size)} ${type} keys: ${what}`),
  ];
}

/** What the test of subgroups on the device found. */
function foundText(traits: DeviceTraits, tested: DeviceTraits): string {
  if (!traits.subgroups) return "not offered by the device";
  if (traits.software) return "not used on software adapters";
  if (!tested.subgroups) return "the test sorted wrongly with them, or found none to test";
  const { min, max } = traits.subgroupSize;
  const measuredSize = tested.testedSubgroupSize;
  const size =
    measuredSize === undefined ? `${min === max ? min : `${min} to ${max}`} used` : `${measuredSize} found`;
  if (!tested.lockstep) return `${size}; lockstep not relied on`;
  return `${size}; in lockstep, ${tested.parallelProgress ? "with a" : "without a"} grid barrier`;
}
