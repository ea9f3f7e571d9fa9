// Sorts segments in the registers of neighbouring lanes, on devices whose subgroups have a fixed size.
//
// A lane holds KEYS_PER_INVOCATION neighbouring items, and 2^c lanes share a segment of class c, the least that
// can. So a subgroup sorts SUBGROUP_SIZE / 2^c segments of a class at once. Each lane sorts its own items by a
// network; then level after level merges two runs of lanes to one: it compares each item of the left run with
// its mirror image in the right one, and then items that are fewer and fewer lanes and registers apart. The
// segments of a tile are listed by their classes first, as each subgroup looks for segments of the same class.

#import segments_item
#import segments_tile
#import segments_heads
#import network
#enable subgroups
#constant WORKGROUP_SIZE       // a multiple of SUBGROUP_SIZE
#constant SUBGROUP_SIZE
#constant SHORT_KEYS           // at most KEYS_PER_INVOCATION * SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION  // 2^INDEX_BITS
#constant INDEX_BITS
#constant COMPARATORS          // of the sorting network
#constant HALF                 // KEYS_PER_INVOCATION / 2

const CLASSES = 33u - countLeadingZeros((SHORT_KEYS - 1u) / KEYS_PER_INVOCATION);
// A tile has at most TILE / 2 segments of class 0, of two keys or more, and MOST_WIDE / 2^c of class c.
const MOST_WIDE = 2u * TILE / KEYS_PER_INVOCATION;

// The segments of each class: the first slot in the low half, and the number of keys in the high half.
var<workgroup> listed: array<u32, TILE / 2u + MOST_WIDE>;
var<workgroup> listed_counts: array<atomic<u32>, CLASSES>;

alias Items = array<Item, KEYS_PER_INVOCATION>;

// Where the list of the class begins whose segments are shared by 2^lane_bits lanes.
fn list_of(lane_bits: u32) -> u32 {
  return select(TILE / 2u + MOST_WIDE - (MOST_WIDE >> (max(lane_bits, 1u) - 1u)), 0u, lane_bits == 0u);
}

fn list_segment(begin: u32, length: u32) {
  if length < 2u || length > SHORT_KEYS { return; }
  let lane_bits = 32u - countLeadingZeros((length - 1u) / KEYS_PER_INVOCATION);
  listed[list_of(lane_bits) + atomicAdd(&listed_counts[lane_bits], 1u)] = begin | (length << 16u);
}

// The first head from the given word on, or `end` if there is none, or if its segment is not short.
fn head_from(word: u32, end: u32) -> u32 {
  let after = min((end + 31u) / 32u, word + SHORT_KEYS / 32u + 1u);
  for (var i = word; i < after; i++) {
    let bits = atomicLoad(&heads[i]);
    if bits != 0u { return min(32u * i + firstTrailingBit(bits), end); }
  }
  return end;
}

// Lists the segments of the slots from `begin` to `end` - 1. An invocation looks at half a word of heads.
fn list_segments(begin: u32, end: u32, invocation: u32) {
  for (var piece = invocation; 16u * piece < end; piece += WORKGROUP_SIZE) {
    let word = piece / 2u;
    // The first slot of a tile begins a segment, if it is part of one.
    let bits = atomicLoad(&heads[word]) | select(0u, 1u, word == 0u);
    var own = bits & (0xffffu << (16u * (piece % 2u)));
    while own != 0u {
      let bit = firstTrailingBit(own);
      own &= own - 1u;
      let slot = 32u * word + bit;
      let later = bits & (0xfffffffeu << bit);
      var next = 32u * word + firstTrailingBit(later);
      if later == 0u { next = head_from(word + 1u, end); }
      next = min(next, end);
      if slot >= begin && slot < next { list_segment(slot, next - slot); }
    }
  }
}

// Must be called before the barrier that sort_slots needs.
fn start_sorting(invocation: u32) {
  for (var i = invocation; i < CLASSES; i += WORKGROUP_SIZE) { atomicStore(&listed_counts[i], 0u); }
}

// Sorts a segment, or nothing if `length` is 0: the part of one of 2^lane_bits lanes. All lanes of the subgroup
// must call it for the same class.
fn sort_part(begin: u32, length: u32, part: u32, lane_bits: u32) {
  let first = part * KEYS_PER_INVOCATION;
  let own = min(length - min(length, first), KEYS_PER_INVOCATION);
  var items: Items;
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    items[i] = item_at(begin + select(0u, first + i, i < own));
  }
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    items[i] = select(LAST_ITEM, items[i], i < own);
  }
  for (var i = 0u; i < COMPARATORS; i++) { // unroll
    let a = items[NETWORK[i].x];
    let b = items[NETWORK[i].y];
    items[NETWORK[i].x] = first_item(a, b);
    items[NETWORK[i].y] = last_item(a, b);
  }
  for (var level = 0u; level < lane_bits; level++) {
    let mirror = (2u << level) - 1u;
    let is_left = (part & (1u << level)) == 0u;
    for (var i = 0u; i < HALF; i++) { // unroll
      let a = subgroupShuffleXor(items[KEYS_PER_INVOCATION - 1u - i], mirror);
      let b = subgroupShuffleXor(items[i], mirror);
      items[i] = kept_item(items[i], a, is_left);
      items[KEYS_PER_INVOCATION - 1u - i] = kept_item(items[KEYS_PER_INVOCATION - 1u - i], b, is_left);
    }
    for (var apart = (1u << level) >> 1u; apart > 0u; apart >>= 1u) {
      let is_lower = (part & apart) == 0u;
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
        items[i] = kept_item(items[i], subgroupShuffleXor(items[i], apart), is_lower);
      }
    }
    for (var bit = 0u; bit < INDEX_BITS; bit++) { // unroll
      for (var i = 0u; i < HALF; i++) { // unroll
        let a = items[i + i / (HALF >> bit) * (HALF >> bit)];
        let b = items[i + i / (HALF >> bit) * (HALF >> bit) + (HALF >> bit)];
        items[i + i / (HALF >> bit) * (HALF >> bit)] = first_item(a, b);
        items[i + i / (HALF >> bit) * (HALF >> bit) + (HALF >> bit)] = last_item(a, b);
      }
    }
  }
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    if i < own { put_item(begin + first + i, items[i]); }
  }
}

// Sorts the segments of the slots from `begin` to `end` - 1 of `count` slots.
fn sort_slots(begin: u32, end: u32, count: u32, invocation: u32) {
  list_segments(begin, end, invocation);
  workgroupBarrier();
  let lane = invocation % SUBGROUP_SIZE;
  // The subgroups take turns, through all classes, so that none has much more to do than others. The longest
  // segments go first.
  var turn = invocation / SUBGROUP_SIZE;
  for (var lane_bits = CLASSES; lane_bits > 0u;) {
    lane_bits--;
    let segments = atomicLoad(&listed_counts[lane_bits]);
    let at_once = SUBGROUP_SIZE >> lane_bits;
    let turns = (segments + at_once - 1u) / at_once;
    for (; turn < turns; turn += WORKGROUP_SIZE / SUBGROUP_SIZE) {
      let number = turn * at_once + (lane >> lane_bits);
      var segment = 0u;
      if number < segments { segment = listed[list_of(lane_bits) + number]; }
      sort_part(segment & 0xffffu, segment >> 16u, lane & ((1u << lane_bits) - 1u), lane_bits);
    }
    turn -= turns;
  }
  workgroupBarrier();
}
