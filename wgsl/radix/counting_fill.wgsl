// The second half of a counting sort of one-byte keys. One dispatch writes the sorted keys, packed four to a
// word, from the number of keys with each ordered form. Each workgroup computes where the keys of each
// ordered form end. Each invocation then writes every stride-th word: it finds the ordered form of the word's
// first key by binary search and steps on from there.

#import order
#import digit
#import workgroup_scan
#constant WORKGROUP_SIZE  // divides DIGITS

struct FillParams {
  key_count: u32,  // keys in the bound window of the output
  key_begin: u32,  // keys before the window
  stride: u32,     // invocations in the whole grid: each writes every stride-th word
}

@group(0) @binding(0) var<storage, read> totals: array<u32>;   // number of keys with each ordered form
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<uniform> params: FillParams;

// For each ordered form: the place after its last key.
var<workgroup> ends: array<u32, DIGITS>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  const PIECE = DIGITS / WORKGROUP_SIZE; // ordered forms per invocation
  var sum = 0u;
  for (var i = 0u; i < PIECE; i++) { sum += totals[invocation * PIECE + i]; }
  var end = inclusive_sum(sum, invocation) - sum;
  for (var i = 0u; i < PIECE; i++) {
    end += totals[invocation * PIECE + i];
    ends[invocation * PIECE + i] = end;
  }
  workgroupBarrier();

  for (var word = global.x; word < (params.key_count + 3u) / 4u; word += params.stride) {
    // The ordered form of the word's first key is the smallest one that ends after that key.
    let first = params.key_begin + word * 4u;
    var ordered = 0u;
    for (var step = DIGITS / 2u; step > 0u; step /= 2u) {
      if ends[ordered + step - 1u] <= first { ordered += step; }
    }
    var packed = 0u;
    for (var i = 0u; i < 4u; i++) {
      if word * 4u + i < params.key_count {
        while ends[ordered] <= first + i { ordered += 1u; }
        packed |= from_ordered(ordered) << (i * 8u);
      } else {
        // Keys past the last one must stay unchanged.
        packed |= keys[word] & (0xffu << (i * 8u));
      }
    }
    keys[word] = packed;
  }
}
