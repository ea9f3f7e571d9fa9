// Consumes particles from one buffer, moves them on, and appends them to another: the D3D12 chapter's consume and
// append buffers. WGSL has no such buffers; they are an array and a counter that is changed atomically. Which
// invocation gets which particle, and where it lands, is left to the device.
//
// Uses particle. Constants: WORKGROUP_SIZE (invocations), SOURCE and TARGET (0 or 1, the buffers' counters).
// src/demos/particles.ts plans it.

struct Params {
  capacity: u32,      // particles, of either buffer
  seconds: f32,       // a step
}

@group(0) @binding(0) var<storage, read> input: array<Particle>;
@group(0) @binding(1) var<storage, read_write> output: array<Particle>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>, 3>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main() {
  // Consume. Of more invocations than particles the last find none: the counter is 0, or below it, which is a
  // number past the capacity, until those who took it there have put back what they took.
  let left = atomicSub(&counters[COUNT + SOURCE], 1u);
  if left == 0u || left > params.capacity {
    atomicAdd(&counters[COUNT + SOURCE], 1u);
    return;
  }
  var particle = input[left - 1u];

  particle.velocity += particle.acceleration * params.seconds;
  particle.position += particle.velocity * params.seconds;

  // Append, if there is room: the buffer does not grow.
  let place = atomicAdd(&counters[COUNT + TARGET], 1u);
  if place >= params.capacity {
    atomicSub(&counters[COUNT + TARGET], 1u);
    atomicAdd(&counters[REFUSED], 1u);
    return;
  }
  output[place] = particle;
}
