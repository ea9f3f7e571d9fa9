// One pass of a separable Gaussian blur: the D3D12 chapter's HorzBlurCS, or with VERTICAL 1 its VertBlurCS. A
// workgroup blurs LINE pixels of a row or a column. It first loads these pixels, and `radius` more on both
// sides, into workgroup memory. So each pixel is loaded once instead of 2 * radius + 1 times. Beyond the
// image's edge, the edge pixel is repeated.

#constant LINE      // pixels per workgroup
#constant WORKGROUP_SIZE
#constant VERTICAL  // 0 or 1

const MAX_RADIUS = 5u;

struct BlurParams {
  radius: u32,               // at most MAX_RADIUS
  weights: array<vec4f, 3>,  // the first 2 * radius + 1 are used
}

@group(0) @binding(0) var input: texture_2d<f32>;
@group(0) @binding(1) var output: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(2) var<uniform> params: BlurParams;

var<workgroup> cache: array<vec4f, LINE + 2u * MAX_RADIUS>;

fn texel(along: u32, line: u32) -> vec2u {
  return select(vec2u(along, line), vec2u(line, along), VERTICAL == 1u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let size = textureDimensions(input);
  let length = select(size.x, size.y, VERTICAL == 1u);
  let first = workgroup.x * LINE;
  let line = workgroup.y;
  let radius = params.radius;

  for (var slot = invocation; slot < LINE + 2u * radius; slot += WORKGROUP_SIZE) {
    let along = min(max(first + slot, radius) - radius, length - 1u);
    cache[slot] = textureLoad(input, texel(along, line), 0);
  }
  workgroupBarrier();

  for (var i = invocation; i < LINE; i += WORKGROUP_SIZE) {
    if first + i >= length { break; }
    var colour = vec4f(0.0);
    for (var k = 0u; k <= 2u * radius; k++) {
      colour += params.weights[k / 4u][k % 4u] * cache[i + k];
    }
    textureStore(output, texel(first + i, line), colour);
  }
}
