import { deviceCopyPlan } from "../plan/device_copy.js";
import type { DeviceTraits } from "../plan/traits.js";
import { plainTable } from "../report/table.js";
import { formatGbPerSecond, formatMs, formatPercent } from "../report/units.js";
import type { Experiment, Outcome, Outcomes } from "./demo.js";

const COPY = "plain copy";

/** What the adapter can move at all, to hold a demo's rate against: a copy of so many words by sixteen bytes. */
export function copyExperiment(words: Uint32Array<ArrayBuffer>, traits: DeviceTraits): Experiment {
  const plan = deviceCopyPlan(16 * Math.ceil(words.length / 4), traits);
  return { name: COPY, plan, inputs: { keys: words }, timed: true };
}

/** How fast timed outcomes were, beside the copy among them, by the bytes that each reads and writes. */
export function ratesTable(
  outcomes: Outcomes,
  movedBytes: (outcome: Outcome) => number,
  more: { readonly heading: string; readonly cell: (ms: number, outcome: Outcome) => string }[] = [],
): string {
  const timed = outcomes.filter(({ timing }) => timing);
  if (timed.length === 0) return "";
  const rate = (outcome: Outcome) => movedBytes(outcome) / outcome.timing!.medianMs;
  const copy = timed.find(({ name }) => name === COPY);
  const head = ["", "median ms", "least ms", "GB/s", "of the copy", ...more.map(({ heading }) => heading)];
  const rows = timed.map((outcome) => [
    outcome.name,
    formatMs(outcome.timing!.medianMs),
    formatMs(outcome.timing!.leastMs),
    formatGbPerSecond(movedBytes(outcome), outcome.timing!.medianMs),
    copy ? formatPercent(rate(outcome) / rate(copy)) : "",
    ...more.map(({ cell }) => (outcome === copy ? "" : cell(outcome.timing!.medianMs, outcome))),
  ]);
  return plainTable([head, ...rows], ["left", ...head.slice(1).map(() => "right" as const)]);
}
