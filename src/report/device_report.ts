import type { DeviceTraits } from "../core/plan/traits.js";
import type { AdapterSummary } from "../dawn/adapter_summary.js";
import { familiesText } from "./kernel_families.js";
import { formatPerSecond, formatPowerOfTwo } from "./units.js";

/** What a report of a device was measured from: milliseconds, undefined where nothing was measured. */
export interface MeasuredSize {
  readonly keyCount: number;
  /** Of keys that stay on the device. */
  readonly residentMs: number | undefined;
  /** Of a typed array of keys, with the way to the device and back, and the check. */
  readonly keysMs: number | undefined;
  /** Of such keys with values of a word. */
  readonly pairsMs: number | undefined;
}

/** What a report says. */
export interface DeviceReport {
  readonly versions: string;
  readonly adapter: AdapterSummary;
  /** The traits that the device reports, and those that the test on the device confirmed. */
  readonly traits: DeviceTraits;
  readonly tested: DeviceTraits;
  readonly gpuClock: string;
  readonly measured: readonly MeasuredSize[];
}

/** A report of a device as text to paste into an issue. It names no file, user or machine. */
export function deviceReportText(report: DeviceReport): string {
  const { versions, adapter, traits, tested, gpuClock, measured } = report;
  const { limits, subgroupSize, software } = adapter;
  const keys = (keyCount: number, ms: number | undefined) =>
    (ms === undefined ? "-" : formatPerSecond(keyCount, ms)).padStart(14);
  const rows = measured.map(
    ({ keyCount, residentMs, keysMs, pairsMs }) =>
      `  ${formatPowerOfTwo(keyCount).padEnd(6)}${keys(keyCount, residentMs)}${keys(keyCount, keysMs)}${keys(keyCount, pairsMs)}`,
  );
  return [
    `gpusort report: ${versions}`,
    `adapter: ${adapter.name}${software ? " (software)" : ""}, ${adapter.vendor} ${adapter.architecture}`,
    `driver: ${adapter.driver}${adapter.backend && `, ${adapter.backend}`}`,
    `invocations a workgroup: ${limits.maxComputeInvocationsPerWorkgroup}`,
    `workgroup memory: ${limits.maxComputeWorkgroupStorageSize} bytes`,
    `largest binding: ${limits.maxStorageBufferBindingSize} bytes; largest buffer: ${limits.maxBufferSize} bytes`,
    `subgroups: ${subgroupSize.min} to ${subgroupSize.max}; ${foundText(traits, tested)}`,
    `features: ${adapter.features.filter((name) => /subgroup|timestamp|f16/.test(name)).join(", ") || "none"}`,
    `kernels for u32 keys: ${familiesText(tested)}`,
    `kernels for u32 keys with values: ${familiesText(tested, true)}`,
    `keys per second, checked against the input (resident: by ${gpuClock})`,
    `  ${"keys".padEnd(6)}${"u32, resident".padStart(14)}${"u32".padStart(14)}${"u32 + value".padStart(14)}`,
    ...rows,
    "Please paste this into an issue of gpusort, with the name of the computer's model if you like.",
    "docs/hardware.md tells what is done with it.",
    "",
  ].join("\n");
}

/** What the test of subgroups on the device found. */
function foundText(traits: DeviceTraits, tested: DeviceTraits): string {
  if (!traits.subgroups) return "not offered by the device";
  if (traits.software) return "not used on software adapters";
  if (!tested.subgroups) return "the test sorted wrongly with them, or found none to test";
  const { min, max } = traits.subgroupSize;
  const found = tested.foundSubgroupSize;
  const size = found === undefined ? `${min === max ? min : `${min} to ${max}`} used` : `${found} found`;
  return `${size}; ${tested.lockstep ? "in lockstep" : "lockstep not relied on"}`;
}
