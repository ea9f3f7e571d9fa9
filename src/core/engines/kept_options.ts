import type { SortJob } from "./engine.js";

/**
 * @param indices whether indices are sorted.
 * @param counts whether there is a sink for counts.
 * @throws TypeError if a job that moves values keeps only some keys; if one that sorts indices or compares
 *   some bits keeps only distinct keys; or if it asks for counts without a sink for them, or has such a sink
 *   and does not ask for them.
 */
export function requireKeptOptions(
  { unique, head, bits, payloadBytes }: SortJob,
  indices: boolean,
  counts: boolean,
): void {
  if (counts !== (unique === "counts"))
    throw new TypeError(`a sink for counts is for unique: "counts", which needs one`);
  if (unique && (indices || bits || payloadBytes)) {
    throw new TypeError("unique needs keys that are sorted by all of their bits, without values");
  }
  if (head !== undefined && payloadBytes) throw new TypeError("head needs keys or indices, without values");
}
