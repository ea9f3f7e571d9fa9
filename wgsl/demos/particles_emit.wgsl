// Appends particles to a buffer, and counts those for which it has no room.

#import particle
#constant WORKGROUP_SIZE
#constant TARGET  // the buffer's counter: 0 or 1

struct EmitParams {
  capacity: u32,  // particles for which the buffer has room
  count: u32,     // particles to append
  first_id: u32,  // the id of the first of them
}

@group(0) @binding(0) var<storage, read> emitted: array<Particle>;   // indexed by id
@group(0) @binding(1) var<storage, read_write> output: array<Particle>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>, 3>;
@group(0) @binding(3) var<uniform> params: EmitParams;

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
