import { firstRecord, makeNumbers, NUMBER_BYTES } from "./generator";
import { RECORD_BYTES } from "./record";

/** Record i consists of the first ten bytes of the random numbers i to i + 9. */
const PART_BYTES: usize = 10;
const OTHERS: usize = 9;

/** Records that are made at a time: their random numbers stay in the cache. */
const BLOCK: usize = 512;

/**
 * Makes `n` binary records.
 *
 * @param start where they begin: see generator.ts. It moves on.
 * @param masks 16 bytes for each part of a record, of which ten are XORed with the part.
 * @param prefixes what skewed keys begin with, as the upper 48 bits of a word, by the bits of the record's
 *   number; 0 if no keys are skewed.
 * @param scratch room for random numbers.
 */
export function binary(
  to: usize,
  n: usize,
  start: usize,
  masks: usize,
  prefixes: usize,
  scratch: usize,
): void {
  let number = firstRecord(start);
  makeNumbers(start, scratch, OTHERS);
  for (let made: usize = 0; made < n; made += BLOCK) {
    const some = min<usize>(BLOCK, n - made);
    makeNumbers(start, scratch + OTHERS * NUMBER_BYTES, some);
    for (let i: usize = 0; i < some; i++) {
      const numbers = scratch + i * NUMBER_BYTES;
      putParts(to, numbers, masks);
      if (prefixes !== 0) skew(to, numbers, number, prefixes);
      to += RECORD_BYTES;
      number++;
    }
    memory.copy(scratch, scratch + some * NUMBER_BYTES, OTHERS * NUMBER_BYTES);
  }
}

/** Writes the parts from the first on, each with six bytes too many, which the next part replaces. */
function putParts(to: usize, numbers: usize, masks: usize): void {
  for (let part: usize = 0; part < OTHERS; part++) {
    const bytes = v128.xor(v128.load(numbers + part * NUMBER_BYTES), v128.load(masks + part * NUMBER_BYTES));
    v128.store(to + part * PART_BYTES, bytes);
  }
  const last = numbers + OTHERS * NUMBER_BYTES;
  const mask = masks + OTHERS * NUMBER_BYTES;
  store<u64>(to, load<u64>(last) ^ load<u64>(mask), OTHERS * PART_BYTES);
  store<u16>(to, load<u16>(last, 8) ^ load<u16>(mask, 8), OTHERS * PART_BYTES + 8);
}

/** The most bits that a skewed key begins with. */
const MOST_BITS: u32 = 48;

/** Replaces the first bits of a key: as many as six bits of its random number say, but not more than 48. */
function skew(key: usize, random: usize, number: u64, prefixes: usize): void {
  const bits: u32 = load<u8>(random, 11) & 63;
  if (bits === 0 || bits > MOST_BITS) return;
  const prefix = load<u64>(prefixes + (64 - <usize>clz<u64>(number)) * 8);
  const rest = u64.MAX_VALUE >> bits;
  store<u64>(key, bswap<u64>((prefix & ~rest) | (bswap<u64>(load<u64>(key)) & rest)));
}
