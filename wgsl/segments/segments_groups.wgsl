// Groups of neighbouring chunks of long segments.

#constant GROUP_CHUNKS  // chunks per group

// The groups that lie in a segment: from the first number up to, but not including, the second one, if there
// are any. `first` is the number of the segment's first chunk, and `count` how many it has.
fn whole_groups(first: u32, count: u32) -> vec2u {
  return vec2u((first + GROUP_CHUNKS - 1u) / GROUP_CHUNKS, (first + count) / GROUP_CHUNKS);
}
