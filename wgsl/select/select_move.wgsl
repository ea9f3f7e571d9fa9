// The last step of copying what a selection found: one dispatch copies the selected keys, with what belongs to
// them. Those before the k-th key's known bits come first, then those with these bits, each in the order
// of the input. So a stable sort of them has the order of a stable sort of all keys. A workgroup goes through a
// chunk tile by tile. An invocation owns KEYS_PER_INVOCATION consecutive keys of a tile, which it reads twice;
// the second time they are in the cache.

#import key
#import selected_keys
#import moved_values
#import workgroup_scan
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION

@group(0) @binding(2) var<storage, read> starts: array<u32>;   // two rows: such keys of earlier chunks, and all
@group(0) @binding(3) var<storage, read_write> output: array<Key>;

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if params.only_after_fallback == 1u && selection.fell_back == 0u { return; }
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, window_keys());
  let chunk = params.first_chunk + workgroup.x;
  let equals = params.chunks + 1u + chunk;
  var before = starts[chunk];
  var equal = starts[equals];
  // A bound by a sample leaves most chunks without any selected key, which need not be read again.
  if selection.selected == 0u { return; }
  if starts[chunk + 1u] == before && (equal >= selection.taken || starts[equals + 1u] == equal) { return; }
  for (var tile = begin; tile < end; tile += TILE) {
    let first = min(tile + invocation * KEYS_PER_INVOCATION, end);
    let after = min(first + KEYS_PER_INVOCATION, end);
    var own_counts = 0u;
    for (var i = first; i < after; i++) { own_counts += selects(key_at(i)); }
    let earlier = inclusive_sum(own_counts, invocation) - own_counts;
    var place = before + (earlier & 0xffffu);
    var rank = equal + (earlier >> 16u);
    for (var i = first; own_counts != 0u && i < after; i++) {
      let key = key_at(i);
      let selected = selects(key);
      if selected == 1u {
        output[place] = key;
        move_value(i, params.begin + i, place);
        place += 1u;
      } else if selected != 0u {
        if rank < selection.taken {
          output[selection.before + rank] = key;
          move_value(i, params.begin + i, selection.before + rank);
        }
        rank += 1u;
      }
    }
    let all = scan_sums[WORKGROUP_SIZE - 1u];
    before += all & 0xffffu;
    equal += all >> 16u;
    workgroupBarrier();
  }
}
