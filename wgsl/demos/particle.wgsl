// A particle, and the counters of the buffers that hold particles.

struct Particle {
  position: vec3f,
  id: u32,
  velocity: vec3f,
  unused: u32,
  acceleration: vec3f,
}

// Indices into the array of counters. COUNT and COUNT + 1 hold the number of particles in the two buffers.
// REFUSED holds the number of particles that did not fit.
const COUNT = 0u;
const REFUSED = 2u;
