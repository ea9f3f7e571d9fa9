// Lets a drop fall: raises one cell, and its four neighbours by half as much. A single invocation runs, as in
// the D3D12 book. The cell must be at least two cells from the edge.

struct DropParams {
  x: u32,
  y: u32,
  magnitude: f32,
}

@group(0) @binding(0) var heights: texture_storage_2d<r32float, read_write>;
@group(0) @binding(1) var<uniform> params: DropParams;

fn raise(cell: vec2u, by: f32) {
  textureStore(heights, cell, vec4f(textureLoad(heights, cell).r + by, 0.0, 0.0, 0.0));
}

@compute @workgroup_size(1)
fn main() {
  let half = 0.5 * params.magnitude;
  raise(vec2u(params.x, params.y), params.magnitude);
  raise(vec2u(params.x + 1u, params.y), half);
  raise(vec2u(params.x - 1u, params.y), half);
  raise(vec2u(params.x, params.y + 1u), half);
  raise(vec2u(params.x, params.y - 1u), half);
}
