import type { Wanted } from "./engine.js";

/** @throws TypeError if a job that moves values, sorts indices or compares some bits wants only some keys. */
export function requireAllWanted({ unique, head }: Wanted): void {
  if (!unique && head === undefined) return;
  throw new TypeError("unique and head need keys that are sorted by all of their bits, without values");
}
