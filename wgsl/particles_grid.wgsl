// Makes of a buffer's counter the grid that consumes it, for an indirect dispatch: the CPU never learns the count.
//
// Uses particle. Constants: WORKGROUP_SIZE (invocations, of the kernel to dispatch), SOURCE (0 or 1, the buffer's
// counter). src/demos/particles.ts plans it.

@group(0) @binding(0) var<storage, read> counters: array<u32, 3>;
@group(0) @binding(1) var<storage, read_write> workgroups: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
  workgroups[0] = (counters[COUNT + SOURCE] + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  workgroups[1] = 1u;
  workgroups[2] = 1u;
}
