// Computes the energy of the waves: that of their motion between two steps, and that of their slope, as the
// product of the slopes at both steps. This sum stays constant in steps without damping. One workgroup
// computes it: each invocation sums its own rows, and then the first invocation sums all results. The order
// of the additions is fixed, so the result is the same in every run.

#constant WORKGROUP_SIZE

struct EnergyParams {
  place: u32,   // where to write the sum
  motion: f32,  // energy of a cell that moves by 1 per step
  slope: f32,   // energy of a cell that is 1 higher than a neighbour
}

@group(0) @binding(0) var previous: texture_2d<f32>;
@group(0) @binding(1) var current: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> energies: array<f32>;
@group(0) @binding(3) var<uniform> params: EnergyParams;

var<workgroup> sums: array<f32, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let size = textureDimensions(current);
  var sum = 0.0;
  for (var y = invocation; y + 1u < size.y; y += WORKGROUP_SIZE) {
    var row = 0.0;
    for (var x = 0u; x + 1u < size.x; x++) {
      let now = textureLoad(current, vec2u(x, y), 0).r;
      let before = textureLoad(previous, vec2u(x, y), 0).r;
      let right = textureLoad(current, vec2u(x + 1u, y), 0).r - now;
      let below = textureLoad(current, vec2u(x, y + 1u), 0).r - now;
      let right_before = textureLoad(previous, vec2u(x + 1u, y), 0).r - before;
      let below_before = textureLoad(previous, vec2u(x, y + 1u), 0).r - before;
      let moved = now - before;
      row += params.motion * moved * moved + params.slope * (right * right_before + below * below_before);
    }
    sum += row;
  }
  sums[invocation] = sum;
  workgroupBarrier();
  if invocation > 0u { return; }
  var total = 0.0;
  for (var i = 0u; i < WORKGROUP_SIZE; i++) { total += sums[i]; }
  energies[params.place] = total;
}
