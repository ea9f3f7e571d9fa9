// Words of strings: seven bytes, and how many these are.

/** Bytes in a word, and the count that says that more follow. */
export const WORD_BYTES: u32 = 7;
export const MORE_BYTES: u64 = 8;

/** The first word of bytes that stand for themselves. */
export function plainWord(from: usize, to: usize): u64 {
  const length = to - from;
  const word = bswap<u64>(load<u64>(from));
  if (length > WORD_BYTES) return (word & ~(<u64>0xff)) | MORE_BYTES;
  return length === 0 ? 0 : (word & ((<u64>-1) << (64 - 8 * <u64>length))) | <u64>length;
}

/** Whether one of the eight bytes is a quote. It may say so for other bytes too. */
export function hasQuote(word: u64): bool {
  const others = word ^ 0x2222222222222222;
  return ((others - 0x0101010101010101) & ~others & 0x8080808080808080) !== 0;
}

/** The word of `n` bytes, which are the lowest ones of `bytes`. */
export function finishedWord(bytes: u64, n: u32, more: bool): u64 {
  if (n === 0) return 0;
  return (bytes << (64 - 8 * <u64>n)) | (more ? MORE_BYTES : <u64>n);
}
