#if segments_sorter/lanes
// Sorts segments in the registers of neighbouring lanes, on devices whose subgroups have a fixed size.
//
// A lane holds KEYS_PER_INVOCATION neighbouring items, and 2^c lanes share a segment of class c, the least that
// can. So a subgroup sorts SUBGROUP_SIZE / 2^c segments of a class at once. Each lane sorts its own items by a
// network; then level after level merges two runs of lanes to one: it compares each item of the left run with
// its mirror image in the right one, and then items that are fewer and fewer lanes and registers apart. The
// segments of a tile are listed by their classes first, as each subgroup looks for segments of the same class.
// The invocation that finds a tiny segment sorts it immediately: all that most lanes would do is to wait. A
// segment that has more items than the registers of a subgroup is sorted as two, which the subgroup then
// merges.

#import segments
#import segments_lister
#import segments_item
#import network
#enable subgroups
#constant WORKGROUP_SIZE       // a multiple of SUBGROUP_SIZE
#constant SUBGROUP_SIZE
#constant SHORT_KEYS           // at most 2 * KEYS_PER_INVOCATION * SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION  // 2^INDEX_BITS
#constant INDEX_BITS
#constant COMPARATORS          // of the sorting network
#constant HALF                 // KEYS_PER_INVOCATION / 2

// The items that a subgroup has in registers.
const RUN = KEYS_PER_INVOCATION * SUBGROUP_SIZE;
const CLASSES = 33u - countLeadingZeros((min(SHORT_KEYS, RUN) - 1u) / KEYS_PER_INVOCATION);
// At most this many keys are sorted by the invocation that finds them.
const TINY_KEYS = 4u;
// Two classes share a list, which they fill from both ends: a tile has at most this many segments of them that
// are not tiny. By the number of the list: the first list is for classes 0 and 1.
const ROOMS = array<u32, 4>(
  TILE / (TINY_KEYS + 1u) + 1u,
  TILE / (2u * KEYS_PER_INVOCATION) + 1u,
  TILE / (8u * KEYS_PER_INVOCATION) + 1u,
  TILE / (32u * KEYS_PER_INVOCATION) + 1u,
);
const MOST_LISTED = ROOMS[0] + ROOMS[1] + ROOMS[2] + ROOMS[3];
// A tile has at most this many segments of two runs.
const MOST_WIDE = TILE / RUN + 1u;
// Says that a segment is listed for other passes.
const OTHERS = 1u;

// The segments of each class, in words: the first slot in the low half, the number of keys in the high half.
var<workgroup> listed: array<u32, MOST_LISTED>;
var<workgroup> listed_counts: array<atomic<u32>, CLASSES>;
// Segments of two runs.
var<workgroup> wide: array<u32, MOST_WIDE>;
var<workgroup> wide_count: atomic<u32>;

alias Items = array<Item, KEYS_PER_INVOCATION>;
// The segment that an invocation looks for ahead, as a word, or 0 for none.
alias Ahead = u32;

// The first segment of a window, and the one after its last one.
fn numbers_of(ends: vec2u) -> vec2u {
  return vec2u(max(ends.x, 1u) - 1u, min(ends.y, params.segments));
}

// The word of a segment; OTHERS if it must be listed; or 0 if it is not sorted with the keys from `begin` to
// `end` - 1 of a tile.
fn word_of(number: u32, begin: u32, end: u32, tile_begin: u32) -> u32 {
  let first = offset_at(number);
  let after = offset_at(number + 1u);
  let is_within = first >= begin && after <= end && first < after;
  if is_listed(Segment(first, after, true), tile_begin) { return OTHERS; }
  return select(0u, (first - tile_begin) | ((after - first) << 16u), is_within);
}

