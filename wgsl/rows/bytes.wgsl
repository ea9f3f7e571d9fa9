// Bytes in words of text. Byte 0 of a text is the lowest byte of its first word.

// The bytes from position `at` on, the first in the lowest bits; `word` holds that position, `next` follows.
fn shifted_bytes(word: u32, next: u32, at: u32) -> u32 {
  let shift = (at & 3u) << 3u;
  return (word >> shift) | ((next << 1u) << (31u - shift));
}

fn reversed_bytes(word: u32) -> u32 {
  let pairs = ((word & 0x00ff00ffu) << 8u) | ((word >> 8u) & 0x00ff00ffu);
  return (pairs << 16u) | (pairs >> 16u);
}

// Returns 0x80 in each byte of a word that is `byte`, and 0 in the others. No carry leaves a byte, so each mark
// is right (S. E. Anderson, "Bit Twiddling Hacks", finding a zero byte exactly).
fn marks_of(word: u32, byte: u32) -> u32 {
  let others = word ^ (byte * 0x01010101u);
  return ~(((others & 0x7f7f7f7fu) + 0x7f7f7f7fu) | others | 0x7f7f7f7fu);
}

const QUOTE = 34u;

// 0x80 in each byte of a word that follows an odd number of quotes, its own counted, and 0 in the others: these
// bytes lie within quotes. Two quotes that stand for one do not change that.
//
// `quotes`: 0x80 in each byte that is a quote, the first one in the lowest bits. `inside`: whether the word
// begins within quotes.
fn within_quotes(quotes: u32, inside: bool) -> u32 {
  let pairs = quotes ^ (quotes << 8u);
  return (pairs ^ (pairs << 16u)) ^ select(0u, 0x80808080u, inside);
}
