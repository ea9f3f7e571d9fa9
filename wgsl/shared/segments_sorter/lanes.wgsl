// Sorts segments in the registers of neighbouring lanes, on devices whose subgroups have a fixed size.
//
// A lane holds KEYS_PER_INVOCATION neighbouring items, and 2^c lanes share a segment of class c, the least that
// can. So a subgroup sorts SUBGROUP_SIZE / 2^c segments of a class at once. Each lane sorts its own items by a
// network; then level after level merges two runs of lanes to one: it compares each item of the left run with
// its mirror image in the right one, and then items that are fewer and fewer lanes and registers apart. The
// segments of a tile are listed by their classes first, as each subgroup looks for segments of the same class.
// The invocation that finds a tiny segment sorts it at once: all that most lanes would do is to wait.

#import segments
#import segments_item
#import segments_tile
#import network
#enable subgroups
#constant WORKGROUP_SIZE       // a multiple of SUBGROUP_SIZE
#constant SUBGROUP_SIZE
#constant SHORT_KEYS           // at most KEYS_PER_INVOCATION * SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION  // 2^INDEX_BITS
#constant INDEX_BITS
#constant COMPARATORS          // of the sorting network
#constant HALF                 // KEYS_PER_INVOCATION / 2
#constant MARKS                // segments that an invocation looks for ahead

const CLASSES = 33u - countLeadingZeros((SHORT_KEYS - 1u) / KEYS_PER_INVOCATION);
// At most this many keys are sorted by the invocation that finds them.
const TINY_KEYS = 4u;
// A tile has at most MOST_NARROW segments of class 0 that are not tiny, and MOST_WIDE / 2^c of class c.
const MOST_NARROW = TILE / (TINY_KEYS + 1u) + 1u;
const MOST_WIDE = 2u * TILE / KEYS_PER_INVOCATION;

// The segments of each class, in words: the first slot in the low half, the number of keys in the high half.
var<workgroup> listed: array<u32, MOST_NARROW + MOST_WIDE>;
var<workgroup> listed_counts: array<atomic<u32>, CLASSES>;

alias Items = array<Item, KEYS_PER_INVOCATION>;
// Segments that were looked for ahead, as words, 0 for none.
alias Segments = array<u32, MARKS>;

// The first segment of a window, and the one after its last one.
fn numbers_of(ends: vec2u) -> vec2u {
  return vec2u(max(ends.x, 1u) - 1u, min(ends.y, params.segments));
}

// The word of a segment, or 0 if it is not sorted with the keys from `begin` to `end` - 1 of a tile.
fn word_of(number: u32, begin: u32, end: u32, tile_begin: u32) -> u32 {
  let first = offset_at(number);
  let after = offset_at(number + 1u);
  let is_within = first >= begin && after <= end && first < after;
  return select(0u, (first - tile_begin) | ((after - first) << 16u), is_within);
}

// Looks for the first segments of an invocation. `ends` is what segments_ends.wgsl says of the window.
fn segments_of(ends: vec4u, tile_begin: u32, invocation: u32) -> Segments {
  let numbers = numbers_of(ends.xy);
  var segments: Segments;
  for (var i = 0u; i < MARKS; i++) { // unroll
    let number = numbers.x + invocation + i * WORKGROUP_SIZE;
    segments[i] = 0u;
    if number < numbers.y { segments[i] = word_of(number, ends.z, ends.w, tile_begin); }
  }
  return segments;
}

// Where the list of a class begins.
fn list_of(lane_bits: u32) -> u32 {
  return select(
    MOST_NARROW + MOST_WIDE - (MOST_WIDE >> (max(lane_bits, 1u) - 1u)),
    0u,
    lane_bits == 0u,
  );
}

// How many segments the list of a class may have.
fn room_of(lane_bits: u32) -> u32 {
  return select(MOST_WIDE >> lane_bits, MOST_NARROW, lane_bits == 0u);
}

