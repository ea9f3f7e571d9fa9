// Keys that are compared byte by byte: each byte stands for itself.

#import row_text
#import row_string

// Seven bytes of a key after the first `passed` ones, and how many these are, with 8 for more.
fn bytes_word(key: u32, start: u32, to: u32, passed: u32) -> vec2u {
  let begin = start + passed;
  if begin >= to { return vec2u(); }
  let length = to - begin;
  let high = bytes_at(begin);
  let low = bytes_at(begin + 4u);
  if length > WORD_BYTES { return vec2u((low & 0xffffff00u) | MORE_BYTES, high); }
  return vec2u((low & first_bytes(max(length, 4u) - 4u)) | length, high & first_bytes(length));
}

// The order of two keys, but for its direction: -1, 0 or 1.
fn compare_bytes(key: u32, starts_of: vec2u, ends_of: vec2u) -> i32 {
  let lengths = ends_of - starts_of;
  let both = min(lengths.x, lengths.y);
  for (var at = 0u; at < both; at += 4u) {
    let mask = first_bytes(both - at);
    let x = bytes_at(starts_of.x + at) & mask;
    let y = bytes_at(starts_of.y + at) & mask;
    if x != y { return select(1, -1, x < y); }
  }
  return i32(lengths.x > lengths.y) - i32(lengths.x < lengths.y);
}

// What two keys have in common after the first `passed` bytes, up to `most` bytes.
fn bytes_in_common(key: u32, starts_of: vec2u, ends_of: vec2u, passed: u32, most: u32) -> InCommon {
  let at = min(ends_of, starts_of + passed);
  let left = ends_of - at;
  let both = min(min(left.x, left.y), most);
  var same = 0u;
  while same + 4u <= both && bytes_at(at.x + same) == bytes_at(at.y + same) { same += 4u; }
  while same < both && byte_at(at.x + same) == byte_at(at.y + same) { same += 1u; }
  return InCommon(same, same < left.x || same < left.y);
}

#default
// No key is compared byte by byte.

#import row_string

fn bytes_word(key: u32, start: u32, to: u32, passed: u32) -> vec2u {
  return vec2u();
}

fn compare_bytes(key: u32, starts_of: vec2u, ends_of: vec2u) -> i32 {
  return 0;
}

fn bytes_in_common(key: u32, starts_of: vec2u, ends_of: vec2u, passed: u32, most: u32) -> InCommon {
  return InCommon(0u, false);
}
