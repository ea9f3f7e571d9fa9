// Copies the first keys of each sorted segment, with what belongs to them, one segment after the other. An
// invocation writes every stride-th word of the keys, and looks for the segment of each key in it.

#import key
#import first_source/listed
#import moved_values
#constant WORKGROUP_SIZE
#constant PER_WORD   // keys per word: 4, 2 or 1
#constant KEY_WORDS  // words per key: 1 or 2
#constant PARAMS     // number of the binding

struct KeepParams {
  key_count: u32,
  segments: u32,
  stride: u32,  // invocations in the whole grid
}

@group(0) @binding(0) var<storage, read> sorted: array<Stored>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;   // one more than there are segments
@group(0) @binding(PARAMS) var<uniform> params: KeepParams;

// The place among all keys of key `at` of the result.
fn origin_of(at: u32) -> u32 {
  var low = 0u;
  var high = params.segments;
  while low < high {
    let middle = (low + high) / 2u;
    if starts[middle + 1u] <= at { low = middle + 1u; } else { high = middle; }
  }
  let segment = min(low, params.segments - 1u);
  let begin = segment_of(segment, params.key_count, 0u).x;
  return min(begin + at - starts[segment], params.key_count - 1u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let total = starts[params.segments];
  let words = (total * KEY_WORDS + PER_WORD - 1u) / PER_WORD;
  for (var word = global.x; word < words; word += params.stride) {
    var packed = 0u;
    for (var i = 0u; i < PER_WORD; i++) {
      let at = word * PER_WORD / KEY_WORDS + i;
      if at < total {
        let origin = origin_of(at);
        let key = unpack(sorted[stored_at(origin)], origin);
        packed |= word_at(key, word % KEY_WORDS) << (i * (32u / PER_WORD));
        if word % KEY_WORDS == 0u { move_value(origin, origin, at); }
      }
    }
    output[word] = packed;
  }
}
