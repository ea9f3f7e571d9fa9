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
// `part` is a number below `parts`, how many invocations share the segment.
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
