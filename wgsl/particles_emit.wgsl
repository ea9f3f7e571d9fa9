// Appends particles of its own to a buffer, as many as there is room for.
//
// Uses particle. Constants: WORKGROUP_SIZE (invocations), TARGET (0 or 1, the buffer's counter).
// src/demos/particles.ts plans it.

struct Params {
  capacity: u32,   // particles
  count: u32,      // to append
  first_id: u32,
}

@group(0) @binding(0) var<storage, read> emitted: array<Particle>;   // by id
@group(0) @binding(1) var<storage, read_write> output: array<Particle>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>, 3>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  if global.x >= params.count { return; }
  let place = atomicAdd(&counters[COUNT + TARGET], 1u);
  if place >= params.capacity {
    atomicSub(&counters[COUNT + TARGET], 1u);
    atomicAdd(&counters[REFUSED], 1u);
    return;
  }
  output[place] = emitted[params.first_id + global.x];
}
