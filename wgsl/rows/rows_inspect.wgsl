// One dispatch inspects rows where they are, before or after they are sorted, and adds what it finds to
// `totals`. An invocation inspects one row: it hashes it, looks whether it ends where a row ends and nowhere
// else, and compares it with the row after it. The first row must begin where the text begins, and the last one
// end with it.

#import row_text
#import row_order
#import row_fields
#import row_words
#import byte_marks
#import mix32
#import grid
#constant WORKGROUP_SIZE
#constant MOST_STAGES  // words of a number that are compared at most

struct InspectRowParams {
  count: u32,        // rows
  bytes: u32,        // of the text
  terminator: u32,   // the byte that ends a row
  is_sorted: u32,    // 1 if rows must be in order
}

struct RowTotals {
  sum_a: atomic<u32>,
  sum_b: atomic<u32>,
  seen: atomic<u32>,        // inspected rows
  malformed: atomic<u32>,   // rows that begin or end elsewhere
  inversions: atomic<u32>,  // neighbours in the wrong order
  unknown: atomic<u32>,     // neighbours whose order takes too long to find
}

@group(0) @binding(3) var<storage, read_write> totals: RowTotals;
@group(0) @binding(4) var<uniform> params: InspectRowParams;

var<workgroup> sum_a: atomic<u32>;
var<workgroup> sum_b: atomic<u32>;
var<workgroup> seen: atomic<u32>;

const BEFORE = 0u;
const EQUAL = 1u;
const AFTER = 2u;
const UNKNOWN = 3u;

fn order_of(is_less: bool, key: u32) -> u32 {
  return select(AFTER, BEFORE, is_less != (flip_of(key) != 0u));
}

// Compares bytes with other bytes.
fn compare_bytes(key: u32, a: u32, a_end: u32, b: u32, b_end: u32) -> u32 {
  let both = min(a_end - a, b_end - b);
  for (var at = 0u; at < both; at += 4u) {
    let mask = first_bytes(both - at);
    let x = bytes_at(a + at) & mask;
    let y = bytes_at(b + at) & mask;
    if x != y { return order_of(x < y, key); }
  }
  if a_end - a == b_end - b { return EQUAL; }
  return order_of(a_end - a < b_end - b, key);
}

// Two rows are read by the same code in a loop, as drivers take long to compile it twice.
fn compare_keys(key: u32, begins: vec2u, ends: vec2u) -> u32 {
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    var starts_of = vec2u();
    var ends_of = vec2u();
    for (var side = 0u; side < 2u; side++) {
      let found = find_key(key, begins[side], ends[side]);
      starts_of[side] = found.begin;
      ends_of[side] = found.end;
    }
    return compare_bytes(key, starts_of.x, ends_of.x, starts_of.y, ends_of.y);
  }
  for (var stage = 0u; stage < MOST_STAGES; stage++) {
    var low = vec2u();
    var high = vec2u();
    var more = false;
    for (var side = 0u; side < 2u; side++) {
      let read = key_word(key, stage, 0u, begins[side], ends[side]);
      low[side] = read.word.x;
      high[side] = read.word.y;
      more = more || read.more;
    }
    if high.x != high.y { return select(AFTER, BEFORE, high.x < high.y); }
    if low.x != low.y { return select(AFTER, BEFORE, low.x < low.y); }
    if !more { return EQUAL; }
  }
  return UNKNOWN;
}

fn compare_rows(begins: vec2u, ends: vec2u) -> u32 {
  for (var key = 0u; key < key_count(); key++) {
    let compared = compare_keys(key, begins, ends);
    if compared != EQUAL { return compared; }
  }
  return EQUAL;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) size: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  if invocation == 0u {
    atomicStore(&sum_a, 0u);
    atomicStore(&sum_b, 0u);
    atomicStore(&seen, 0u);
  }
  workgroupBarrier();
  let row = linear_workgroup(workgroup, size) * WORKGROUP_SIZE + invocation;
  if row < params.count {
    let begin = starts[row];
    let next = starts[row + 1u];
    var hash_a = (next - begin) ^ 0x9e3779b9u;
    var hash_b = (next - begin) ^ 0x7f4a7c15u;
    var ends = 0u;
    var inside = false;
    for (var at = begin; at < next; at += 4u) {
      var bytes = bytes_at(at);
      let left = next - at;
      var marks = marks_of(bytes, params.terminator);
      if left < 4u {
        bytes &= first_bytes(left);
        marks &= first_bytes(left);
      }
      let quoted = quoted_marks(bytes, inside);
      marks &= ~quoted;
      inside = (quoted & 0x80u) != 0u;
      ends += countOneBits(marks);
      hash_a = mix32(hash_a ^ bytes);
      hash_b = mix32(hash_b + bytes);
    }
    let is_whole = next > begin && ends == 1u && !inside && byte_at(next - 1u) == params.terminator;
    let is_first = row == 0u;
    let is_last = row + 1u == params.count;
    if !is_whole || (is_first && begin != 0u) || (is_last && next != params.bytes) {
      atomicAdd(&totals.malformed, 1u);
    }
    atomicAdd(&sum_a, hash_a);
    atomicAdd(&sum_b, hash_b);
    atomicAdd(&seen, 1u);
    if params.is_sorted == 1u && !is_last {
      let after = starts[row + 2u];
      let ends_of = vec2u(content_end(begin, next), content_end(next, after));
      let compared = compare_rows(vec2u(begin, next), ends_of);
      if compared == AFTER { atomicAdd(&totals.inversions, 1u); }
      if compared == UNKNOWN { atomicAdd(&totals.unknown, 1u); }
    }
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicAdd(&totals.sum_a, atomicLoad(&sum_a));
    atomicAdd(&totals.sum_b, atomicLoad(&sum_b));
    atomicAdd(&totals.seen, atomicLoad(&seen));
  }
}
