// A walk through memory in which each load needs the result of the one before. An invocation mostly waits,
// and only other invocations on its multiprocessor can use that time. Their number depends on the workgroup
// memory that each workgroup takes. This kernel declares much more workgroup memory than it needs.

#import grid
#constant WORKGROUP_SIZE
#constant MEMORY_WORDS  // words of workgroup memory, at least WORKGROUP_SIZE

struct WalkParams {
  words: u32,  // words of the table, a power of two
  steps: u32,
  // The distance between the used words of workgroup memory. It is a parameter, so that the compiler cannot
  // remove the unused ones.
  stride: u32,
}

@group(0) @binding(0) var<storage, read> table: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> params: WalkParams;

var<workgroup> memory: array<u32, MEMORY_WORDS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let at = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  var place = (at * 0x9e3779b1u) & (params.words - 1u);
  for (var step = 0u; step < params.steps; step++) {
    place = (table[place] + step) & (params.words - 1u);
  }
  memory[invocation * params.stride] = place;
  workgroupBarrier();
  let neighbour = memory[((invocation + 1u) % WORKGROUP_SIZE) * params.stride];
  if at < arrayLength(&output) { output[at] = place ^ neighbour; }
}