// Looks for the first segment of an invocation. `ends` is what segments_ends.wgsl says of the window.
fn segment_ahead(ends: vec4u, tile_begin: u32, invocation: u32) -> Ahead {
  let numbers = numbers_of(ends.xy);
  if numbers.x + invocation >= numbers.y { return 0u; }
  return word_of(numbers.x + invocation, ends.z, ends.w, tile_begin);
}

// How many segments the list of a class may have.
fn room_of(lane_bits: u32) -> u32 {
  return select(
    select(ROOMS[0], ROOMS[1], lane_bits >= 2u),
    select(ROOMS[2], ROOMS[3], lane_bits >= 6u),
    lane_bits >= 4u,
  );
}

// Where a segment of a class is in its list.
fn place_in_list(lane_bits: u32, number: u32) -> u32 {
  let begin = select(
    select(0u, ROOMS[0], lane_bits >= 2u),
    select(ROOMS[0] + ROOMS[1], ROOMS[0] + ROOMS[1] + ROOMS[2], lane_bits >= 6u),
    lane_bits >= 4u,
  );
  return begin + select(number, room_of(lane_bits) - 1u - number, (lane_bits & 1u) == 1u);
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
fn take_segment(word: u32, number: u32) {
  if word == OTHERS { list_segment(number, offset_at(number), offset_at(number + 1u)); }
  var begin = word & 0xffffu;
  var length = word >> 16u;
  if length < 2u || length > SHORT_KEYS { return; }
  if SHORT_KEYS > RUN && length > RUN {
    let other = atomicAdd(&wide_count, 1u);
    // There are more only if the offsets do not ascend.
    if other < MOST_WIDE { wide[other] = word; }
    add_to_list(begin, RUN);
    begin += RUN;
    length -= RUN;
  }
  if length <= TINY_KEYS {
    if length > 1u { sort_tiny(begin, length); }
    return;
  }
  add_to_list(begin, length);
}

fn add_to_list(begin: u32, length: u32) {
  let lane_bits = 32u - countLeadingZeros((length - 1u) / KEYS_PER_INVOCATION);
  let number = atomicAdd(&listed_counts[lane_bits], 1u);
  // There are more only if the offsets do not ascend.
  if number < room_of(lane_bits) { listed[place_in_list(lane_bits, number)] = begin | (length << 16u); }
}

// Looks for the segments from the keys `begin` to `end` - 1 that were not looked for ahead.
fn take_others(ends: vec2u, tile_begin: u32, begin: u32, end: u32, invocation: u32) {
  let numbers = numbers_of(ends);
  for (var i = numbers.x + WORKGROUP_SIZE + invocation; i < numbers.y; i += WORKGROUP_SIZE) {
    take_segment(word_of(i, begin, end, tile_begin), i);
  }
}

// The same for all segments, if there are many empty ones: looks for the segment of each key.
fn take_by_keys(ends: vec2u, tile_begin: u32, begin: u32, end: u32, invocation: u32) {
  let last = min(params.key_count, tile_begin + TILE);
  for (var place = tile_begin + invocation; place < last; place += WORKGROUP_SIZE) {
    let number = offsets_up_to(place, ends.x, ends.y);
    if number > 0u && number <= params.segments && offset_at(number - 1u) == place {
      take_segment(word_of(number - 1u, begin, end, tile_begin), number - 1u);
    }
  }
}

// Must be called before the barrier that find_segments needs.
fn start_sorting(ends: vec4u, tile_begin: u32, invocation: u32) {
  if invocation == 0u { atomicStore(&wide_count, 0u); }
  for (var i = invocation; i < CLASSES; i += WORKGROUP_SIZE) { atomicStore(&listed_counts[i], 0u); }
}

// Orders the bitonic items of neighbouring lanes. At first, items that are `lanes_apart` apart are compared.
fn order_items(items: ptr<function, Items>, part: u32, lanes_apart: u32) {
  for (var apart = lanes_apart; apart > 0u; apart >>= 1u) {
    let is_lower = (part & apart) == 0u;
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      (*items)[i] = kept_item((*items)[i], subgroupShuffleXor((*items)[i], apart), is_lower);
    }
  }
  #unroll
  for (var bit = 0u; bit < INDEX_BITS; bit++) {
    #unroll
    for (var i = 0u; i < HALF; i++) {
      let a = (*items)[i + i / (HALF >> bit) * (HALF >> bit)];
      let b = (*items)[i + i / (HALF >> bit) * (HALF >> bit) + (HALF >> bit)];
      (*items)[i + i / (HALF >> bit) * (HALF >> bit)] = first_item(a, b);
      (*items)[i + i / (HALF >> bit) * (HALF >> bit) + (HALF >> bit)] = last_item(a, b);
    }
  }
}

