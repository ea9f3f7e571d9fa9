import { deviceCopyPlan } from "../core/plan/device_copy.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import { plainTable } from "../report/table.js";
import { formatGbPerSecond, formatPercent, threeDigits } from "../report/units.js";
import type { Experiment, Outcome, Outcomes } from "./demo.js";

const COPY = "plain copy";

/**
 * A plain copy of the words, 16 bytes at a time. Its rate is about the most that the adapter reaches, so
 * demos compare their own rate with it.
 */
export function copyExperiment(words: Uint32Array<ArrayBuffer>, traits: DeviceTraits): Experiment {
  const plan = deviceCopyPlan(16 * Math.ceil(words.length / 4), traits);
  return { name: COPY, plan, inputs: { keys: words }, timed: true };
}

/**
 * A table of the timed outcomes: their times and rates, compared with the plain copy among them.
 *
 * @param movedBytes how many bytes one run of an outcome reads and writes.
 * @param more further columns.
 * @returns the empty string if nothing was timed.
 */
export function ratesTable(
  outcomes: Outcomes,
  movedBytes: (outcome: Outcome) => number,
  more: { readonly heading: string; readonly cell: (ms: number, outcome: Outcome) => string }[] = [],
): string {
  const timed = outcomes.filter(({ timing }) => timing);
  if (timed.length === 0) return "";
  const rate = (outcome: Outcome) => movedBytes(outcome) / outcome.timing!.medianMs;
  const copy = timed.find(({ name }) => name === COPY);
  const head = ["", "median ms", "min ms", "GB/s", "of the copy", ...more.map(({ heading }) => heading)];
  const rows = timed.map((outcome) => [
    outcome.name,
    threeDigits(outcome.timing!.medianMs),
    threeDigits(outcome.timing!.minMs),
    formatGbPerSecond(movedBytes(outcome), outcome.timing!.medianMs),
    copy ? formatPercent(rate(outcome) / rate(copy)) : "",
    ...more.map(({ cell }) => (outcome === copy ? "" : cell(outcome.timing!.medianMs, outcome))),
  ]);
  return plainTable([head, ...rows], ["left", ...head.slice(1).map(() => "right" as const)]);
}
