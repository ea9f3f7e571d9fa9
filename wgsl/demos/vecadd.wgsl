// Adds two arrays of structs: "VecAdd" of the D3D12 chapter. src/demos/vecadd.ts packs the structs.
//
// HLSL packs float3 + float2 into 20 bytes. WGSL aligns a vec3f to 16 bytes, and a struct to its member with
// the largest alignment. So v2 starts at byte 16, and a struct takes 32 bytes.

#constant WORKGROUP_SIZE

struct Data {
  v1: vec3f,
  v2: vec2f,
}

struct AddParams {
  count: u32,
}

@group(0) @binding(0) var<storage, read> input_a: array<Data>;
@group(0) @binding(1) var<storage, read> input_b: array<Data>;
@group(0) @binding(2) var<storage, read_write> output: array<Data>;
@group(0) @binding(3) var<uniform> params: AddParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let i = global.x;
  if i >= params.count { return; }
  output[i].v1 = input_a[i].v1 + input_b[i].v1;
  output[i].v2 = input_a[i].v2 + input_b[i].v2;
}
