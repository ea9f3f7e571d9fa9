// The segments at both ends of a window, and the keys that are sorted with it, as segments_plan.wgsl has found
// them.

#import segments
#constant WINDOW_KEYS  // keys per window

// For each window, the numbers of offsets that are not past its first key and its last key; the first key that
// is sorted with it, and the key after the last one. It has at most TILE keys from the window's first one on.
@group(0) @binding(1) var<storage, read> ends: array<vec4u>;

// The segments at both ends of a window.
struct Ends {
  numbers: vec2u,
  begin: u32,     // the window's first key
  end: u32,       // the key after its last one
  first: Segment,
  last: Segment,
}

fn ends_of(window: u32) -> Ends {
  var found: Ends;
  found.numbers = ends[window].xy;
  found.begin = window * WINDOW_KEYS;
  found.end = min(found.begin + WINDOW_KEYS, params.key_count);
  found.first = segment_at(found.begin, found.numbers.x);
  found.last = segment_at(found.end - 1u, found.numbers.y);
  return found;
}
