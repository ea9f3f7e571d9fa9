// Where the keys of a line are: fields as sort(1) counts them, as in assembly/rows/fields.ts.

#import row_text
#import row_order
#constant BLANKS  // 1 if fields begin with blanks, 0 if a byte separates them

// Passes a field, and the separator after it, if there are any. `stops`: whether not to pass a separator.
fn pass_field(start: u32, end: u32, stops: bool) -> u32 {
  if BLANKS == 1u {
    var at = skip_blanks(start, end);
    while at < end && !is_blank(byte_at(at)) { at += 1u; }
    return at;
  }
  let at = find_byte(start, end, order[SEPARATOR]);
  return at + u32(at < end && !stops);
}

// Where the content of a row ends whose terminator ends at `next`.
fn content_end(begin: u32, next: u32) -> u32 {
  return next - 1u;
}

// 0x80 in each of four bytes that lies within quotes: none, as a quote is a byte like others.
fn quoted_marks(bytes: u32, inside: bool) -> u32 {
  return 0u;
}

// Where a key is in the row from `begin` to `end`.
//
// Drivers take long to compile loops, so its begin and its end are found by the same ones: from some place on,
// fields are passed, and then blanks and bytes.
fn find_key(key: u32, begin: u32, end: u32) -> Key {
  let ending = of_key(key, ENDING);
  var bounds = Key(begin, end, false);
  var fields = of_key(key, BEGIN_FIELD);
  var blanks = of_key(key, BEGIN_BLANKS);
  var bytes = of_key(key, BEGIN_OFFSET);
  var stops = false;  // before the separator after the last field: that of an empty one must not be passed
  var at = begin;
  for (var side = 0u; side < 2u; side++) {
    while fields > 0u && at < end {
      fields -= 1u;
      at = pass_field(at, end, stops && fields == 0u);
    }
    if blanks != 0u { at = skip_blanks(at, end); }
    at = select(end, at + bytes, bytes < end - at);
    if side == 1u { break; }
    bounds.begin = at;
    if ending == ENDS_WITH_ROW { return bounds; }
    fields = 1u;
    blanks = 0u;
    bytes = 0u;
    stops = true;
    if ending == ENDS_ELSEWHERE {
      at = begin;
      fields = of_key(key, END_FIELD);
      let last = of_key(key, END_BYTES);
      stops = last == NONE;
      if stops {
        fields += 1u;
      } else {
        blanks = of_key(key, END_BLANKS);
        bytes = last;
      }
    }
  }
  bounds.end = max(at, bounds.begin);
  return bounds;
}
