// Where the keys of a row of comma-separated values are: fields that may be in quotes (RFC 4180), as in
// assembly/rows/fields.ts. A key is a whole field, or what is in its quotes. Two quotes stand for one there,
// but need not be read so: keys with all quotes doubled are in the same order, and no other field holds a
// quote.

#import row_text
#import row_order
#import byte_marks
#import byte_order
#import quote_marks

const RETURN = 13u;

// Where the content of a row ends whose terminator ends at `next`.
fn content_end(begin: u32, next: u32) -> u32 {
  let end = next - 1u;
  if end > begin && byte_at(end - 1u) == RETURN { return end - 1u; }
  return end;
}

// 0x80 in each of four bytes that lies within quotes; the first byte is in the highest bits.
//
// `inside`: whether they begin within quotes.
fn quoted_marks(bytes: u32, inside: bool) -> u32 {
  return reversed_bytes(within_quotes(reversed_bytes(marks_of(bytes, QUOTE)), inside));
}

// Where a key is in the row from `begin` to `end`.
//
// Drivers take long to compile loops, so one looks for quotes and for separators: if a field is in quotes,
// first for the closing one.
fn find_key(key: u32, begin: u32, end: u32) -> Key {
  let separator = order[SEPARATOR];
  var left = of_key(key, BEGIN_FIELD);
  var at = begin;
  var bounds = Key(begin, begin, false);
  var begins = true;
  var is_open = false;
  var is_closed = false;
  loop {
    if begins {
      begins = false;
      is_open = at < end && byte_at(at) == QUOTE;
      is_closed = false;
      at += u32(is_open);
      bounds.begin = at;
    }
    at = find_byte(at, end, select(separator, QUOTE, is_open));
    if is_open && at + 1u < end && byte_at(at + 1u) == QUOTE {
      at += 2u; // two quotes stand for one
      continue;
    }
    if !is_closed { bounds.end = at; }
    if is_open {
      is_open = false;
      is_closed = true;
      continue;
    }
    if left == 0u || at >= end { break; }
    left -= 1u;
    at += 1u;
    begins = true;
  }
  if left > 0u { return Key(end, end, begin < end); }
  return bounds;
}