// Merges the two runs of a segment, the first of which has RUN items. All lanes of the subgroup must call it
// for the same segment.
fn merge_runs(word: u32, lane: u32) {
  let begin = (word & 0xffffu) + lane * KEYS_PER_INVOCATION;
  let length = word >> 16u;
  let first = lane * KEYS_PER_INVOCATION;
  let own = min(length - min(length, RUN + first), KEYS_PER_INVOCATION);
  var items: Items;
  var others: Items;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    items[i] = item_at(begin + i);
    others[i] = item_at(begin + select(0u, RUN + i, i < own));
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    others[i] = select(LAST_ITEM, others[i], i < own);
  }
  // Each item is compared with its mirror image in the other run.
  #unroll
  for (var i = 0u; i < HALF; i++) {
    let a = subgroupShuffleXor(items[KEYS_PER_INVOCATION - 1u - i], SUBGROUP_SIZE - 1u);
    let b = subgroupShuffleXor(items[i], SUBGROUP_SIZE - 1u);
    let c = subgroupShuffleXor(others[KEYS_PER_INVOCATION - 1u - i], SUBGROUP_SIZE - 1u);
    let d = subgroupShuffleXor(others[i], SUBGROUP_SIZE - 1u);
    items[i] = first_item(items[i], c);
    items[KEYS_PER_INVOCATION - 1u - i] = first_item(items[KEYS_PER_INVOCATION - 1u - i], d);
    others[i] = last_item(a, others[i]);
    others[KEYS_PER_INVOCATION - 1u - i] = last_item(b, others[KEYS_PER_INVOCATION - 1u - i]);
  }
  // A loop, so that drivers compile one copy of this.
  for (var run = 0u; run < 2u; run++) {
    order_items(&items, lane, SUBGROUP_SIZE / 2u);
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      if run == 0u || i < own { put_item(begin + run * RUN + i, items[i]); }
    }
    items = others;
  }
}

// Sorts a segment, or nothing if `length` is 0: the part of one of 2^lane_bits lanes. All lanes of the subgroup
// must call it for the same class.
fn sort_part(begin: u32, length: u32, part: u32, lane_bits: u32) {
  let first = part * KEYS_PER_INVOCATION;
  let own = min(length - min(length, first), KEYS_PER_INVOCATION);
  var items: Items;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    items[i] = item_at(begin + select(0u, first + i, i < own));
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    items[i] = select(LAST_ITEM, items[i], i < own);
  }
  #unroll
  for (var i = 0u; i < COMPARATORS; i++) {
    let a = items[NETWORK[i].x];
    let b = items[NETWORK[i].y];
    items[NETWORK[i].x] = first_item(a, b);
    items[NETWORK[i].y] = last_item(a, b);
  }
  for (var level = 0u; level < lane_bits; level++) {
    let mirror = (2u << level) - 1u;
    let is_left = (part & (1u << level)) == 0u;
    #unroll
    for (var i = 0u; i < HALF; i++) {
      let a = subgroupShuffleXor(items[KEYS_PER_INVOCATION - 1u - i], mirror);
      let b = subgroupShuffleXor(items[i], mirror);
      items[i] = kept_item(items[i], a, is_left);
      items[KEYS_PER_INVOCATION - 1u - i] = kept_item(items[KEYS_PER_INVOCATION - 1u - i], b, is_left);
    }
    order_items(&items, part, (1u << level) >> 1u);
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    if i < own { put_item(begin + first + i, items[i]); }
  }
}

