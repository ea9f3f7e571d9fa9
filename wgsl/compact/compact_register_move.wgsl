// The move step of a compaction as in compact_move.wgsl, for hardware. An invocation loads KEYS_PER_INVOCATION
// consecutive keys as vectors, and keeps them in registers; a prefix sum over the workgroup gives the ranks of
// those that are kept. Only these go through workgroup memory, to the invocations that write neighbouring
// places: first the keys, then through the same memory where they were.

#import key
#import key_total
#import compact_keys
#import compact_vectors
#import order
#import radix_output
#import written_keys/all
#import written_lengths
#import workgroup_sum
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION  // a multiple of VECTOR_KEYS, less than 32
#constant VECTORS_LOADED       // KEYS_PER_INVOCATION / VECTOR_KEYS
#constant VECTOR_KEYS
#constant ALIGNMENT            // a power of two: invocations write from a multiple of this many places on

#if chunk_place/scanned
// A scan has turned the counts of the chunks into places.

// For each chunk, and once more after the last: the keys that are kept of earlier chunks, and the index of the
// first key that is kept from its begin on, or NONE.
@group(0) @binding(2) var<storage, read> chunks: array<vec2u>;

// The keys that a chunk keeps, and the index of the first of them among all keys.
fn counts_of_chunk(chunk: u32) -> vec2u {
  return vec2u(chunks[chunk + 1u].x - chunks[chunk].x, chunks[chunk].y);
}

// The place of the first key that a chunk keeps, and the index of the first key that is kept of later chunks,
// or a large number. All invocations of a workgroup must call it.
fn place_of_chunk(chunk: u32, invocation: u32) -> vec2u {
  return vec2u(chunks[chunk].x, chunks[chunk + 1u].y);
}

#elif chunk_place/summed
// Each workgroup adds up the counts of the other chunks itself, without a scan; one window has all chunks.
// The workgroup of the last chunk writes how many keys are kept in all.

#import subgroup_reduction/all
#constant TOTAL  // number of the binding

// For each chunk: the keys that it keeps, and the index of the first of them among all keys, or NONE.
@group(0) @binding(2) var<storage, read> chunks: array<vec2u>;
@group(0) @binding(TOTAL) var<storage, read_write> total: array<u32>;   // its first word is the number

var<workgroup> kept_before: atomic<u32>;
var<workgroup> first_after: atomic<u32>;

// The keys that a chunk keeps, and the index of the first of them among all keys.
fn counts_of_chunk(chunk: u32) -> vec2u {
  return chunks[chunk];
}

// The place of the first key that a chunk keeps, and the index of the first key that is kept of later chunks,
// or a large number. All invocations of a workgroup must call it.
fn place_of_chunk(chunk: u32, invocation: u32) -> vec2u {
  let all_chunks = max(1u, (params.key_count + params.chunk - 1u) / params.chunk);
  let here = chunks[chunk];
  // Nobody asks for the place of a chunk that keeps no key.
  if here.x == 0u && chunk + 1u < all_chunks { return vec2u(0u, NONE); }
  if invocation == 0u {
    atomicStore(&kept_before, 0u);
    atomicStore(&first_after, NONE);
  }
  workgroupBarrier();
  var before = 0u;
  var next = NONE;
  for (var i = invocation; i < all_chunks; i += WORKGROUP_SIZE) {
    let other = chunks[i];
    before += select(0u, other.x, i < chunk);
    next = min(next, select(NONE, other.y, i > chunk));
  }
  let kept = sum_of_subgroup(before);
  let least = least_of_subgroup(next);
  if speaks_for_subgroup() {
    atomicAdd(&kept_before, kept);
    atomicMin(&first_after, least);
  }
  workgroupBarrier();
  let begin = atomicLoad(&kept_before);
  if chunk + 1u == all_chunks && invocation == 0u { total[0] = begin + here.x; }
  return vec2u(begin, atomicLoad(&first_after));
}

#end

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

// For each rank: the key that is kept; then, one later, where it is, and first the last key before the tile
// that the chunk keeps: both counted from the begin of the tile, modulo 2^32. One word in 33 is free, so that
// invocations with consecutive ranks each use different banks.
var<workgroup> ranked: array<Key, TILE + TILE / 32u + 1u>;
var<workgroup> tile_kept: u32;

fn slot_of(rank: u32) -> u32 {
  return rank + (rank >> 5u);
}

fn position_of(rank: u32) -> u32 {
  return key_as_value(ranked[slot_of(rank)]);
}

