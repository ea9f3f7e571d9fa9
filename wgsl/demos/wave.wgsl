// A step of the wave equation on a grid, by central differences, as in the D3D12 book. The next height of a
// cell depends on its height now, its height one step ago, and its four neighbours' heights now.
// src/demos/waves.ts computes the constants.

struct WaveParams {
  k_previous: f32,
  k_current: f32,
  k_neighbours: f32,
}

fn next_height(params: WaveParams, previous: f32, current: f32, neighbours: f32) -> f32 {
  return params.k_previous * previous + params.k_current * current + params.k_neighbours * neighbours;
}
