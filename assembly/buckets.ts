// Buckets of adjacent values, from a sample: see src/core/cpu/sort/spread.ts.

/** The bits of the prefixes that a table of buckets is for. */
const PREFIX_BITS: u32 = 18;
export const PREFIX_MASK: u32 = (1 << PREFIX_BITS) - 1;

/** Behind the buckets of the prefixes are their ends: the elements of a bucket are equal from that bit on. */
export const ENDS: usize = 2 << PREFIX_BITS;

/** Behind the ends is the number of buckets, or 0 where digits divide the elements evenly. */
const BUCKETS: usize = ENDS + (1 << 11);

/**
 * Makes a table of buckets from a sample, unless a digit divides it evenly enough.
 *
 * @param n the elements of the sample, fewer than 2^16.
 * @param bytes those of an element.
 * @param lowest the lowest bit of the prefixes.
 * @param digitBits the width of the digit, which ends where the prefixes end.
 * @param most the most elements of a digit that divides evenly.
 * @param buckets the address of the table.
 */
export function makeBuckets(
  sample: usize,
  n: u32,
  bytes: usize,
  lowest: u32,
  digitBits: u32,
  most: u32,
  buckets: usize,
): void {
  // The table counts the prefixes first. The count of a prefix is read before its bucket replaces it.
  memory.fill(buckets, 0, ENDS);
  const end = sample + <usize>n * bytes;
  for (let p = sample; p < end; p += bytes) {
    const word: u64 = bytes === 4 ? load<u32>(p) : load<u64>(p);
    const slot = buckets + ((<usize>(word >> lowest) & PREFIX_MASK) << 1);
    store<u16>(slot, load<u16>(slot) + 1);
  }
  store<u32>(buckets, 0, BUCKETS);
  if (mostOfDigit(buckets, digitBits) <= most) return;

  // Two adjacent buckets have at least `share` elements, so there are no more buckets than digits.
  const share: u32 = (2 * n) / (((<u32>1) << digitBits) - 2);
  let bucket: u32 = 0;
  let first: u32 = 0;
  let held: u32 = 0;
  for (let prefix: u32 = 0; prefix <= PREFIX_MASK; prefix++) {
    const slot = buckets + ((<usize>prefix) << 1);
    const equal: u32 = load<u16>(slot);
    if (equal > 0 && held > 0 && held + equal > share) {
      endBucket(buckets, bucket, first, prefix, lowest);
      bucket++;
      first = prefix;
      held = 0;
    }
    held += equal;
    store<u16>(slot, <u16>bucket);
  }
  endBucket(buckets, bucket, first, PREFIX_MASK + 1, lowest);
  store<u32>(buckets, bucket + 1, BUCKETS);
}

/** The most elements of a digit, which is the upper part of the prefix. */
function mostOfDigit(counts: usize, digitBits: u32): u32 {
  const perDigit: usize = 2 << (PREFIX_BITS - digitBits);
  let most: u32 = 0;
  for (let from = counts; from < counts + ENDS; from += perDigit) {
    let sum: u32 = 0;
    for (let slot = from; slot < from + perDigit; slot += 2) sum += load<u16>(slot);
    most = max<u32>(most, sum);
  }
  return most;
}

/** Says from which bit on the prefixes from `first` to `next` - 1 are equal. */
function endBucket(buckets: usize, bucket: u32, first: u32, next: u32, lowest: u32): void {
  store<u8>(buckets + bucket, <u8>(lowest + 32 - clz(first ^ (next - 1))), ENDS);
}
