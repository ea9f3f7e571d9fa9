import type { Choice } from "../profile/open.js";
import { formatCount, formatDuration } from "./units.js";

/** Why the sort runs where it runs, in a few lines: `--explain`. */
export function explainText(choice: Choice, device: string): string {
  switch (choice.reason) {
    case "asked":
      return `${device}: as --device or --algorithm asks for\n`;
    case "unknown":
      return `${device}: the first adapter, as the number of keys or their type is not known beforehand\n`;
    case "no adapter":
      return `${device}: there is no adapter\n`;
    case "few keys":
      return `${device}: ${formatCount(choice.keyCount)} keys are sorted before any adapter could be opened\n`;
    case "forecast":
      return forecastText(choice, device);
    default:
      return choice satisfies never;
  }
}

function forecastText(choice: Extract<Choice, { reason: "forecast" }>, device: string): string {
  const { cpuSeconds, gpuSeconds, openSeconds, firstSeconds, adapter, crossover, path, profiledSeconds } =
    choice;
  const about = (seconds: number) => formatDuration(seconds);
  const from = crossover === undefined ? "at no number of keys" : `from ${formatCount(crossover)} keys on`;
  const made =
    profiledSeconds === undefined
      ? `is of ${choice.measuredAt.slice(0, 10)}`
      : `was made just now, in ${about(profiledSeconds)}; as the device is open by now, opening it counts no more`;
  return [
    `${device}, by the forecast:\n`,
    `  the CPU takes about ${about(cpuSeconds)}\n`,
    `  ${adapter} about ${about(gpuSeconds)}, of which opening it ${about(openSeconds)} and its first sort's kernels ${about(firstSeconds)}\n`,
    `  so the adapter pays ${from}\n`,
    `  the profile ${made}${path === undefined ? "; it could not be kept" : `: ${path}`}\n`,
  ].join("");
}