// Lists the segments of a tile, and sorts tiny ones. `ends` is what segments_ends.wgsl says of the window. A
// barrier follows.
fn find_segments(ahead: Ahead, ends: vec4u, tile_begin: u32, invocation: u32) {
  if ends.y - min(ends.x, ends.y) < MANY_OFFSETS {
    take_segment(ahead, numbers_of(ends.xy).x + invocation);
    take_others(ends.xy, tile_begin, ends.z, ends.w, invocation);
  } else {
    take_by_keys(ends.xy, tile_begin, ends.z, ends.w, invocation);
  }
  workgroupBarrier();
}

// Sorts the segments of the tile that find_segments has listed. A barrier follows.
fn sort_slots(tile_begin: u32, first: u32, last: u32, invocation: u32) {
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
      if number < count { word = listed[place_in_list(lane_bits, number)]; }
      sort_part(word & 0xffffu, word >> 16u, lane & ((1u << lane_bits) - 1u), lane_bits);
    }
    turn -= turns;
  }
  workgroupBarrier();
  if SHORT_KEYS > RUN {
    let count = min(atomicLoad(&wide_count), MOST_WIDE);
    for (var i = invocation / SUBGROUP_SIZE; i < count; i += WORKGROUP_SIZE / SUBGROUP_SIZE) {
      merge_runs(wide[i], lane);
    }
    workgroupBarrier();
  }
}

#elif segments_sorter/memory
// Sorts segments by passes over workgroup memory, on devices whose subgroups have no fixed size.
//
// Level L makes runs of 2^L items of two runs: it compares each item of the left run with its mirror image in
// the right one, and then items that are 2^(L-2), …, 2, 1 apart. An invocation loads KEYS_PER_INVOCATION items
// that differ in a few neighbouring bits of their number in the segment, and runs the comparators of these bits
// in registers. The longest segment of the tile says how many levels there are.

#import segments
#import segments_item
#import segments_heads
#import segments_lister
#import network
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION  // that it sorts in registers: 2^INDEX_BITS
#constant INDEX_BITS
#constant COMPARATORS          // of the sorting network
#constant HALF                 // KEYS_PER_INVOCATION / 2
#constant QUARTER              // KEYS_PER_INVOCATION / 4
#constant LOWER_BITS           // INDEX_BITS - 1

// The keys of the longest segment of the tile that has more than KEYS_PER_INVOCATION.
var<workgroup> longest_length: atomic<u32>;
var<workgroup> longest: u32;

alias Items = array<Item, KEYS_PER_INVOCATION>;

// Sorts neighbouring slots.
fn sort_group(first: u32, count: u32) {
  var items: Items;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    items[i] = LAST_ITEM;
    if i < count { items[i] = item_at(first + i); }
  }
  #unroll
  for (var i = 0u; i < COMPARATORS; i++) {
    let a = items[NETWORK[i].x];
    let b = items[NETWORK[i].y];
    items[NETWORK[i].x] = first_item(a, b);
    items[NETWORK[i].y] = last_item(a, b);
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    if i < count { put_item(first + i, items[i]); }
  }
}

