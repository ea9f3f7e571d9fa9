/** What a benchmark times, by the names that options, files and reports use. Files call a metric a `way`. */
export const metrics = ["array", "typed", "cpu", "gpu", "round-trip", "upload", "readback"] as const;

export type Metric = (typeof metrics)[number];

/** The metrics of sorts on the CPU. They do not depend on the algorithm option, which is one of a GPU. */
const cpuMetrics: readonly Metric[] = ["array", "typed", "cpu"];

export function isOnCpu(metric: Metric): boolean {
  return cpuMetrics.includes(metric);
}

/** The benchmark's default columns, here so that --help can name them without loading the rest. */
export const columnsWithGpu = "array,typed,cpu,gpu,round-trip,array/round-trip";

/** The default without an adapter. */
export const columnsOnCpu = "array,typed,cpu,array/cpu,typed/cpu";
