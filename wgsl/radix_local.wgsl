// The local sort of few keys, for the subgroup family. With SEGMENTS 0, one workgroup sorts all keys. With
// SEGMENTS 1, the keys have been moved by the topmost digit, and each workgroup sorts the segment of keys with
// one value of that digit (after E. Stehle and H.-A. Jacobsen, "A memory bandwidth-efficient hybrid radix sort
// on GPUs", 2017). A workgroup sorts its tile digit by digit, least significant first, in workgroup memory. An
// invocation holds KEYS_PER_INVOCATION keys. If some segment does not fit a tile, no workgroup writes any keys,
// and `status` becomes FALLBACK, so that the fallback passes after this pass sort the keys.

#import key
#import digit
#import radix_keys
#import radix_output
#import written_keys
#import subgroup
#import tile
#import rank_counters
#import rank
#import sum_before
#import values
#import status
#constant SEGMENTS  // 1 if each workgroup sorts the keys of one value of the topmost digit
#constant WORKGROUP_SIZE
#constant SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant PARAMS    // number of the binding

@group(0) @binding(2) var<storage, read> totals: array<u32>;       // keys of each topmost digit
@group(0) @binding(3) var<storage, read_write> status: array<u32>;   // FITS or FALLBACK
@group(0) @binding(PARAMS) var<uniform> params: LocalParams;

struct LocalParams {
  key_count: u32,
  begin: u32,  // the lowest bit to sort by
  end: u32,    // one past the highest bit to sort by
}

// A range of keys.
struct Segment {
  begin: u32,
  count: u32,
}

// The number of keys of the largest segment.
var<workgroup> largest: atomic<u32>;
// The workgroup's segment.
var<workgroup> own: Segment;

// Finds the segment of the keys with a value of the topmost digit. It is empty if any segment does not fit a
// tile.
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
    if digit == 0u { status[0] = select(FALLBACK, FITS, all_fit); }
  }
  return workgroupUniformLoad(&own);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let turns = start_subgroups(invocation);
  var segment = Segment(0u, params.key_count);
  if SEGMENTS == 1u { segment = find_segment(workgroup.x, invocation); }
  if segment.count == 0u { return; }

  var keys: TileKeys;
  var values: TileWords;
  var ranks: TileWords;
  let first = first_slot(invocation);
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    keys[i] = MAX_ORDERED;
    if first + i * SUBGROUP_SIZE < segment.count {
      keys[i] = ordered_of(key_at(segment.begin + first + i * SUBGROUP_SIZE));
      values[i] = value_at(segment.begin + first + i * SUBGROUP_SIZE);
    }
  }

  for (var shift = params.begin; shift < params.end;) {
    let after = digit_end(shift, params.end);
    clear_counters(invocation);
    rank_tile(&keys, &ranks, shift, (1u << (after - shift)) - 1u, invocation, turns);
    workgroupBarrier();
    shift = after;
    if shift < params.end {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        keys[i] = slots[first + i * SUBGROUP_SIZE];
      }
      if HAS_VALUES {
        stage_values(&values, &ranks);
        workgroupBarrier();
        #unroll
        for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
          values[i] = staged_value(first + i * SUBGROUP_SIZE);
        }
      }
    }
  }

  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < segment.count { write_key(segment.begin + slot, output_of(slots[slot])); }
  }
  if HAS_VALUES {
    stage_values(&values, &ranks);
    workgroupBarrier();
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      if slot < segment.count { put_value(segment.begin + slot, staged_value(slot)); }
    }
  }
}
