import { BLOCK, encodeBlock } from "../convert";
import { compare } from "../inspect";
import { Job } from "../job";
import { sumKeys } from "./checksum";

/**
 * Compares `n` keys with their neighbours. All NaNs are equal.
 *
 * @param sumsUp whether to compute the checksum too.
 * @param scratch room for the elements of a block. The keys stay as they are.
 */
export function checkKeys<K, E>(
  keys: usize,
  n: usize,
  sumsUp: bool,
  findings: usize,
  job: Job,
  scratch: usize,
): void {
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const from = keys + at * sizeof<K>();
    if (sumsUp) sumKeys<K>(from, some, findings);
    encodeBlock<K, E>(from, scratch, some, 0, true, job);
    compare<E>(scratch, some, findings, job);
  }
}
