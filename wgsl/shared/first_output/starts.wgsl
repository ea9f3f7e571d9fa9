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
