// Adds two textures texel by texel: the D3D12 chapter's first compute shader. The output's format stores a
// sum above 1 as 1.

#constant WIDTH  // invocations per workgroup
#constant HEIGHT

@group(0) @binding(0) var input_a: texture_2d<f32>;
@group(0) @binding(1) var input_b: texture_2d<f32>;
@group(0) @binding(2) var output: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(@builtin(global_invocation_id) id: vec3u) {
  // D3D ignores writes beyond the edge. WGSL does not define their effect, so this kernel avoids them.
  let size = textureDimensions(output);
  if id.x >= size.x || id.y >= size.y { return; }
  textureStore(output, id.xy, textureLoad(input_a, id.xy, 0) + textureLoad(input_b, id.xy, 0));
}
