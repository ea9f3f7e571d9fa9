// The second step of a compaction by flags: one dispatch copies the items whose flag is not 0 to the output,
// without gaps and in their order, or writes their indices, or both. A workgroup owns a chunk, and begins
// behind what the chunks before it keep. It goes through its chunk tile by tile: neighbouring invocations load
// neighbouring flags into workgroup memory. There each owns ELEMENTS_PER_INVOCATION consecutive ones; a scan of
// their numbers over the workgroup ranks the kept items. Then neighbouring invocations move those of
// neighbouring ranks. The workgroup of the last chunk writes how many items are kept in all.

#import sum_scan
#import summed_chunks
#import earlier_chunks
#import scan_tile
#import kept_slots
#import kept_values
#import kept_indices
#constant WORKGROUP_SIZE
#constant ELEMENTS_PER_INVOCATION  // at most 32

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
