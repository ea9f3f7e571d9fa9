#if first_output/parts
// What is selected of each part of a segment has room for `top` keys.

#import key

// The place of the first key of a part, and how many are selected.
fn place_of(segment: u32, part: u32, top: u32, length: u32) -> vec2u {
  return vec2u(part * top, min(top, length));
}

fn tell_selected(key_count: u32, top_keys: u32, last: Key, known_low: u32, known_high: u32) {}

#elif first_output/selection
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

#elif first_output/starts
// What is selected of each segment follows what is selected of the one before it.

#import key
#constant STARTS  // number of the binding

@group(0) @binding(STARTS) var<storage, read> starts: array<u32>;   // one more than there are segments

// The place of the first key of a segment, and how many are selected: never more than its place has room for.
fn place_of(segment: u32, part: u32, top: u32, length: u32) -> vec2u {
  let end = starts[segment + 1u];
  let begin = min(starts[segment], end);
  return vec2u(begin, min(min(top, length), end - begin));
}

fn tell_selected(key_count: u32, top_keys: u32, last: Key, known_low: u32, known_high: u32) {}

#end
