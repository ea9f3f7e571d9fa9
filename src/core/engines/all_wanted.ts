import type { SortJob } from "./engine.js";

/**
 * @param indices whether indices are sorted.
 * @throws TypeError if a job that moves values wants only some keys; or if one that sorts indices or compares
 *   some bits wants only distinct keys.
 */
export function requireWanted({ unique, head, bits, payloadBytes }: SortJob, indices: boolean): void {
  if (unique && (indices || bits || payloadBytes)) {
    throw new TypeError("unique needs keys that are sorted by all of their bits, without values");
  }
  if (head !== undefined && payloadBytes) throw new TypeError("head needs keys or indices, without values");
}