// Runs the comparators of the bits from `top` - 1 down to `low` for slots of the segment that begins at slot
// `begin` and has `count` slots. The first slot has the number `number`, and the bits are clear in it.
fn merge_group(begin: u32, count: u32, number: u32, low: u32, top: u32) {
  var items: Items;
  if number + ((KEYS_PER_INVOCATION - 1u) << low) < count {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      items[i] = item_at(begin + number + (i << low));
    }
  } else {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      items[i] = LAST_ITEM;
      if number + (i << low) < count { items[i] = item_at(begin + number + (i << low)); }
    }
  }
  #unroll
  for (var bit = 0u; bit < INDEX_BITS; bit++) {
    if top + bit >= low + INDEX_BITS {
      #unroll
      for (var i = 0u; i < HALF; i++) {
        let a = items[i + i / (HALF >> bit) * (HALF >> bit)];
        let b = items[i + i / (HALF >> bit) * (HALF >> bit) + (HALF >> bit)];
        items[i + i / (HALF >> bit) * (HALF >> bit)] = first_item(a, b);
        items[i + i / (HALF >> bit) * (HALF >> bit) + (HALF >> bit)] = last_item(a, b);
      }
    }
  }
  if number + ((KEYS_PER_INVOCATION - 1u) << low) < count {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      put_item(begin + number + (i << low), items[i]);
    }
  } else {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      if number + (i << low) < count { put_item(begin + number + (i << low), items[i]); }
    }
  }
}

// The same for the first bits of a level: the lower half of the items, from the first slot on, is compared with
// its mirror image, from slot `mirrored` down.
fn mirror_group(begin: u32, count: u32, number: u32, mirrored: u32, low: u32) {
  var items: Items;
  if mirrored < count {
    #unroll
    for (var i = 0u; i < HALF; i++) {
      items[i] = item_at(begin + number + (i << low));
      items[HALF + i] = item_at(begin + mirrored - (i << low));
    }
  } else {
    #unroll
    for (var i = 0u; i < HALF; i++) {
      items[i] = LAST_ITEM;
      items[HALF + i] = LAST_ITEM;
      if number + (i << low) < count { items[i] = item_at(begin + number + (i << low)); }
      if mirrored - (i << low) < count { items[HALF + i] = item_at(begin + mirrored - (i << low)); }
    }
  }
  #unroll
  for (var i = 0u; i < HALF; i++) {
    let a = items[i];
    let b = items[HALF + i];
    items[i] = first_item(a, b);
    items[HALF + i] = last_item(a, b);
  }
  #unroll
  for (var bit = 0u; bit < LOWER_BITS; bit++) {
    #unroll
    for (var i = 0u; i < QUARTER; i++) {
      let a = items[i + i / (QUARTER >> bit) * (QUARTER >> bit)];
      let b = items[i + i / (QUARTER >> bit) * (QUARTER >> bit) + (QUARTER >> bit)];
      items[i + i / (QUARTER >> bit) * (QUARTER >> bit)] = first_item(a, b);
      items[i + i / (QUARTER >> bit) * (QUARTER >> bit) + (QUARTER >> bit)] = last_item(a, b);
      // The upper half is in reverse.
      let c = items[HALF + i + i / (QUARTER >> bit) * (QUARTER >> bit)];
      let d = items[HALF + i + i / (QUARTER >> bit) * (QUARTER >> bit) + (QUARTER >> bit)];
      items[HALF + i + i / (QUARTER >> bit) * (QUARTER >> bit)] = last_item(c, d);
      items[HALF + i + i / (QUARTER >> bit) * (QUARTER >> bit) + (QUARTER >> bit)] = first_item(c, d);
    }
  }
  if mirrored < count {
    #unroll
    for (var i = 0u; i < HALF; i++) {
      put_item(begin + number + (i << low), items[i]);
      put_item(begin + mirrored - (i << low), items[HALF + i]);
    }
  } else {
    #unroll
    for (var i = 0u; i < HALF; i++) {
      if number + (i << low) < count { put_item(begin + number + (i << low), items[i]); }
      if mirrored - (i << low) < count { put_item(begin + mirrored - (i << low), items[HALF + i]); }
    }
  }
}

