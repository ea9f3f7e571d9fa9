// The step of a selection after the candidates are copied: one workgroup selects among them by digits, until
// they fit a tile, which one workgroup sorts. It copies these, in the order of the input if that matters, and
// fills the rest of the tile with keys that go last. If the bound of the sample did not hold and nobody has
// counted digits since, it selects among all keys instead.

#import key
#import order
#import selection
#import digit_selection
#import selected_from/candidates
#import workgroup_scan
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant STABLE  // 1 to copy the keys in the order of the input, 0 if equal keys have equal bits
#constant PARAMS  // number of the binding

#if refined_values/index
// With each copied key goes its index in the input. Each candidate has its own beside it.

#constant VALUES  // number of the first of two bindings

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read> candidate_values: array<u32>;

fn refine_value(from_all: bool, i: u32, place: u32) {
  if from_all {
    output_values[place] = i;
  } else {
    output_values[place] = candidate_values[i];
  }
}
#elif refined_values/word
// With each copied key goes a value of one word. Each candidate has its own beside it.

#constant VALUES  // number of the first of three bindings

@group(0) @binding(VALUES) var<storage, read_write> output_values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read> candidate_values: array<u32>;
@group(0) @binding(VALUES + 2u) var<storage, read> values: array<u32>;

fn refine_value(from_all: bool, i: u32, place: u32) {
  if from_all {
    output_values[place] = values[i];
  } else {
    output_values[place] = candidate_values[i];
  }
}
#else
// Keys are copied without values.

fn refine_value(from_all: bool, i: u32, place: u32) {}
#end

struct RefineParams {
  room: u32,         // the most keys that can be selected
  bits_begin: u32,   // the bits that are compared
  bits_end: u32,
  counts_all: u32,   // 1 to select among all keys if the bound of the sample does not hold
  only_after_fallback: u32,   // 1 to do nothing if the bound of the sample holds
}

@group(0) @binding(2) var<storage, read_write> selection: Selection;
@group(0) @binding(3) var<storage, read_write> output: array<Key>;
@group(0) @binding(PARAMS) var<uniform> params: RefineParams;

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

// What to select among: 0 candidates, 1 all keys, 2 nothing; how many keys there are; how many are requested;
// bits that may differ.
var<workgroup> task: vec4u;
// The next places of keys before the prefix, and of keys that equal it.
var<workgroup> places: array<atomic<u32>, 2>;

// The end of the bits in which candidates may differ: they are not after the bound.
fn varying_end() -> u32 {
  let low = selection.prefix_low;
  let high = selection.prefix_high;
  let is_low = selection.known_high == 0u || high == 0u;
  let word = select(high, low, is_low);
  let end = select(0u, firstLeadingBit(word) + 1u, word != 0u) + select(32u, 0u, is_low);
  return clamp(end, params.bits_begin, params.bits_end);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  if invocation < 2u { atomicStore(&places[invocation], 0u); }
  if invocation == 0u {
    let all_keys = params.counts_all == 1u && selection.fell_back == 1u;
    let is_bounded = (selection.known_low | selection.known_high) != 0u && selection.fell_back == 0u;
    task = vec4u(
      select(select(0u, 2u, params.only_after_fallback == 1u), 1u, all_keys),
      select(selection.selected, selection.key_count, all_keys),
      selection.top_keys,
      select(params.bits_end, varying_end(), is_bounded),
    );
  }
  let job = workgroupUniformLoad(&task);
  if job.x == 2u { return; }
  let from_all = job.x == 1u;
  let count = job.y;
  let top_keys = job.z;

  let selected = select_by_digits(from_all, count, top_keys, params.room, params.bits_begin, job.w, invocation);
  var bits = selected.bits;
  let before = selected.before;
  let equal = selected.equal;

  let taken = select(top_keys - before, equal, before + equal <= params.room);
  let prefix = key_of(bits.low, bits.high);
  if STABLE == 0u {
    for (var first = invocation; first < count; first += LOADS * WORKGROUP_SIZE) {
      var held: array<Key, LOADS>;
      for (var k = 0u; k < LOADS; k++) {
        held[k] = source_key(from_all, min(first + k * WORKGROUP_SIZE, count - 1u));
      }
      var earlier = 0u;
      var equals = 0u;
      for (var k = 0u; k < LOADS; k++) {
        let known = masked(form_of(held[k]), bits.known_low, bits.known_high);
        let is_key = first + k * WORKGROUP_SIZE < count;
        earlier |= select(0u, 1u << k, is_key && precedes(known, prefix));
        equals |= select(0u, 1u << k, is_key && all(known == prefix));
      }
      if (earlier | equals) != 0u {
        var to = 0u;
        var to_equal = taken;
        if earlier != 0u { to = atomicAdd(&places[0], countOneBits(earlier)); }
        if equals != 0u { to_equal = atomicAdd(&places[1], countOneBits(equals)); }
        for (var k = 0u; k < LOADS; k++) {
          if ((earlier >> k) & 1u) != 0u {
            output[to] = held[k];
            to += 1u;
          } else if ((equals >> k) & 1u) != 0u {
            if to_equal < taken { output[before + to_equal] = held[k]; }
            to_equal += 1u;
          }
        }
      }
    }
  } else {
    var place = 0u;
    var rank = 0u;
    for (var tile = 0u; tile < count; tile += TILE) {
      let first = min(tile + invocation * KEYS_PER_INVOCATION, count);
      let after = min(first + KEYS_PER_INVOCATION, count);
      var own_counts = 0u;
      for (var i = first; i < after; i++) {
        let known = masked(form_of(source_key(from_all, i)), bits.known_low, bits.known_high);
        own_counts += select(select(0u, 1u << 16u, all(known == prefix)), 1u, precedes(known, prefix));
      }
      let earlier = inclusive_sum(own_counts, invocation) - own_counts;
      var to = place + (earlier & 0xffffu);
      var to_equal = rank + (earlier >> 16u);
      for (var i = first; own_counts != 0u && i < after; i++) {
        let key = source_key(from_all, i);
        let known = masked(form_of(key), bits.known_low, bits.known_high);
        if precedes(known, prefix) {
          output[to] = key;
          refine_value(from_all, i, to);
          to += 1u;
        } else if all(known == prefix) {
          if to_equal < taken {
            output[before + to_equal] = key;
            refine_value(from_all, i, before + to_equal);
          }
          to_equal += 1u;
        }
      }
      let sums = scan_sums[WORKGROUP_SIZE - 1u];
      place += sums & 0xffffu;
      rank += sums >> 16u;
      workgroupBarrier();
    }
  }
  for (var i = before + taken + invocation; i < params.room; i += WORKGROUP_SIZE) {
    output[i] = from_ordered(MAX_ORDERED);
  }

  // If no digit was counted, the bound is still that of the candidates.
  if invocation == 0u && (bits.known_low | bits.known_high) != 0u {
    // Candidates have no bits above those in which they may differ.
    for (var shift = job.w; shift < params.bits_end; shift++) {
      if shift < 32u { bits.known_low |= 1u << shift; } else { bits.known_high |= 1u << (shift - 32u); }
    }
    selection.selected = before + taken;
    selection.before = before;
    selection.equal = equal;
    selection.taken = taken;
    selection.known_low = bits.known_low;
    selection.known_high = bits.known_high;
    selection.prefix_low = bits.low;
    selection.prefix_high = bits.high;
  } else if invocation == 0u && from_all {
    selection.selected = before + taken;
    selection.before = before;
    selection.equal = equal;
    selection.taken = taken;
  }
}
