// Writes opaque white to every texel: listing 4 of Apple's article on threadgroup and grid sizes. A grid
// consists of whole workgroups, so it may be larger than the texture. An invocation beyond the edge returns.

#constant WIDTH  // invocations per workgroup
#constant HEIGHT

@group(0) @binding(0) var output: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(WIDTH, HEIGHT)
fn main(@builtin(global_invocation_id) position: vec3u) {
  let size = textureDimensions(output);
  if position.x >= size.x || position.y >= size.y { return; }
  textureStore(output, position.xy, vec4f(1.0));
}
