/** What is timed, by the names that options, files and reports use. */
export const ways = ["array", "typed", "gpu", "round-trip", "upload", "readback"] as const;

export type Way = (typeof ways)[number];
