/** What a benchmark times, by the names that options, files and reports use. Files call a metric a `way`. */
export const metrics = ["array", "typed", "gpu", "round-trip", "upload", "readback"] as const;

export type Metric = (typeof metrics)[number];
