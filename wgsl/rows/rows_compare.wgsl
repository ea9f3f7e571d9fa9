// One dispatch compares rows with the one before, by all keys, and adds what it finds to `totals`. An
// invocation compares one row. Where only distinct rows are kept, it also stores which ones differ from the
// one before.

#import row_text
#import row_order
#import row_fields
#import row_bytes
#import row_values
#import row_totals
#import grid
#constant WORKGROUP_SIZE
#constant MOST_STAGES  // words of a number that are compared at most

// The order of two rows of a text, by all keys.

const BEFORE = 0u;
const EQUAL = 1u;
const AFTER = 2u;
const UNKNOWN = 3u;

fn order_of(is_less: bool, key: u32) -> u32 {
  return select(AFTER, BEFORE, is_less != (flip_of(key) != 0u));
}

// Two rows are read by the same code in a loop, as drivers take long to compile it twice.
fn compare_keys(key: u32, begins: vec2u, ends: vec2u) -> u32 {
  var starts_of = vec2u();
  var ends_of = vec2u();
  for (var side = 0u; side < 2u; side++) {
    let place = find_key(key, begins[side], ends[side]);
    starts_of[side] = place.begin;
    ends_of[side] = place.end;
  }
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    let compared = compare_bytes(key, starts_of, ends_of);
    if compared == 0 { return EQUAL; }
    return order_of(compared < 0, key);
  }
  for (var stage = 0u; stage < MOST_STAGES; stage++) {
    var low = vec2u();
    var high = vec2u();
    var more = false;
    for (var side = 0u; side < 2u; side++) {
      let read = value_word(key, stage, starts_of[side], ends_of[side]);
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

struct CompareParams {
  count: u32,   // rows
  stores: u32,  // 1 to store which rows differ from the one before
}

@group(0) @binding(3) var<storage, read_write> is_distinct: array<u32>;  // 1 or 0 for each row, if stored
@group(0) @binding(4) var<storage, read_write> totals: RowTotals;
@group(0) @binding(5) var<uniform> params: CompareParams;

var<workgroup> seen: atomic<u32>;
var<workgroup> equal: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u {
    atomicStore(&seen, 0u);
    atomicStore(&equal, 0u);
  }
  workgroupBarrier();
  let row = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if row < params.count {
    var compared = BEFORE;
    if row > 0u {
      let before = starts[row - 1u];
      let begin = starts[row];
      let ends = vec2u(content_end(before, begin), content_end(begin, starts[row + 1u]));
      compared = compare_rows(vec2u(before, begin), ends);
    }
    if params.stores == 1u { is_distinct[row] = u32(compared != EQUAL); }
    atomicAdd(&seen, 1u);
    if compared == EQUAL { atomicAdd(&equal, 1u); }
    if compared == AFTER { atomicAdd(&totals.inversions, 1u); }
    if compared == UNKNOWN { atomicAdd(&totals.unknown, 1u); }
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicAdd(&totals.compared, atomicLoad(&seen));
    atomicAdd(&totals.equal, atomicLoad(&equal));
  }
}
