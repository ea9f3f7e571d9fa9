// Reads four bytes from any position of a text, of which byte 0 is the lowest byte of the first word.

// The bytes from position `at` on, the first in the lowest bits; `word` holds that position, `next` follows.
fn shifted_bytes(word: u32, next: u32, at: u32) -> u32 {
  let shift = (at & 3u) << 3u;
  return (word >> shift) | ((next << 1u) << (31u - shift));
}

fn reversed_bytes(word: u32) -> u32 {
  let pairs = ((word & 0x00ff00ffu) << 8u) | ((word >> 8u) & 0x00ff00ffu);
  return (pairs << 16u) | (pairs >> 16u);
}