// Sorts a segment of up to TINY_KEYS keys.
fn sort_tiny(begin: u32, length: u32) {
  var a = item_at(begin);
  var b = item_at(begin + 1u);
  var least = first_item(a, b);
  var most = last_item(a, b);
  if length > 2u {
    var c = item_at(begin + 2u);
    var d = LAST_ITEM;
    if length > 3u { d = item_at(begin + 3u); }
    a = first_item(c, d);
    b = last_item(c, d);
    c = last_item(least, a);
    d = first_item(most, b);
    least = first_item(least, a);
    most = last_item(most, b);
    put_item(begin + 2u, last_item(c, d));
    if length > 3u { put_item(begin + 3u, most); }
    most = first_item(c, d);
  }
  put_item(begin, least);
  put_item(begin + 1u, most);
}

// Sorts or lists a segment.
fn take_segment(word: u32) {
  let begin = word & 0xffffu;
  let length = word >> 16u;
  if length < 2u || length > SHORT_KEYS { return; }
  if length <= TINY_KEYS {
    sort_tiny(begin, length);
    return;
  }
  let lane_bits = 32u - countLeadingZeros((length - 1u) / KEYS_PER_INVOCATION);
  let number = atomicAdd(&listed_counts[lane_bits], 1u);
  // There are more only if the offsets do not ascend.
  if number < room_of(lane_bits) { listed[list_of(lane_bits) + number] = word; }
}

// Looks for the segments from the keys `begin` to `end` - 1 that were not looked for ahead.
fn take_others(ends: vec2u, tile_begin: u32, begin: u32, end: u32, invocation: u32) {
  let numbers = numbers_of(ends);
  for (var i = numbers.x + MARKS * WORKGROUP_SIZE + invocation; i < numbers.y; i += WORKGROUP_SIZE) {
    take_segment(word_of(i, begin, end, tile_begin));
  }
}

// The same for all segments, if there are many empty ones: looks for the segment of each key.
fn take_by_keys(ends: vec2u, tile_begin: u32, begin: u32, end: u32, invocation: u32) {
  for (var place = begin + invocation; place < end; place += WORKGROUP_SIZE) {
    let number = offsets_up_to(place, ends.x, ends.y);
    if number > 0u && number <= params.segments && offset_at(number - 1u) == place {
      take_segment(word_of(number - 1u, begin, end, tile_begin));
    }
  }
}

// Must be called before the barrier that sort_slots needs.
fn start_sorting(ends: vec4u, tile_begin: u32, invocation: u32) {
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

// Sorts the segments of the slots from `begin` to `end` - 1 of a tile. `ends` has the numbers of segments_ends.wgsl.
fn sort_slots(segments: Segments, ends: vec2u, tile_begin: u32, begin: u32, end: u32, invocation: u32) {
  if ends.y - min(ends.x, ends.y) < MANY_OFFSETS {
    for (var i = 0u; i < MARKS; i++) { // unroll
      take_segment(segments[i]);
    }
    take_others(ends, tile_begin, tile_begin + begin, tile_begin + end, invocation);
  } else {
    take_by_keys(ends, tile_begin, tile_begin + begin, tile_begin + end, invocation);
  }
  workgroupBarrier();
  let lane = invocation % SUBGROUP_SIZE;
  // The subgroups take turns, through all classes, so that none has much more to do than others. The longest
  // segments go first.
  var turn = invocation / SUBGROUP_SIZE;
  for (var lane_bits = CLASSES; lane_bits > 0u;) {
    lane_bits--;
    let count = min(atomicLoad(&listed_counts[lane_bits]), room_of(lane_bits));
    let at_once = SUBGROUP_SIZE >> lane_bits;
    let turns = (count + at_once - 1u) / at_once;
    for (; turn < turns; turn += WORKGROUP_SIZE / SUBGROUP_SIZE) {
      let number = turn * at_once + (lane >> lane_bits);
      var word = 0u;
      if number < count { word = listed[list_of(lane_bits) + number]; }
      sort_part(word & 0xffffu, word >> 16u, lane & ((1u << lane_bits) - 1u), lane_bits);
    }
    turn -= turns;
  }
  workgroupBarrier();
}
