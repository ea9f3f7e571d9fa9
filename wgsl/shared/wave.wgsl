// The D3D12 book's wave equation on a grid, by central differences: the next height of a cell from its height now
// and one step ago, and from its four neighbours' heights now. src/demos/waves.ts gives the constants.

struct Params {
  k_previous: f32,
  k_current: f32,
  k_neighbours: f32,
}

fn next_height(params: Params, previous: f32, current: f32, neighbours: f32) -> f32 {
  return params.k_previous * previous + params.k_current * current + params.k_neighbours * neighbours;
}
