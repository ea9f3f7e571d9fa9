// One step of the waves, version 1 of the D3D12 chapter: texels are loaded by integer indices. The outermost
// cells stay at 0, so every index is inside the texture.

#import wave
#constant WIDTH  // invocations per workgroup
#constant HEIGHT

@group(0) @binding(0) var previous: texture_2d<f32>;
@group(0) @binding(1) var current: texture_2d<f32>;
@group(0) @binding(2) var next: texture_storage_2d<r32float, write>;
@group(0) @binding(3) var<uniform> params: WaveParams;

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(next);
  if id.x >= size.x || id.y >= size.y { return; }
  var height = 0.0;
  if id.x > 0u && id.y > 0u && id.x + 1u < size.x && id.y + 1u < size.y {
    let below = textureLoad(current, vec2u(id.x, id.y + 1u), 0).r;
    let above = textureLoad(current, vec2u(id.x, id.y - 1u), 0).r;
    let right = textureLoad(current, vec2u(id.x + 1u, id.y), 0).r;
    let left = textureLoad(current, vec2u(id.x - 1u, id.y), 0).r;
    let here = textureLoad(current, id.xy, 0).r;
    let before = textureLoad(previous, id.xy, 0).r;
    height = next_height(params, before, here, below + above + right + left);
  }
  textureStore(next, id.xy, vec4f(height, 0.0, 0.0, 0.0));
}
