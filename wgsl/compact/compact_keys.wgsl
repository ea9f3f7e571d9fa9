// How the kernels of a compaction read keys. src/core/sort/select/compact.ts explains their order.

#import key
#import key_total
#import same
#constant PARAMS  // number of the binding

struct CompactParams {
  key_count: u32,     // keys in the window, at most
  begin: u32,         // keys before the window
  lead: u32,          // keys before the window that are bound with it
  chunk: u32,         // keys per chunk; a workgroup owns a chunk
  first_chunk: u32,   // chunks before the window
  output_begin: u32,  // keys before the bound window of the output
  output_keys: u32,   // keys in the bound window of the output
  all_keys: u32,      // keys in all windows, at most
  count_at: u32,      // the word of the count that the device knows
}

// There is no such key.
const NONE = 0xffffffffu;

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(PARAMS) var<uniform> params: CompactParams;

// Key `i` of the window.
fn key_at(i: u32) -> Key {
  return unpack(keys[stored_at(params.lead + i)], params.lead + i);
}

// The number of keys in the window.
fn window_keys() -> u32 {
  let end = params.begin + params.key_count;
  return max(key_total(end, params.count_at), params.begin) - params.begin;
}

// Which keys a compaction keeps: the first of every run of equal keys.

// The key before key `i` of the window. The first of all keys has none; then this is the key itself.
fn key_before(i: u32) -> Key {
  let at = max(params.lead + i, 1u) - 1u;
  return unpack(keys[stored_at(at)], at);
}

fn is_kept(i: u32, key: Key, before: Key) -> bool {
  // These operators do not branch, as || may.
  return (params.begin + i == 0u) | !is_same(before, key);
}
