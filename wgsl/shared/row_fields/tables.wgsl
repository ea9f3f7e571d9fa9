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

// The quote that ends what begins at `start`; the end of the row if there is none.
fn closing_quote(start: u32, end: u32) -> u32 {
  var at = find_byte(start, end, QUOTE);
  while at + 1u < end && byte_at(at + 1u) == QUOTE { at = find_byte(at + 2u, end, QUOTE); }
  return at;
}

// Where a key is in the row from `begin` to `end`.
fn find_key(key: u32, begin: u32, end: u32) -> Key {
  var left = of_key(key, BEGIN_FIELD);
  var at = begin;
  var found = Key(begin, begin, false);
  var goes_on = true;
  while goes_on {
    let is_quoted = at < end && byte_at(at) == QUOTE;
    if is_quoted {
      found.begin = at + 1u;
      found.end = closing_quote(at + 1u, end);
      at = find_byte(found.end, end, order[SEPARATOR]);
    } else {
      found.begin = at;
      at = find_byte(at, end, order[SEPARATOR]);
      found.end = at;
    }
    goes_on = left > 0u && at < end;
    if goes_on {
      left -= 1u;
      at += 1u;
    }
  }
  if left > 0u { return Key(end, end, begin < end); }
  return found;
}
