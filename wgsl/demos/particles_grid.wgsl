// Computes the grid of the pass that consumes a buffer, from the buffer's counter. The pass is dispatched
// indirectly from this grid, so the CPU never needs to know the count.

#import particle
#constant WORKGROUP_SIZE  // of the dispatched kernel
#constant SOURCE          // the buffer's counter: 0 or 1

@group(0) @binding(0) var<storage, read> counters: array<u32, 3>;
@group(0) @binding(1) var<storage, read_write> workgroups: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
  workgroups[0] = (counters[COUNT + SOURCE] + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  workgroups[1] = 1u;
  workgroups[2] = 1u;
}