// Runs the comparators of a level for the bits from `top` - 1 down, as many as an invocation takes at once.
// `parts` is how many invocations share the segment, and `part` the number of this one.
fn merge_part(begin: u32, count: u32, part: u32, parts: u32, level: u32, top: u32) {
  let low = max(top, INDEX_BITS) - INDEX_BITS;
  let groups = ((count >> top) << low) + min(1u << low, count & ((1u << top) - 1u));
  for (var group = part; group < groups; group += parts) {
    let below = group & ((1u << low) - 1u);
    let above = (group ^ below) << INDEX_BITS;
    if top == level {
      mirror_group(begin, count, above | below, above + (1u << top) - 1u - below, low);
    } else {
      merge_group(begin, count, above | below, low, top);
    }
  }
}

// What is loaded ahead of the segments of a tile: nothing.
alias Ahead = u32;

fn segment_ahead(ends: vec4u, tile_begin: u32, invocation: u32) -> Ahead {
  return 0u;
}

// Must be called before the barrier that find_segments needs. `ends` is what segments_ends.wgsl says of the
// window.
fn start_sorting(ends: vec4u, tile_begin: u32, invocation: u32) {
  if invocation == 0u { atomicStore(&longest_length, 0u); }
  clear_heads(invocation);
  workgroupBarrier();
  mark_heads(ends, tile_begin, invocation);
}

// Lists the segment that a window ends in, if no window holds it.
fn find_segments(ahead: Ahead, ends: vec4u, tile_begin: u32, invocation: u32) {
  if !LISTS_SEGMENTS { return; }
  if invocation == 0u && ends.y > 0u && ends.y <= params.segments {
    // As other passes see it. segment_at would say something else if the offsets do not ascend.
    let last = Segment(offset_at(ends.y - 1u), offset_at(ends.y), true);
    if is_across(last) && is_listed(last, tile_begin) { list_segment(ends.y - 1u, last.begin, last.end); }
  }
  workgroupBarrier();
}

// Sorts the segments of the slots from `first` to `last` - 1 of a tile.
fn sort_slots(tile_begin: u32, first: u32, last: u32, invocation: u32) {
  // The keys before the first segment and after the last one stay where they are.
  let begin = clamp(offset_at(0u), tile_begin + first, tile_begin + last) - tile_begin;
  let end = clamp(offset_at(params.segments), tile_begin + first, tile_begin + last) - tile_begin;
  link_heads(last, invocation);
  workgroupBarrier();
  var most = 0u;
  for (var level = INDEX_BITS; ; level++) {
    for (var top = level; ; top -= INDEX_BITS) {
      // An invocation is responsible for the slots of its block at which a segment begins or goes on by a
      // multiple of KEYS_PER_INVOCATION slots: of each segment, at most one.
      for (
        var block = invocation * KEYS_PER_INVOCATION;
        block < end;
        block += WORKGROUP_SIZE * KEYS_PER_INVOCATION
      ) {
        let block_end = min(block + KEYS_PER_INVOCATION, end);
        for (var slot = max(block, begin); slot < block_end;) {
          let around = slots_around(slot);
          let length = around.y - around.x;
          let part = (slot - around.x + KEYS_PER_INVOCATION - 1u) / KEYS_PER_INVOCATION;
          let first = around.x + part * KEYS_PER_INVOCATION;
          if first < min(around.y, block_end) {
            if level == INDEX_BITS {
              if length > KEYS_PER_INVOCATION && part == 0u { atomicMax(&longest_length, length); }
              if length > 1u { sort_group(first, min(around.y - first, KEYS_PER_INVOCATION)); }
            } else if length > 1u << (level - 1u) {
              let parts = (length + KEYS_PER_INVOCATION - 1u) / KEYS_PER_INVOCATION;
              merge_part(around.x, length, part, parts, level, top);
            }
          }
          slot = around.y;
        }
      }
      workgroupBarrier();
      if top <= INDEX_BITS { break; }
    }
    if level == INDEX_BITS {
      if invocation == 0u { longest = atomicLoad(&longest_length); }
      most = workgroupUniformLoad(&longest);
    }
    if most <= 1u << level { break; }
  }
}

#end
