// A walk through memory whose next step depends on the last, so that an invocation mostly waits, and only others on
// its multiprocessor can use the time. How many there are depends on the workgroup memory that each workgroup takes,
// most of which this one takes for nothing.
//
// Uses grid. Constants: WORKGROUP_SIZE (invocations), MEMORY_WORDS (of workgroup memory, at least WORKGROUP_SIZE).
// src/demos/occupancy.ts plans it.

struct Params {
  words: u32,     // a power of two
  steps: u32,
  stride: u32,    // between the words of workgroup memory that are used; a number, so that none can be left out
}

@group(0) @binding(0) var<storage, read> table: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> memory: array<u32, MEMORY_WORDS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let at = linear_workgroup(workgroup, grid) * WORKGROUP_SIZE + invocation;
  var place = (at * 0x9e3779b1u) & (params.words - 1u);
  for (var step = 0u; step < params.steps; step++) {
    place = (table[place] + step) & (params.words - 1u);
  }
  memory[invocation * params.stride] = place;
  workgroupBarrier();
  let neighbour = memory[((invocation + 1u) % WORKGROUP_SIZE) * params.stride];
  if at < arrayLength(&output) { output[at] = place ^ neighbour; }
}
