#if row_ends/plain
// Which bytes end rows, where a quote is a byte like others.

#import row_vectors

// Whether the vector `first`, the first one of an invocation, begins within quotes.
fn begins_within(chunk: u32, first: u32, invocation: u32) -> bool {
  return false;
}

fn row_ends(number: u32, inside: bool) -> RowEnds {
  return RowEnds(vector_marks(number, params.terminator), false, false);
}

#elif row_ends/quoted
// Which bytes end rows, where fields may be in quotes: those that do not lie within quotes.

#import row_vectors
#import bytes
#import workgroup_scan
#constant VECTORS
#constant QUOTE_COUNTS  // number of the binding

const RETURN = 13u;

@group(0) @binding(QUOTE_COUNTS) var<storage, read> quotes_before: array<u32>;  // each chunk

// Whether the vector `first`, the first one of an invocation, begins within quotes. All invocations of the
// workgroup must call it.
fn begins_within(chunk: u32, first: u32, invocation: u32) -> bool {
  var count = 0u;
  for (var k = 0u; k < VECTORS; k++) { count += count_marks(vector_marks(first + k, QUOTE)); }
  let before = quotes_before[chunk] + inclusive_sum(count, invocation) - count;
  workgroupBarrier(); // before another sum
  return (before & 1u) == 1u;
}

fn row_ends(number: u32, inside: bool) -> RowEnds {
  var ends = RowEnds(vector_marks(number, params.terminator), inside, false);
  if (number << 4u) >= params.bytes { return ends; }
  let quotes = vector_marks(number, QUOTE);
  var last = params.terminator;
  if number > 0u { last = text[number - 1u].w >> 24u; }
  if all(quotes == vec4u()) && last != QUOTE {
    if inside { ends.marks = vec4u(); }
    return ends;
  }
  let vector = text[number];
  var after_last = select(0u, 0x80u, last == QUOTE);
  for (var word = 0u; word < 4u; word++) {
    let within = within_quotes(quotes[word], ends.inside);
    let after_quotes = (quotes[word] << 8u) | after_last;
    let before = (vector[word] << 8u) | last;
    let begins = marks_of(before, params.separator) | marks_of(before, params.terminator) | after_quotes;
    let may_follow =
      marks_of(vector[word], params.separator) | marks_of(vector[word], params.terminator) |
      marks_of(vector[word], RETURN) | quotes[word];
    let misplaced = (quotes[word] & within & ~begins) | (after_quotes & ~within & ~may_follow);
    ends.misplaced = ends.misplaced || misplaced != 0u;
    ends.marks[word] &= ~within;
    ends.inside = within >= 0x80000000u;
    last = vector[word] >> 24u;
    after_last = quotes[word] >> 24u;
  }
  return ends;
}

#end
