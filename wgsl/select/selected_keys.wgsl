// How the keys of a radix select are cut into chunks, when those that are selected are copied. A workgroup owns
// a chunk.

#import key
#import order
#import selection
#import known_bits
#constant PARAMS  // number of the binding

struct ChunkParams {
  begin: u32,        // keys before the window
  key_count: u32,    // keys in the window, at most
  chunk: u32,        // keys per chunk
  first_chunk: u32,  // chunks before the window
  chunks: u32,       // all chunks; a row of counts has one word more, for their sum
  only_after_fallback: u32,   // 1 to do nothing if the bound of the sample holds
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read> selection: Selection;
@group(0) @binding(PARAMS) var<uniform> params: ChunkParams;

// Key `i` of the window.
fn key_at(i: u32) -> Key {
  return unpack(keys[stored_at(i)], i);
}

// The number of keys in the window.
fn window_keys() -> u32 {
  return min(params.key_count, max(selection.key_count, params.begin) - params.begin);
}

// 1 for a key that is selected whatever comes before it, 1 in the upper half for a key that has the k-th
// key's known bits, 0 for all others. A tile has fewer than 2^16 keys, so both can be added up in one word.
fn selects(key: Key) -> u32 {
  let known = known_bits(selection, to_ordered(key));
  let is_equal = all(known == prefix_of(selection));
  return select(select(0u, 1u << 16u, is_equal), 1u, is_before(selection, known));
}
