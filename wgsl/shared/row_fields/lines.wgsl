// Where the keys of a line are: fields as sort(1) counts them, as in assembly/rows/fields.ts.

#import row_text
#import row_order

fn skip_field(start: u32, end: u32) -> u32 {
  var at = skip_blanks(start, end);
  while at < end && !is_blank(byte_at(at)) { at += 1u; }
  return at;
}

// Where the content of a row ends whose terminator ends at `next`.
fn content_end(begin: u32, next: u32) -> u32 {
  return next - 1u;
}

// 0x80 in each of four bytes that lies within quotes: none, as a quote is a byte like others.
fn quoted_marks(bytes: u32, inside: bool) -> u32 {
  return 0u;
}

// Where a field begins.
fn field_begin(begin: u32, end: u32, field: u32) -> u32 {
  let separator = order[SEPARATOR];
  var at = begin;
  for (var left = field; left > 0u && at < end; left--) {
    if separator == NONE {
      at = skip_field(at, end);
    } else {
      at = find_byte(at, end, separator);
      if at < end { at += 1u; }
    }
  }
  return at;
}

// Where a key ends that begins at `start`.
fn key_end(key: u32, begin: u32, end: u32, start: u32) -> u32 {
  let ending = of_key(key, ENDING);
  let separator = order[SEPARATOR];
  if ending == ENDS_WITH_ROW { return end; }
  if ending == ENDS_AT_SEPARATOR { return find_byte(start, end, separator); }
  if ending == ENDS_AT_BLANK { return skip_field(start, end); }
  var at = field_begin(begin, end, of_key(key, END_FIELD));
  let bytes = of_key(key, END_BYTES);
  if bytes == NONE {
    // Not after the separator, as that of an empty field would be passed.
    if at < end {
      if separator == NONE { at = skip_field(at, end); } else { at = find_byte(at, end, separator); }
    }
  } else {
    if of_key(key, END_BLANKS) != 0u { at = skip_blanks(at, end); }
    at = select(end, at + bytes, bytes < end - at);
  }
  return max(at, start);
}

// Where a key is in the row from `begin` to `end`.
fn find_key(key: u32, begin: u32, end: u32) -> Key {
  var at = field_begin(begin, end, of_key(key, BEGIN_FIELD));
  if of_key(key, BEGIN_BLANKS) != 0u { at = skip_blanks(at, end); }
  let offset = of_key(key, BEGIN_OFFSET);
  at = select(end, at + offset, offset < end - at);
  return Key(at, key_end(key, begin, end, at), false);
}
