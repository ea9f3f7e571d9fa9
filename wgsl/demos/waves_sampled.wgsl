// One step of the waves, version 2 of the D3D12 chapter: textures are sampled at the nearest texel, with
// coordinates from 0 to 1. The middle of a texel is half a texel from its corner. The chapter omits that
// half, and so samples at the border between two texels.

#import wave
#constant WIDTH  // invocations per workgroup
#constant HEIGHT

@group(0) @binding(0) var previous: texture_2d<f32>;
@group(0) @binding(1) var current: texture_2d<f32>;
@group(0) @binding(2) var point: sampler;
@group(0) @binding(3) var next: texture_storage_2d<r32float, write>;
@group(0) @binding(4) var<uniform> params: WaveParams;

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(next);
  if id.x >= size.x || id.y >= size.y { return; }
  var height = 0.0;
  if id.x > 0u && id.y > 0u && id.x + 1u < size.x && id.y + 1u < size.y {
    let texel = 1.0 / vec2f(size);
    let middle = (vec2f(id.xy) + 0.5) * texel;
    let below = textureSampleLevel(current, point, middle + vec2f(0.0, texel.y), 0.0).r;
    let above = textureSampleLevel(current, point, middle - vec2f(0.0, texel.y), 0.0).r;
    let right = textureSampleLevel(current, point, middle + vec2f(texel.x, 0.0), 0.0).r;
    let left = textureSampleLevel(current, point, middle - vec2f(texel.x, 0.0), 0.0).r;
    let here = textureSampleLevel(current, point, middle, 0.0).r;
    let before = textureSampleLevel(previous, point, middle, 0.0).r;
    height = next_height(params, before, here, below + above + right + left);
  }
  textureStore(next, id.xy, vec4f(height, 0.0, 0.0, 0.0));
}
