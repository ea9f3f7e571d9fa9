import type { Metric } from "../bench/metric.js";
import type { Crossover, CrossoverPoint } from "../bench/schema.js";
import { payloadText } from "./columns.js";
import { formatCount, formatPowerOfTwo } from "./units.js";

/** What a metric times, in plots and sentences. */
export const metricLabels: Record<Metric, string> = {
  array: "Array.prototype.sort",
  typed: "TypedArray.prototype.sort",
  cpu: "gpusort on the CPU",
  gpu: "GPU, sort alone",
  "round-trip": "GPU, with upload and readback",
  upload: "upload",
  readback: "readback",
};

const axes = ["task", "type", "distribution", "payloadBytes", "algorithm"] as const;

/** The crossovers of each series and metric. The first one is with the best sort on the CPU. */
export function bySeries(crossovers: readonly Crossover[]): (readonly [Crossover, ...Crossover[]])[] {
  const groups = new Map<string, [Crossover, ...Crossover[]]>();
  for (const one of crossovers) {
    const key = JSON.stringify([...axes.map((axis) => one[axis]), one.way]);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}

/** Says from how many keys the GPU beats the sorts on the CPU, one line for each series and metric. */
export function crossoverLines(crossovers: readonly Crossover[], device: string): string[] {
  return bySeries(crossovers).map(([best, ...others]) => {
    const of = axes
      .filter((axis) => new Set(crossovers.map((one) => one[axis])).size > 1)
      .map((axis) => (axis === "payloadBytes" ? `payload ${payloadText(best[axis])}` : best[axis]));
    const prefix = of.length > 0 ? `${of.join(", ")}: ` : "";
    const what = best.way === "gpu" ? "for the sort alone" : "with upload and readback";
    const more = others.map(({ from, against }) => ` It ${brief(from, metricLabels[against])}.`).join("");
    return `${prefix}${device} ${verdict(best.from, metricLabels[best.against])}, ${what}.${more}\n`;
  });
}

function verdict(from: CrossoverPoint, opponent: string): string {
  switch (from.kind) {
    case "never":
      return `does not beat ${opponent} at the largest measured size`;
    case "always":
      return `beats ${opponent} at every measured size, from ${formatPowerOfTwo(from.keyCount)} keys`;
    case "between":
      return [
        `beats ${opponent} from about ${roundedCount(from.keyCount)} keys`,
        `(${formatCount(from.low)} to ${formatCount(from.high)})`,
      ].join(" ");
    default:
      return from satisfies never;
  }
}

/** The verdict in few words. */
function brief(from: CrossoverPoint, opponent: string): string {
  switch (from.kind) {
    case "never":
      return `does not beat ${opponent}`;
    case "always":
      return `always beats ${opponent}`;
    case "between":
      return `beats ${opponent} from about ${roundedCount(from.keyCount)}`;
    default:
      return from satisfies never;
  }
}

/** A number of keys, as precisely as a crossover is known. */
export function roundedCount(keyCount: number): string {
  return formatCount(Number(keyCount.toPrecision(3)));
}
