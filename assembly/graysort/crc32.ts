import { RECORD_BYTES } from "./record";

// The CRC-32 of zlib, by 16 tables of 256 words ("slicing by 16"). Table i has the remainders of all bytes that
// i zero bytes follow. src/graysort/kernels.ts makes them.

/** Adds up the CRC-32s of `n` records. @param sum a double word, to which they are added. */
export function sum_crcs(records: usize, n: usize, tables: usize, sum: usize): void {
  store<u64>(sum, load<u64>(sum) + sumOfCrcs(records, n, tables));
}

export function sumOfCrcs(records: usize, n: usize, tables: usize): u64 {
  let sum: u64 = 0;
  for (const end = records + n * RECORD_BYTES; records < end; records += RECORD_BYTES) {
    sum += crcOf(records, tables);
  }
  return sum;
}

/** Bytes that one turn takes, by all tables. A record is six turns, and a word. */
const TURN: usize = 16;
const WORD_AT: usize = 96;

function crcOf(record: usize, tables: usize): u32 {
  let crc: u32 = u32.MAX_VALUE;
  for (let at: usize = 0; at < WORD_AT; at += TURN) {
    crc =
      remainders(load<u32>(record + at) ^ crc, tables, 12) ^
      remainders(load<u32>(record + at, 4), tables, 8) ^
      remainders(load<u32>(record + at, 8), tables, 4) ^
      remainders(load<u32>(record + at, 12), tables, 0);
  }
  return ~remainders(load<u32>(record, WORD_AT) ^ crc, tables, 0);
}

/** The remainder of four bytes that `zeros` zero bytes follow. */
function remainders(word: u32, tables: usize, zeros: usize): u32 {
  const table = tables + (zeros << 10);
  return (
    load<u32>(table + ((<usize>word & 255) << 2), 3 << 10) ^
    load<u32>(table + ((<usize>(word >> 8) & 255) << 2), 2 << 10) ^
    load<u32>(table + ((<usize>(word >> 16) & 255) << 2), 1 << 10) ^
    load<u32>(table + ((<usize>(word >> 24)) << 2))
  );
}
