// Where the keys of a row are: as assembly/rows/fields.ts, for a text without quotes.

#import row_text
#import row_order

const RETURN = 13u;

fn is_blank(byte: u32) -> bool {
  return byte == 32u || byte == 9u || byte == 10u;
}

fn skip_blanks(start: u32, end: u32) -> u32 {
  var at = start;
  while at < end && is_blank(byte_at(at)) { at += 1u; }
  return at;
}

fn skip_field(start: u32, end: u32) -> u32 {
  var at = skip_blanks(start, end);
  while at < end && !is_blank(byte_at(at)) { at += 1u; }
  return at;
}

// Where the content of a row ends whose terminator ends at `next`.
fn content_end(begin: u32, next: u32) -> u32 {
  let end = next - 1u;
  if order[QUOTES] != 0u && end > begin && byte_at(end - 1u) == RETURN { return end - 1u; }
  return end;
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

// Where a key begins in the row from `begin` to `end`.
fn key_begin(key: u32, begin: u32, end: u32) -> u32 {
  var at = field_begin(begin, end, of_key(key, BEGIN_FIELD));
  if order[QUOTES] != 0u { return at; }
  if of_key(key, BEGIN_BLANKS) != 0u { at = skip_blanks(at, end); }
  let offset = of_key(key, BEGIN_OFFSET);
  return select(end, at + offset, offset < end - at);
}

// Where a key ends that begins at `from`.
fn key_end(key: u32, begin: u32, end: u32, start: u32) -> u32 {
  let ending = of_key(key, ENDING);
  let separator = order[SEPARATOR];
  if ending == ENDS_WITH_ROW { return end; }
  if ending == ENDS_WITH_QUOTES || ending == ENDS_AT_SEPARATOR { return find_byte(start, end, separator); }
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
