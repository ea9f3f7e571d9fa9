// Writes keys of one byte in order, given how many there are of each: the second half of a counting sort. A word of four
// keys an invocation. src/twins/radix.ts has its twin.
//
// Uses key8, its order, digit and workgroup_scan. Constants: WORKGROUP_SIZE (invocations, which divides DIGITS).

struct Params {
  key_count: u32,  // in the window that is bound
  key_begin: u32,  // keys before it
  stride: u32,     // invocations in the whole grid: each takes every stride-th word
}

@group(0) @binding(0) var<storage, read> totals: array<u32>;   // keys of each image
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

// The place after the last key of each image.
var<workgroup> ends: array<u32, DIGITS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  const A_PIECE = DIGITS / WORKGROUP_SIZE;
  var sum = 0u;
  for (var i = 0u; i < A_PIECE; i++) { sum += totals[invocation * A_PIECE + i]; }
  var end = inclusive_sum(sum, invocation) - sum;
  for (var i = 0u; i < A_PIECE; i++) {
    end += totals[invocation * A_PIECE + i];
    ends[invocation * A_PIECE + i] = end;
  }
  workgroupBarrier();

  for (var word = global.x; word < (params.key_count + 3u) / 4u; word += params.stride) {
    // The image of the word's first key: the least whose end is past it.
    let first = params.key_begin + word * 4u;
    var image = 0u;
    for (var step = DIGITS / 2u; step > 0u; step /= 2u) {
      if ends[image + step - 1u] <= first { image += step; }
    }
    var packed = 0u;
    for (var i = 0u; i < 4u; i++) {
      if word * 4u + i < params.key_count {
        while ends[image] <= first + i { image += 1u; }
        packed |= from_ordered(image) << (i * 8u);
      }
    }
    keys[word] = packed;
  }
}
