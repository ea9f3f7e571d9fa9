#if key_total/counted
// The device knows the number of keys. More than the plan allows count as that many.

#constant COUNT  // number of the binding

@group(0) @binding(COUNT) var<storage, read> key_counts: array<u32>;   // one of its words is the number

fn key_total(planned: u32, count_at: u32) -> u32 {
  return min(key_counts[count_at], planned);
}

#elif key_total/planned
// There are as many keys as the plan says.

fn key_total(planned: u32, count_at: u32) -> u32 {
  return planned;
}

#end
