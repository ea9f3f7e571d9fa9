/** Reads a monotonic clock, in milliseconds. Tests pass a clock of their own. */
export type Now = () => number;
