// Consumes particles from one buffer, moves them, and appends them to another: the consume and append buffers
// of the D3D12 chapter. WGSL has no such buffers, so each is an array and an atomic counter. The device
// decides which invocation gets which particle, and where the particle is appended.

#import particle
#constant WORKGROUP_SIZE
#constant SOURCE  // the counter of the consumed buffer: 0 or 1
#constant TARGET  // the counter of the other buffer

struct StepParams {
  capacity: u32,  // particles for which each buffer has room
  seconds: f32,   // time per step
}

@group(0) @binding(0) var<storage, read> input: array<Particle>;
@group(0) @binding(1) var<storage, read_write> output: array<Particle>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>, 3>;
@group(0) @binding(3) var<uniform> params: StepParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main() {
  // Consume. If there are more invocations than particles, the last invocations find none. For them the
  // counter is 0, or it has wrapped below 0 to a number above the capacity, since other invocations have
  // subtracted 1 and not yet added it back.
  let left = atomicSub(&counters[COUNT + SOURCE], 1u);
  if left == 0u || left > params.capacity {
    atomicAdd(&counters[COUNT + SOURCE], 1u);
    return;
  }
  var particle = input[left - 1u];

  particle.velocity += particle.acceleration * params.seconds;
  particle.position += particle.velocity * params.seconds;

  // Append the particle if the buffer has room for it.
  let place = atomicAdd(&counters[COUNT + TARGET], 1u);
  if place >= params.capacity {
    atomicSub(&counters[COUNT + TARGET], 1u);
    atomicAdd(&counters[REFUSED], 1u);
    return;
  }
  output[place] = particle;
}
