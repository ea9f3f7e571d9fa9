// Sorts what fits one workgroup, digit by digit, without leaving it: all keys, or, after one pass by the topmost digit,
// each digit's keys, a workgroup each. In the latter case nothing is written unless every digit's keys fit, and `fits`
// tells the passes that follow. src/twins/radix.ts has its twin.
//
// Uses a key, its order, digit, radix, lanes32 or lanes64, rank with what it needs, and one of the values modules. Constants: those of rank, and SEGMENTS (1 for a workgroup a digit), PARAMS (the binding of the parameters).

@group(0) @binding(0) var<storage, read> input: array<Stored>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(2) var<storage, read> totals: array<u32>;       // keys of each digit
@group(0) @binding(3) var<storage, read_write> fits: array<u32>;   // 1 or 0
@group(0) @binding(PARAMS) var<uniform> params: LocalParams;

struct LocalParams {
  key_count: u32,
  begin: u32,       // the lowest bit to sort by
  end: u32,         // the bit after the highest
  input_begin: u32, // 0
}

struct Segment {
  begin: u32,
  count: u32,
}

var<workgroup> largest: atomic<u32>;
var<workgroup> own: Segment;

// The keys of the workgroup's digit; none of them where some digit's do not fit.
fn find_segment(digit: u32, invocation: u32) -> Segment {
  if invocation == 0u { atomicStore(&largest, 0u); }
  var total = 0u;
  if invocation < DIGITS { total = totals[invocation]; }
  let begin = sum_before(total, invocation);
  atomicMax(&largest, total);
  workgroupBarrier();
  if invocation == digit {
    let all_fit = atomicLoad(&largest) <= TILE;
    own = Segment(begin, select(0u, total, all_fit));
    if digit == 0u { fits[0] = select(0u, 1u, all_fit); }
  }
  return workgroupUniformLoad(&own);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  var segment = Segment(0u, params.key_count);
  if SEGMENTS == 1u { segment = find_segment(workgroup.x, invocation); }
  if segment.count == 0u { return; }

  var keys: TileKeys;
  var values: TileWords;
  var ranks: TileWords;
  let first = first_slot(invocation);
  for (var i = 0u; i < TILE_KEYS; i++) { // unroll
    keys[i] = MAX_ORDERED;
    if first + i * SUBGROUP_SIZE < segment.count {
      keys[i] = image_of(key_at(segment.begin + first + i * SUBGROUP_SIZE));
      values[i] = value_at(segment.begin + first + i * SUBGROUP_SIZE);
    }
  }

  for (var shift = params.begin; shift < params.end;) {
    // No digit lies across two words.
    let limit = select(params.end, 32u, shift < 32u && params.end > 32u);
    let after = min(shift + DIGIT_BITS, limit);
    clear_counters(invocation);
    rank_tile(&keys, &ranks, shift, (1u << (after - shift)) - 1u, invocation);
    workgroupBarrier();
    shift = after;
    if shift < params.end {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        keys[i] = slots[first + i * SUBGROUP_SIZE];
      }
      if HAS_VALUES {
        stage_values(&values, &ranks);
        workgroupBarrier();
        for (var i = 0u; i < TILE_KEYS; i++) { // unroll
          values[i] = staged_value(first + i * SUBGROUP_SIZE);
        }
      }
    }
  }

  for (var i = 0u; i < TILE_KEYS; i++) { // unroll
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < segment.count { output[segment.begin + slot] = key_of(slots[slot]); }
  }
  if HAS_VALUES {
    stage_values(&values, &ranks);
    workgroupBarrier();
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      let slot = invocation + i * WORKGROUP_SIZE;
      if slot < segment.count { put_value(segment.begin + slot, staged_value(slot)); }
    }
  }
}
