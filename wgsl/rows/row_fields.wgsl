#if row_fields/lines
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

#elif row_fields/tables
// Where the keys of a row of comma-separated values are: fields that may be in quotes (RFC 4180), as in
// assembly/rows/fields.ts. A key is a whole field, or what is in its quotes. Two quotes stand for one there,
// but need not be read so: keys with all quotes doubled are in the same order, and no other field holds a
// quote.

#import row_text
#import row_order
#import bytes

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

#end
