// A particle, and the counters by which buffers of them are consumed and appended to.

struct Particle {
  position: vec3f,
  id: u32,
  velocity: vec3f,
  unused: u32,
  acceleration: vec3f,
}

// Places in the array of counters: how many particles each of the two buffers holds, and how many were refused
// because the buffer that they should go to was full.
const COUNT = 0u;
const REFUSED = 2u;
