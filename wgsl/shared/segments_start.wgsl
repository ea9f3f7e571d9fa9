#if segments_start/lists
// Clears the lists that segments_serial_sort.wgsl fills.

#constant START  // number of the binding

@group(0) @binding(START) var<storage, read_write> lists: array<u32>;

fn clear_start(i: u32, invocations: u32) {
  if i < 4u { lists[i] = 0u; }
}

#elif segments_start/lists_and_groups
// Clears the lists that segments_sort.wgsl fills, and the counts of groups that the first count pass adds to.

#constant START  // number of the first of two bindings

@group(0) @binding(START) var<storage, read_write> lists: array<u32>;
@group(0) @binding(START + 1u) var<storage, read_write> group_counts: array<u32>;

fn clear_start(i: u32, invocations: u32) {
  if i < 4u { lists[i] = 0u; }
  for (var at = i; at < arrayLength(&group_counts); at += invocations) { group_counts[at] = 0u; }
}

#else
// No later pass depends on which segments there are.

fn clear_start(i: u32, invocations: u32) {}

#end
