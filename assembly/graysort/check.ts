import { addChecksum, addNeighbours } from "../inspect";
import { sumOfCrcs } from "./crc32";
import { RECORD_BYTES } from "./record";

/** Records that are compared, and summed up while they are in the cache. */
const BLOCK: usize = 160;

/**
 * Compares the keys of `n` records with their neighbours, and adds up the records' CRC-32s.
 *
 * @param sumsUp whether to add them up.
 * @param findings a row of zeros at first. Their checksum becomes the sum: its lower and its upper word.
 * @param tables those of crc32.ts.
 */
export function check(records: usize, n: usize, sumsUp: bool, findings: usize, tables: usize): void {
  let sum: u64 = 0;
  let inversions: u32 = 0;
  let equal: u32 = 0;
  for (let at: usize = 0; at < n; at += BLOCK) {
    const stop = min<usize>(at + BLOCK, n);
    for (let i = at; i < stop && i + 1 < n; i++) {
      const key = records + i * RECORD_BYTES;
      const upper = bswap<u64>(load<u64>(key));
      const next = bswap<u64>(load<u64>(key, RECORD_BYTES));
      if (upper < next) continue;
      const difference =
        <i32>bswap<u16>(load<u16>(key, 8)) - <i32>bswap<u16>(load<u16>(key, RECORD_BYTES + 8));
      if (upper > next || difference > 0) inversions++;
      else if (difference === 0) equal++;
    }
    if (sumsUp) sum += sumOfCrcs(records + at * RECORD_BYTES, stop - at, tables);
  }
  addNeighbours(inversions, equal, findings);
  addChecksum(<u32>sum, <u32>(sum >> 32), findings);
}
