// Selects the first keys of segments. A workgroup selects those of a segment, or of a part of a long one;
// another dispatch then selects among what is selected of all parts of a segment, which lies in a row. It
// counts the keys by digits, from the most significant one down, until those that may be among the first k
// fit its memory, and sorts these there. If more are requested than fit, it copies them in the input's order.

#import key
#import order
#import compared
#import grid
#import digit_choice
#import digit_selection
#import selected_from/segment
#import workgroup_scan
#import first_source
#import first_slots
#import moved_values
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION  // of a tile that is copied in the order of the input
#constant ROOM    // keys that fit the memory; at least `top` if SORTS
#constant SORTS   // 1 to sort the selected keys, 0 to copy them in the order of the input
#constant PARAMS  // number of the binding

struct FirstParams {
  key_count: u32,   // all keys, or the most that there may be
  segments: u32,
  top: u32,         // the most keys that are selected of a segment
  bits_begin: u32,  // the bits that are compared
  bits_end: u32,
  count_at: u32,    // the word of the count that the device knows
  cut: u32,         // the most parts of a segment
  least_part: u32,  // no part but the last has fewer keys; at least `top`
  parts: u32,       // as `cut` if parts are selected from, 1 if segments are
  joins: u32,       // 1 to select among what is selected of all parts
}

@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(PARAMS) var<uniform> params: FirstParams;

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

var<workgroup> filled: atomic<u32>;

// The keys to select from: the first one, and how many there are.
fn range_of(segment: u32, part: u32) -> vec2u {
  let whole = segment_of(segment, params.key_count, params.count_at);
  let length = whole.y - whole.x;
  let piece = max(params.least_part, (length + params.cut - 1u) / params.cut);
  if params.joins == 1u {
    let selected = length / piece * params.top + min(length % piece, params.top);
    return vec2u(segment * params.cut * params.top, selected);
  }
  if params.parts == 1u { return vec2u(whole.x, length); }
  let begin = min(part * piece, length);
  return vec2u(whole.x + begin, min(piece, length - begin));
}

// The bits of a key that are compared, as far as they are known of the k-th key.
fn known_of(ordered: Key, bits: ChosenBits) -> Key {
  return masked(compared(ordered), bits.known_low, bits.known_high);
}

// Stores a selected key of the input, or keeps it to be sorted.
fn put_key(key: Key, origin: u32, slot: u32, place: u32) {
  if SORTS == 1u {
    put_slot(slot, to_ordered(key), origin);
  } else {
    output[place + slot] = key;
    move_value(origin, origin, place + slot);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let number = linear_workgroup(grid);
  let segment = number / params.parts;
  if segment >= params.segments { return; }
  let range = range_of(segment, number % params.parts);
  let begin = range.x;
  let count = range.y;
  let to = place_of(segment, number, params.top, count);
  let top_keys = to.y;
  if top_keys == 0u {
    if invocation == 0u { tell_selected(count, 0u, Key(), 0u, 0u); }
    return;
  }

  let limit = select(top_keys, ROOM, SORTS == 1u);
  let selected = select_by_digits(begin, count, top_keys, limit, params.bits_begin, params.bits_end, invocation);
  let bits = selected.bits;
  let before = selected.before;
  let equal = selected.equal;

  let is_room = before + equal <= limit;
  let taken = select(top_keys - before, equal, is_room);
  let prefix = key_of(bits.low, bits.high);
  if SORTS == 1u && is_room {
    if invocation == 0u { atomicStore(&filled, 0u); }
    workgroupBarrier();
    for (var first = invocation; first < count; first += LOADS * WORKGROUP_SIZE) {
      var held: array<Key, LOADS>;
      for (var k = 0u; k < LOADS; k++) {
        held[k] = source_key(begin, min(first + k * WORKGROUP_SIZE, count - 1u));
      }
      for (var k = 0u; k < LOADS; k++) {
        let at = first + k * WORKGROUP_SIZE;
        let ordered = to_ordered(held[k]);
        if at < count && !precedes(prefix, known_of(ordered, bits)) {
          put_slot(atomicAdd(&filled, 1u), ordered, begin + at);
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
        let known = known_of(to_ordered(source_key(begin, i)), bits);
        own_counts += select(select(0u, 1u << 16u, all(known == prefix)), 1u, precedes(known, prefix));
      }
      let earlier = inclusive_sum(own_counts, invocation) - own_counts;
      var slot = place + (earlier & 0xffffu);
      var equal_rank = rank + (earlier >> 16u);
      for (var i = first; own_counts != 0u && i < after; i++) {
        let key = source_key(begin, i);
        let known = known_of(to_ordered(key), bits);
        if precedes(known, prefix) {
          put_key(key, begin + i, slot, to.x);
          slot += 1u;
        } else if all(known == prefix) {
          if equal_rank < taken { put_key(key, begin + i, before + equal_rank, to.x); }
          equal_rank += 1u;
        }
      }
      let sums = scan_sums[WORKGROUP_SIZE - 1u];
      place += sums & 0xffffu;
      rank += sums >> 16u;
      workgroupBarrier();
    }
  }
  if SORTS == 0u { return; }

  let field_low = field_word(params.bits_begin, params.bits_end, 0u);
  let field_high = field_word(params.bits_begin, params.bits_end, 32u);
  sort_slots(before + taken, field_low, field_high, invocation);
  for (var i = invocation; i < top_keys; i += WORKGROUP_SIZE) {
    output[to.x + i] = from_ordered(slots[i]);
    move_value(origin_of(i), origin_of(i), to.x + i);
  }
  if invocation == 0u {
    let last = masked(compared(slots[top_keys - 1u]), field_low, field_high);
    tell_selected(count, top_keys, last, field_low, field_high);
  }
}
