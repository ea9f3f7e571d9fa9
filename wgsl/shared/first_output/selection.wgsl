// The keys of one segment are selected, and which these are is told as selection.wgsl describes it.

#import key
#import selection
#constant SELECTION  // number of the binding

@group(0) @binding(SELECTION) var<storage, read_write> selection: Selection;

// The place of the first key, and how many are selected.
fn place_of(segment: u32, part: u32, top: u32, length: u32) -> vec2u {
  return vec2u(0u, min(top, length));
}

// `last` has the known bits of the last selected key. Nobody has counted all keys that equal it.
fn tell_selected(key_count: u32, top_keys: u32, last: Key, known_low: u32, known_high: u32) {
  selection = Selection(
    top_keys, 0u, key_count, top_keys, 0u, 0u, top_keys, known_low, known_high, word_at(last, 0u),
    word_at(last, 1u) & known_high, 0u,
  );
}
