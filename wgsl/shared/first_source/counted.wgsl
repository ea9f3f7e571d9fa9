// The one segment has as many keys as the device knows. More than the plan allows count as that many.

#constant SOURCE  // number of the binding

@group(0) @binding(SOURCE) var<storage, read> key_counts: array<u32>;   // one of its words is the number

fn segment_of(number: u32, key_count: u32, count_at: u32) -> vec2u {
  return vec2u(0u, min(key_counts[count_at], key_count));
}
