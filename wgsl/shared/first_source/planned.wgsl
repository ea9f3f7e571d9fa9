// The one segment has all keys.

fn segment_of(number: u32, key_count: u32, count_at: u32) -> vec2u {
  return vec2u(0u, key_count);
}
