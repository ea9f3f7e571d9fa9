import { addNeighbours } from "../inspect";
import { sumRecords } from "./checksum";
import { compareRecords, FIELD_BYTES } from "./fields";

// What all calls have in common, as words. src/core/cpu/check.ts writes them.
const BYTES: usize = 0; // of a record
const DESCENDING: usize = 4;
const FIELDS: usize = 8; // their number
const FIRST_FIELD: usize = 12;

/**
 * Records that are compared, and summed up while they are in the cache: at least one, in about this number of
 * bytes.
 */
const BLOCK_BYTES: usize = 1 << 14;

/**
 * Compares `n` records with their neighbours.
 *
 * @param sumsUp whether to compute the checksum too.
 */
export function checkRecords(records: usize, n: usize, sumsUp: bool, findings: usize, job: usize): void {
  const bytes: usize = load<u32>(job, BYTES);
  const fields = job + FIRST_FIELD;
  const end = fields + <usize>load<u32>(job, FIELDS) * FIELD_BYTES;
  const wrong = load<u32>(job, DESCENDING) !== 0 ? -1 : 1;
  const block = max<usize>(1, BLOCK_BYTES / bytes);
  let inversions: u32 = 0;
  let equal: u32 = 0;
  for (let at: usize = 0; at < n; at += block) {
    const stop = min<usize>(at + block, n);
    for (let i = at; i < stop && i + 1 < n; i++) {
      const record = records + i * bytes;
      const difference = compareRecords(record, record + bytes, fields, end);
      if (difference === wrong) inversions++;
      else if (difference === 0) equal++;
    }
    if (sumsUp) sumRecords(records + at * bytes, stop - at, bytes, findings);
  }
  addNeighbours(inversions, equal, findings);
}
