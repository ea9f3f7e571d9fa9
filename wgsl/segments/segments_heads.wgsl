// The slots of a tile at which segments begin, as bits. All functions but the first need barriers before them.

#import segments
#import segments_item
#constant WORKGROUP_SIZE

const HEAD_WORDS = (TILE + 31u) / 32u;

var<workgroup> heads: array<atomic<u32>, HEAD_WORDS>;
// Of each word of bits: the last head before it, or slot 0.
var<workgroup> heads_before: array<u32, HEAD_WORDS>;
// And the first head after it, or the number of slots.
var<workgroup> heads_after: array<u32, HEAD_WORDS>;

fn clear_heads(invocation: u32) {
  for (var word = invocation; word < HEAD_WORDS; word += WORKGROUP_SIZE) {
    atomicStore(&heads[word], 0u);
  }
}

fn mark_head(place: u32, tile_begin: u32, end: u32) {
  if place < end {
    let slot = place - tile_begin;
    atomicOr(&heads[slot / 32u], 1u << (slot % 32u));
  }
}

// Marks the heads among the keys of a tile. `ends` is what segments_ends.wgsl says of the window.
fn mark_heads(ends: vec4u, tile_begin: u32, invocation: u32) {
  let numbers = ends.xy;
  let begin = ends.z;
  let end = ends.w;
  // The first key begins a segment, if it is part of one.
  if invocation == 0u { mark_head(begin, tile_begin, end); }
  if numbers.y - min(numbers.x, numbers.y) < MANY_OFFSETS {
    for (var i = numbers.x + invocation; i < numbers.y; i += WORKGROUP_SIZE) {
      let place = offset_at(i);
      if place > begin { mark_head(place, tile_begin, end); }
    }
  } else {
    for (var place = begin + invocation; place < end; place += WORKGROUP_SIZE) {
      let number = offsets_up_to(place, numbers.x, numbers.y);
      let head = offset_at(max(number, 1u) - 1u);
      if head > begin { mark_head(head, tile_begin, end); }
    }
  }
}

// Finds the heads before and after each word. They are far away only if a segment is long.
fn link_heads(count: u32, invocation: u32) {
  for (var word = invocation; word < HEAD_WORDS; word += WORKGROUP_SIZE) {
    var before = 0u;
    for (var i = word; i > 0u; i--) {
      let bits = atomicLoad(&heads[i - 1u]);
      if bits != 0u {
        before = 32u * (i - 1u) + firstLeadingBit(bits);
        break;
      }
    }
    heads_before[word] = before;
    var after = count;
    for (var i = word + 1u; i < HEAD_WORDS; i++) {
      let bits = atomicLoad(&heads[i]);
      if bits != 0u {
        after = 32u * i + firstTrailingBit(bits);
        break;
      }
    }
    heads_after[word] = after;
  }
}

// The slots of the segment that a slot lies in: the first one, and the one after the last one.
fn slots_around(slot: u32) -> vec2u {
  let word = slot / 32u;
  let bits = atomicLoad(&heads[word]);
  let up_to = bits & (0xffffffffu >> (31u - slot % 32u));
  let after = bits & (0xfffffffeu << (slot % 32u));
  return vec2u(
    select(32u * word + firstLeadingBit(up_to), heads_before[word], up_to == 0u),
    select(32u * word + firstTrailingBit(after), heads_after[word], after == 0u),
  );
}
