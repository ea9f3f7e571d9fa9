// What is selected of each part of a segment has room for `top` keys.

#import key

// The place of the first key of a part, and how many are selected.
fn place_of(segment: u32, part: u32, top: u32, length: u32) -> vec2u {
  return vec2u(part * top, min(top, length));
}

fn tell_selected(key_count: u32, top_keys: u32, last: Key, known_low: u32, known_high: u32) {}
