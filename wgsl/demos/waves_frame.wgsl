// Stores a picture of the waves in a buffer: the height of each cell as a byte, with 128 for a height of 0. A
// word holds four cells.

#import grid
#constant WORKGROUP_SIZE

struct FrameParams {
  first_word: u32,      // the frame's first word in the buffer
  words: u32,           // words per frame
  steps_per_unit: f32,  // how much a height of 1 adds to the byte
}

@group(0) @binding(0) var heights: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> frames: array<u32>;
@group(0) @binding(2) var<uniform> params: FrameParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let at = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if at >= params.words { return; }
  let size = textureDimensions(heights);
  var word = 0u;
  for (var k = 0u; k < 4u; k++) {
    let cell = min(4u * at + k, size.x * size.y - 1u);
    let height = textureLoad(heights, vec2u(cell % size.x, cell / size.x), 0).r;
    let shade = clamp(128.0 + round(height * params.steps_per_unit), 0.0, 255.0);
    word |= u32(shade) << (8u * k);
  }
  frames[params.first_word + at] = word;
}
