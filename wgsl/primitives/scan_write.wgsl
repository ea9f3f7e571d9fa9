// The second step of a scan: one dispatch writes for each element the sum of all elements before it. A
// workgroup owns a chunk, and begins with the sum of the chunks before it. It goes through its chunk tile by
// tile: neighbouring invocations load neighbouring elements into workgroup memory. There each owns
// ELEMENTS_PER_INVOCATION consecutive ones; a scan of their sums over the workgroup says where each begins. The
// workgroup of the last chunk writes the total.

#import sum_scan
#import scan_tile
#constant WORKGROUP_SIZE
#constant ELEMENTS_PER_INVOCATION

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let chunk = chunk_of(workgroup.x);
  if chunk.begin >= chunk.end && !is_last(chunk) { return; }
  var before = sum_of_earlier_chunks(chunk, invocation);
  for (var tile = chunk.begin; tile < chunk.end; tile += TILE) {
    load_tile(tile, chunk.end, invocation);
    workgroupBarrier();
    let first = invocation * ELEMENTS_PER_INVOCATION;
    var own = Sum();
    for (var k = 0u; k < ELEMENTS_PER_INVOCATION; k++) {
      own += tile_elements[first + k];
    }
    let sums = sums_of(own, invocation);
    var sum = before + sums.before;
    for (var k = 0u; k < ELEMENTS_PER_INVOCATION; k++) {
      let element = tile_elements[first + k];
      tile_elements[first + k] = sum;
      sum += element;
    }
    workgroupBarrier();
    // An invocation writes from the slots that it loads the next elements into.
    for (var k = 0u; k < ELEMENTS_PER_INVOCATION; k++) {
      let slot = k * WORKGROUP_SIZE + invocation;
      if tile + slot < chunk.end { write_sum(tile + slot, tile_elements[slot]); }
    }
    before += sums.all;
  }
  if is_last(chunk) && invocation == 0u { total[params.total_at] = before; }
}