// The key before those of an invocation, and its keys.
alias Own = array<Key, KEYS_PER_INVOCATION + 1u>;

// The keys from `first` on. If the tile is not whole, those from `end` on are any.
fn own_keys(first: u32, end: u32, is_whole: bool) -> Own {
  var own: Own;
  if is_whole {
    #unroll
    for (var v = 0u; v < VECTORS_LOADED; v++) {
      let loaded = keys_at(first + v * VECTOR_KEYS);
      #unroll
      for (var k = 0u; k < VECTOR_KEYS; k++) {
        own[v * VECTOR_KEYS + k + 1u] = loaded[k];
      }
    }
    own[0] = key_before(first);
  } else {
    #unroll
    for (var k = 0u; k < KEYS_PER_INVOCATION; k++) {
      own[k + 1u] = key_at(min(first + k, end - 1u));
    }
    own[0] = key_before(min(first, end - 1u));
  }
  return own;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let chunk = params.first_chunk + workgroup.x;
  let counts_here = counts_of_chunk(chunk);
  let place_here = place_of_chunk(chunk, invocation);
  let kept = counts_here.x;
  if kept == 0u { return; }
  let next = min(place_here.y, key_total(params.all_keys, params.count_at));
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, window_keys());
  // Places are relative to the bound window of the output. Those before it are large numbers, modulo 2^32.
  let start = place_here.x - params.output_begin;
  let own_slot = invocation * KEYS_PER_INVOCATION;
  var moved = 0u;
  var last = 0u;
  var tile = begin + (counts_here.y - params.begin - begin) / TILE * TILE;
  var own = own_keys(tile + own_slot, end, tile + TILE <= end);
  loop {
    let first = tile + own_slot;
    var kept_bits = 0u;
    #unroll
    for (var k = 0u; k < KEYS_PER_INVOCATION; k++) {
      kept_bits |= select(0u, 1u << k, is_kept(first + k, own[k + 1u], own[k]));
    }
    let own_end = max(end, first) - first;
    if own_end < KEYS_PER_INVOCATION { kept_bits &= (1u << own_end) - 1u; }
    let count = countOneBits(kept_bits);
    let own_rank = sum_of_earlier(count, invocation);
    if invocation == WORKGROUP_SIZE - 1u { tile_kept = own_rank + count; }
    var rank = own_rank;
    #unroll
    for (var k = 0u; k < KEYS_PER_INVOCATION; k++) {
      if (kept_bits & (1u << k)) != 0u {
        ranked[slot_of(rank)] = own[k + 1u];
        rank += 1u;
      }
    }
    let kept_of_tile = workgroupUniformLoad(&tile_kept);
    let is_last = moved + kept_of_tile >= kept || tile + TILE >= end;
    // The loads of the next tile begin while this one is written.
    if !is_last { own = own_keys(first + TILE, end, tile + 2u * TILE <= end); }

    let place = start + moved;
    let skipped = place % ALIGNMENT;
    for (var i = invocation; i < skipped + kept_of_tile; i += WORKGROUP_SIZE) {
      let to = place - skipped + i;
      if i >= skipped && to < params.output_keys {
        write_key(to, output_of(to_ordered(ranked[slot_of(i - skipped)])));
      }
    }
    if HAS_LENGTHS {
      workgroupBarrier();
      if invocation == 0u { ranked[0] = value_as_key(last); }
      rank = own_rank;
      #unroll
      for (var k = 0u; k < KEYS_PER_INVOCATION; k++) {
        if (kept_bits & (1u << k)) != 0u {
          rank += 1u;
          ranked[slot_of(rank)] = value_as_key(own_slot + k);
        }
      }
      workgroupBarrier();
      // A run ends where the next begins, so these go one place before the keys.
      let length_place = place - 1u;
      let unwritten = length_place % ALIGNMENT;
      for (var i = invocation; i < unwritten + kept_of_tile; i += WORKGROUP_SIZE) {
        let to = length_place - unwritten + i;
        let rank = i - unwritten;
        // The run before the chunk's first key is another chunk's.
        if i >= unwritten && moved + rank > 0u && to < params.output_keys {
          write_length(to, position_of(rank + 1u) - position_of(rank));
        }
      }
      let last_place = start + kept - 1u;
      if is_last && invocation == 0u && last_place < params.output_keys {
        write_length(last_place, next - (params.begin + tile + position_of(kept_of_tile)));
      }
      last = position_of(kept_of_tile) - TILE;
    }
    if is_last { break; }
    moved += kept_of_tile;
    tile += TILE;
  }
}
