#if kept_values/words
// Values of some words each are moved. Neighbouring invocations write neighbouring words.

#import kept_slots
#import scan_tile
#constant WORKGROUP_SIZE
#constant VALUE_WORDS
#constant VALUES  // number of the first of two bindings

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> kept_values: array<u32>;

fn move_values(kept: KeptItems, invocation: u32) {
  for (var i = invocation; i < kept.count * VALUE_WORDS; i += WORKGROUP_SIZE) {
    let rank = i / VALUE_WORDS;
    let word = i % VALUE_WORDS;
    if is_bound(kept.place + rank) {
      let value = values[(kept.tile + tile_elements[rank]) * VALUE_WORDS + word];
      kept_values[(kept.place + rank) * VALUE_WORDS + word] = value;
    }
  }
}

#else
// No values are moved.

#import kept_slots

fn move_values(kept: KeptItems, invocation: u32) {}

#end
