// The second step of a compaction by flags: one dispatch copies the items whose flag is not 0 to the output,
// without gaps and in their order, or writes their indices, or both. A workgroup owns a chunk, and begins
// behind what the chunks before it keep. It goes through its chunk tile by tile: neighbouring invocations load
// neighbouring flags into workgroup memory. There each owns ELEMENTS_PER_INVOCATION consecutive ones; a scan of
// their numbers over the workgroup ranks the kept items. Then neighbouring invocations move those of
// neighbouring ranks. The workgroup of the last chunk writes how many items are kept in all.

#import sum_scan
#import scan_tile
#constant WORKGROUP_SIZE
#constant ELEMENTS_PER_INVOCATION  // at most 32

struct KeptItems {
  tile: u32,   // where their tile begins in the window of the input
  place: u32,  // of the first one in the bound window of the output: a large number, modulo 2^32, if before it
  count: u32,
}

fn is_bound(place: u32) -> bool {
  return place < params.output_count;
}

#if kept_indices/all
// The indices of the kept items are written.

#constant INDICES  // number of the binding

@group(0) @binding(INDICES) var<storage, read_write> kept_indices: array<u32>;

fn write_indices(kept: KeptItems, invocation: u32) {
  for (var rank = invocation; rank < kept.count; rank += WORKGROUP_SIZE) {
    if is_bound(kept.place + rank) {
      kept_indices[kept.place + rank] = params.begin + kept.tile + tile_elements[rank];
    }
  }
}
#else
// No indices are written.

fn write_indices(kept: KeptItems, invocation: u32) {}
#end

#if kept_values/words
// Values of some words each are moved. Neighbouring invocations write neighbouring words.

#constant VALUE_WORDS
#constant VALUES  // number of the first of two bindings

@group(0) @binding(VALUES) var<storage, read> values: array<u32>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> kept_values: array<u32>;

fn move_values(kept: KeptItems, invocation: u32) {
  for (var i = invocation; i < kept.count * VALUE_WORDS; i += WORKGROUP_SIZE) {
    let rank = i / VALUE_WORDS;
    let word = i % VALUE_WORDS;
    if is_bound(kept.place + rank) {
      let value = values[(kept.tile + tile_elements[rank]) * VALUE_WORDS + word];
      kept_values[(kept.place + rank) * VALUE_WORDS + word] = value;
    }
  }
}
#else
// No values are moved.

fn move_values(kept: KeptItems, invocation: u32) {}
#end

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let chunk = chunk_of(workgroup.x);
  if chunk.begin >= chunk.end && !is_last(chunk) { return; }
  var before = sum_of_earlier_chunks(chunk, invocation);
  for (var tile = chunk.begin; tile < chunk.end; tile += TILE) {
    load_tile(tile, chunk.end, invocation);
    workgroupBarrier();
    let first = invocation * ELEMENTS_PER_INVOCATION;
    var kept_bits = 0u;
    for (var k = 0u; k < ELEMENTS_PER_INVOCATION; k++) {
      kept_bits |= tile_elements[first + k] << k;
    }
    // All have read their flags when this returns.
    let ranks = sums_of(countOneBits(kept_bits), invocation);
    var rank = ranks.before;
    for (var k = 0u; k < ELEMENTS_PER_INVOCATION; k++) {
      if (kept_bits & (1u << k)) != 0u {
        tile_elements[rank] = first + k;
        rank += 1u;
      }
    }
    workgroupBarrier();
    let kept = KeptItems(tile, before - params.output_begin, ranks.all);
    move_values(kept, invocation);
    write_indices(kept, invocation);
    before += ranks.all;
    workgroupBarrier();
  }
  if is_last(chunk) && invocation == 0u { total[params.total_at] = before; }
}
