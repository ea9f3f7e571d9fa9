/** The values of wgsl/shared/status.wgsl, by which a sort by the most significant digit first goes on. */
export const Status = {
  FALLBACK: 0,
  FITS: 1,
  LOW_CARDINALITY: 2,
  REMAPPED: 3,
  DECIMALS: 4,
  EQUAL_SEGMENTS: 5,
} as const;

/** Whether the passes of that sort move keys. */
export const movesKeys = (status: number) => (status & Status.FITS) !== 0;
