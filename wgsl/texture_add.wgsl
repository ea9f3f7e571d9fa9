// Sums two textures into a third, texel by texel: the D3D12 chapter's first compute shader. What exceeds 1 is
// stored as 1, which is the format's doing, not the kernel's.
//
// Constants: WIDTH and HEIGHT (invocations). src/demos/texture_add.ts plans it.

@group(0) @binding(0) var input_a: texture_2d<f32>;
@group(0) @binding(1) var input_b: texture_2d<f32>;
@group(0) @binding(2) var output: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(@builtin(global_invocation_id) id: vec3u) {
  // D3D ignores writes past the edge. WGSL leaves open what they do, so the kernel keeps from them.
  let size = textureDimensions(output);
  if id.x >= size.x || id.y >= size.y { return; }
  textureStore(output, id.xy, textureLoad(input_a, id.xy, 0) + textureLoad(input_b, id.xy, 0));
}
