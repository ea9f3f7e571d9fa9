// The text whose rows are sorted. At least 8 bytes follow it in its buffer, which may be anything.

#import bytes

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;  // where rows begin, and the end of the last one

fn byte_at(at: u32) -> u32 {
  return (text[at >> 2u] >> ((at & 3u) << 3u)) & 0xffu;
}

// The four bytes from a position on, the first one in the highest bits: their order is that of the numbers.
fn bytes_at(at: u32) -> u32 {
  return reversed_bytes(shifted_bytes(text[at >> 2u], text[(at >> 2u) + 1u], at));
}

// A mask of the first bytes of such a number.
fn first_bytes(count: u32) -> u32 {
  if count == 0u { return 0u; }
  return 0xffffffffu << (32u - 8u * min(count, 4u));
}

fn is_blank(byte: u32) -> bool {
  return byte == 32u || byte == 9u || byte == 10u;
}

fn skip_blanks(start: u32, end: u32) -> u32 {
  var at = start;
  while at < end && is_blank(byte_at(at)) { at += 1u; }
  return at;
}

// The first place of a byte from `at` on; `end` if it does not come before.
fn find_byte(at: u32, end: u32, byte: u32) -> u32 {
  if at >= end { return end; }
  var word = at >> 2u;
  var marks = marks_of(text[word], byte) & (0xffffffffu << ((at & 3u) << 3u));
  while marks == 0u {
    word += 1u;
    if (word << 2u) >= end { return end; }
    marks = marks_of(text[word], byte);
  }
  return min(end, (word << 2u) + (countTrailingZeros(marks) >> 3u));
}
