// The move step of a compaction: one dispatch copies the keys that are kept to the output, without gaps and in
// their order, and writes how long their runs are. A workgroup handles one chunk, tile by tile, from the first
// tile to the last of which a key is kept: most chunks of few different keys have none. Neighbouring
// invocations load neighbouring keys into workgroup memory. There each owns KEYS_PER_INVOCATION consecutive
// ones and counts those that are kept; a prefix sum over the workgroup gives their ranks. Then neighbouring
// invocations write the keys of neighbouring ranks.
//
// A run ends where the next one begins. So with each key goes the length of the run before; that of the chunk's
// last run follows from the first key that is kept of later chunks.

#import key
#import key_total
#import compact_keys
#import order
#import radix_output
#import written_keys/all
#import written_lengths
#import workgroup_sum
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION  // odd on hardware, so that neighbours use different banks of workgroup memory
#constant LOADS               // loads in flight; divides KEYS_PER_INVOCATION

// For each chunk, and once more after the last: the keys that are kept of earlier chunks, and the index of the
// first key that is kept from its begin on, or NONE.
@group(0) @binding(2) var<storage, read> chunks: array<vec2u>;

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

// The key before the tile, and its keys.
var<workgroup> tile_keys: array<Key, TILE + 1u>;
// Where the last key before the tile is that the chunk keeps, and for each rank, where its key is: counted from
// the begin of the tile, modulo 2^32.
var<workgroup> ranked: array<u32, TILE + 1u>;
var<workgroup> tile_kept: u32;

// Whether key `slot` of a tile is kept.
fn keeps(tile: u32, slot: u32) -> bool {
  return is_kept(tile + slot, tile_keys[slot + 1u], tile_keys[slot]);
}

alias Loaded = array<Key, LOADS>;

// Keys from `first` on, which neighbouring invocations load together.
fn keys_from(first: u32, end: u32) -> Loaded {
  var loaded: Loaded;
  #unroll
  for (var k = 0u; k < LOADS; k++) {
    loaded[k] = key_at(min(first + k * WORKGROUP_SIZE, end - 1u));
  }
  return loaded;
}

fn stage_keys(loaded: Loaded, slot: u32) {
  #unroll
  for (var k = 0u; k < LOADS; k++) {
    tile_keys[slot + k * WORKGROUP_SIZE + 1u] = loaded[k];
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let chunk = params.first_chunk + workgroup.x;
  let here = chunks[chunk];
  let after = chunks[chunk + 1u];
  let kept = after.x - here.x;
  if kept == 0u { return; }
  let next = min(after.y, key_total(params.all_keys, params.count_at));
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, window_keys());
  // Places are relative to the bound window of the output. Those before it are large numbers, modulo 2^32.
  let start = here.x - params.output_begin;
  var moved = 0u;
  let skipped = (here.y - params.begin - begin) / TILE;
  // The loads of a tile's first keys, on hardware of all, begin while the tile before is written.
  var loaded = keys_from(begin + skipped * TILE + invocation, end);
  var before = key_before(begin + skipped * TILE);
  for (var tile = begin + skipped * TILE; tile < end && moved < kept; tile += TILE) {
    if invocation == 0u { tile_keys[0] = before; }
    stage_keys(loaded, invocation);
    for (var slot = invocation + LOADS * WORKGROUP_SIZE; slot < TILE; slot += LOADS * WORKGROUP_SIZE) {
      stage_keys(keys_from(tile + slot, end), slot);
    }
    workgroupBarrier();
    if tile + TILE < end {
      loaded = keys_from(tile + TILE + invocation, end);
      before = key_before(tile + TILE);
    }

    let size = min(TILE, end - tile);
    let first = invocation * KEYS_PER_INVOCATION;
    let own_end = min(first + KEYS_PER_INVOCATION, size);
    var count = 0u;
    for (var part = first; part < own_end; part += LOADS) {
      #unroll
      for (var k = 0u; k < LOADS; k++) {
        count += select(0u, 1u, (part + k < size) & keeps(tile, part + k));
      }
    }
    var rank = sum_of_earlier(count, invocation);
    if invocation == WORKGROUP_SIZE - 1u { tile_kept = rank + count; }
    for (var part = first; part < own_end; part += LOADS) {
      #unroll
      for (var k = 0u; k < LOADS; k++) {
        if (part + k < size) & keeps(tile, part + k) {
          rank += 1u;
          ranked[rank] = part + k;
        }
      }
    }
    let kept_of_tile = workgroupUniformLoad(&tile_kept);

    for (var i = invocation; i < kept_of_tile; i += WORKGROUP_SIZE) {
      let slot = ranked[i + 1u];
      let place = start + moved + i;
      if place < params.output_keys { write_key(place, output_of(to_ordered(tile_keys[slot + 1u]))); }
      if HAS_LENGTHS {
        if moved + i > 0u && place - 1u < params.output_keys { write_length(place - 1u, slot - ranked[i]); }
        if moved + i == kept - 1u && place < params.output_keys {
          write_length(place, next - (params.begin + tile + slot));
        }
      }
    }
    moved += kept_of_tile;
    workgroupBarrier();
    // The next tile begins TILE keys later.
    if HAS_LENGTHS && invocation == 0u { ranked[0] = ranked[kept_of_tile] - TILE; }
  }
}
