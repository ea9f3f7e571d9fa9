import { printableLines } from "../core/printable.js";
import type { SortDecision } from "../external/sort_options.js";
import type { Strategy } from "../external/strategy.js";
import type { DeviceChoice } from "../profile/open.js";
import { formatCount, formatDuration } from "./units.js";

/**
 * The text of `--explain`: why the sort runs on this device, and how it is done, in a few lines. A notice that
 * there is no adapter is printed anyway, so the text does not say it again.
 */
export function explainText({ device, deviceChoice, notice, strategy }: SortDecision): string {
  const told = notice !== undefined && ["no adapter", "unknown"].includes(deviceChoice.reason);
  return printableLines(`${told ? "" : deviceText(deviceChoice, device)}${strategyText(strategy)}\n`);
}

function deviceText(choice: DeviceChoice, device: string): string {
  switch (choice.reason) {
    case "asked":
      return `${device}: chosen by --device or --algorithm\n`;
    case "unknown":
      return `${device}: the first adapter, because the number or type of keys is unknown before the sort\n`;
    case "no adapter":
      return `${device}: no adapter was opened\n`;
    case "few keys":
      return [
        `${device}: it sorts ${formatCount(choice.keyCount)} keys `,
        "faster than an adapter can be opened\n",
      ].join("");
    case "forecast":
      return forecastText(choice, device);
    default:
      return choice satisfies never;
  }
}

function strategyText(strategy: Strategy): string {
  const count = formatCount;
  switch (strategy.kind) {
    case "at once":
      return `all ${count(strategy.itemCount)} items at once: they fit in memory`;
    case "indices at once":
      return `the indices of all ${count(strategy.itemCount)} keys at once: they fit in memory`;
    case "top k":
      return `one pass over all items, which keeps the first ${count(strategy.count)}`;
    case "out of core":
      return `out of core, in chunks of ${count(strategy.chunkItems)} items`;
    case "merge":
      return [
        `a merge of ${count(strategy.runs)} sorted inputs, `,
        `in buckets of ${count(strategy.chunkItems)} items`,
      ].join("");
    default:
      return strategy satisfies never;
  }
}

function forecastText(choice: Extract<DeviceChoice, { reason: "forecast" }>, device: string): string {
  const { cpuSeconds, gpuSeconds, openSeconds, firstSeconds, adapter, crossover, path, profiledSeconds } =
    choice;
  const about = (seconds: number) => formatDuration(seconds);
  const from = crossover === undefined ? "never faster" : `faster from ${formatCount(crossover)} keys on`;
  const measured =
    profiledSeconds === undefined
      ? `was measured on ${choice.measuredAt.slice(0, 10)}`
      : `was measured just now, in ${about(profiledSeconds)}`;
  const kept = path === undefined ? ", but it could not be saved" : `: ${path}`;
  const isOpen =
    profiledSeconds === undefined ? "" : "  the adapter is already open, so opening it no longer counts\n";
  return [
    `${device}, by the forecast:\n`,
    `  the CPU takes about ${about(cpuSeconds)}\n`,
    `  ${adapter} takes about ${about(gpuSeconds)},\n`,
    `    which includes ${about(openSeconds)} to open it and ${about(firstSeconds)} to compile its kernels\n`,
    `  so the adapter is ${from}\n`,
    `  the profile ${measured}${kept}\n`,
    isOpen,
  ].join("");
}
