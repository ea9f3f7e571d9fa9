#if first_source/counted
// The one segment has as many keys as the device knows. More than the plan allows count as that many.

#constant SOURCE  // number of the binding

@group(0) @binding(SOURCE) var<storage, read> key_counts: array<u32>;   // one of its words is the number

fn segment_of(number: u32, key_count: u32, count_at: u32) -> vec2u {
  return vec2u(0u, min(key_counts[count_at], key_count));
}

#elif first_source/listed
// The segments among which first keys are selected, as offsets say where they are. Whatever these are, all
// ranges lie within the keys.

#constant SOURCE  // number of the binding

@group(0) @binding(SOURCE) var<storage, read> offsets: array<u32>;

// The first key of a segment, and the key after its last one.
fn segment_of(number: u32, key_count: u32, count_at: u32) -> vec2u {
  let begin = min(offsets[number], key_count);
  return vec2u(begin, clamp(offsets[number + 1u], begin, key_count));
}

#elif first_source/planned
// The one segment has all keys.

fn segment_of(number: u32, key_count: u32, count_at: u32) -> vec2u {
  return vec2u(0u, key_count);
}

#end
