// The segments among which first keys are selected, as offsets say where they are. Whatever these are, all
// ranges lie within the keys.

#constant SOURCE  // number of the binding

@group(0) @binding(SOURCE) var<storage, read> offsets: array<u32>;

// The first key of a segment, and the key after its last one.
fn segment_of(number: u32, key_count: u32, count_at: u32) -> vec2u {
  let begin = min(offsets[number], key_count);
  return vec2u(begin, clamp(offsets[number + 1u], begin, key_count));
}
