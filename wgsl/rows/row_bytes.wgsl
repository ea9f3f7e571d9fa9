// Keys that are compared byte by byte.

// Bytes in a word, and the count that says that more follow.
const WORD_BYTES = 7u;
const MORE_BYTES = 8u;

// What two keys have in common from some byte on.
struct InCommon {
  bytes: u32,
  differ: bool,  // whether one of them goes on
}

#if row_bytes/mapped
// Keys that are compared byte by byte: other bytes stand for some, and some are left out. A key has 256 words
// for that: the byte that stands for each one, or LEFT_OUT. Only bytes that are not left out are counted.

#import row_text
#import row_order

// The first place of a byte that is compared, from `at` on; `end` if it does not come before.
fn next_compared(table: u32, at: u32, end: u32) -> u32 {
  var next = at;
  while next < end && order[table + byte_at(next)] == LEFT_OUT { next += 1u; }
  return next;
}

// The place of the first byte of a key after `passed` ones.
fn after_passed(table: u32, start: u32, end: u32, passed: u32) -> u32 {
  var at = next_compared(table, start, end);
  for (var n = 0u; n < passed && at < end; n++) { at = next_compared(table, at + 1u, end); }
  return at;
}

// Seven bytes of a key after the first `passed` ones, and how many these are, with 8 for more.
fn bytes_word(key: u32, start: u32, to: u32, passed: u32) -> vec2u {
  let table = of_key(key, TABLE);
  var at = after_passed(table, start, to, passed);
  var word = vec2u();
  var n = 0u;
  for (; n < WORD_BYTES && at < to; n++) {
    word[1u - (n >> 2u)] |= order[table + byte_at(at)] << (24u - 8u * (n & 3u));
    at = next_compared(table, at + 1u, to);
  }
  word.x |= select(n, MORE_BYTES, at < to);
  return word;
}

// The order of two keys, but for its direction: -1, 0 or 1.
fn compare_bytes(key: u32, starts_of: vec2u, ends_of: vec2u) -> i32 {
  let table = of_key(key, TABLE);
  var at = vec2u(next_compared(table, starts_of.x, ends_of.x), next_compared(table, starts_of.y, ends_of.y));
  while all(at < ends_of) {
    let x = order[table + byte_at(at.x)];
    let y = order[table + byte_at(at.y)];
    if x != y { return select(1, -1, x < y); }
    at = vec2u(next_compared(table, at.x + 1u, ends_of.x), next_compared(table, at.y + 1u, ends_of.y));
  }
  return i32(at.x < ends_of.x) - i32(at.y < ends_of.y);
}

// What two keys have in common after the first `passed` bytes, up to `most` bytes.
fn bytes_in_common(key: u32, starts_of: vec2u, ends_of: vec2u, passed: u32, most: u32) -> InCommon {
  let table = of_key(key, TABLE);
  var at = vec2u(
    after_passed(table, starts_of.x, ends_of.x, passed), after_passed(table, starts_of.y, ends_of.y, passed),
  );
  var same = 0u;
  while same < most && all(at < ends_of) && order[table + byte_at(at.x)] == order[table + byte_at(at.y)] {
    at = vec2u(next_compared(table, at.x + 1u, ends_of.x), next_compared(table, at.y + 1u, ends_of.y));
    same += 1u;
  }
  return InCommon(same, any(at < ends_of));
}

#elif row_bytes/plain
// Keys that are compared byte by byte: each byte stands for itself.

#import row_text

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

#else
// No key is compared byte by byte.

fn bytes_word(key: u32, start: u32, to: u32, passed: u32) -> vec2u {
  return vec2u();
}

fn compare_bytes(key: u32, starts_of: vec2u, ends_of: vec2u) -> i32 {
  return 0;
}

fn bytes_in_common(key: u32, starts_of: vec2u, ends_of: vec2u, passed: u32, most: u32) -> InCommon {
  return InCommon(0u, false);
}

#end
