/**
 * The time in milliseconds after which a process or a page is taken to hang: so long that one that works never
 * reaches it, not even on a machine at a load of 30.
 */
export const HANG_MS = 1_200_000;
