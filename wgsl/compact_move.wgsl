// The move step of a compaction: one dispatch copies the keys that are kept to the output, without gaps and
// in their order. A workgroup goes through one chunk, tile by tile. An invocation owns KEYS_PER_INVOCATION
// consecutive keys of a tile: it counts those that are kept, a prefix sum over the workgroup gives their
// places, and it copies them. It reads its keys twice; the second time they are in the cache.

#import compact_keys
#import kept
#import order
#import radix_output
#import workgroup_scan
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION

@group(0) @binding(2) var<storage, read> starts: array<u32>;   // for each chunk: keys kept of earlier chunks

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, params.key_count);
  // Places are relative to the bound window of the output. Those before it are large numbers, modulo 2^32.
  var start = starts[params.first_chunk + workgroup.x] - params.output_begin;
  for (var tile = begin; tile < end; tile += TILE) {
    let first = min(tile + invocation * KEYS_PER_INVOCATION, end);
    let after = min(first + KEYS_PER_INVOCATION, end);
    var count = 0u;
    for (var i = first; i < after; i++) { count += select(0u, 1u, is_kept(i, key_at(i))); }
    var place = start + inclusive_sum(count, invocation) - count;
    for (var i = first; i < after; i++) {
      let key = key_at(i);
      if is_kept(i, key) {
        if place < params.output_keys { output[place] = output_of(to_ordered(key)); }
        place += 1u;
      }
    }
    start += scan_sums[WORKGROUP_SIZE - 1u];
    workgroupBarrier();
  }
}
