// A tile of a chunk in workgroup memory, where an invocation can own consecutive elements, although
// neighbouring invocations load neighbouring ones.

#import sum_scan
#constant WORKGROUP_SIZE
#constant ELEMENTS_PER_INVOCATION  // odd on hardware, so that neighbours use different memory banks

#if scan_output/apart
// The sums go to another buffer.

#constant OUTPUT  // number of the binding

@group(0) @binding(0) var<storage, read> elements: array<Sum>;
@group(0) @binding(OUTPUT) var<storage, read_write> sums_before: array<Sum>;

fn write_sum(i: u32, sum: Sum) {
  sums_before[i] = sum;
}

#elif scan_output/in_place
// The sums replace the elements.

@group(0) @binding(0) var<storage, read_write> elements: array<Sum>;

fn write_sum(i: u32, sum: Sum) {
  elements[i] = sum;
}

#else
// No sums are written.

@group(0) @binding(0) var<storage, read> elements: array<Sum>;

fn write_sum(i: u32, sum: Sum) {}

#end

const TILE = WORKGROUP_SIZE * ELEMENTS_PER_INVOCATION;

// What each element adds to a sum.
var<workgroup> tile_elements: array<Sum, TILE>;

// Loads the elements from `tile` on, but none from `end` on, for which there are zeros. A barrier must follow.
fn load_tile(tile: u32, end: u32, invocation: u32) {
  if tile + TILE <= end {
    // All loads are in flight at once, to hide the memory's latency.
    var loaded: array<Sum, ELEMENTS_PER_INVOCATION>;
    #unroll
    for (var k = 0u; k < ELEMENTS_PER_INVOCATION; k++) {
      loaded[k] = elements[tile + k * WORKGROUP_SIZE + invocation];
    }
    #unroll
    for (var k = 0u; k < ELEMENTS_PER_INVOCATION; k++) {
      tile_elements[k * WORKGROUP_SIZE + invocation] = summand(loaded[k]);
    }
  } else {
    for (var slot = invocation; slot < TILE; slot += WORKGROUP_SIZE) {
      var element = Sum();
      if tile + slot < end { element = elements[tile + slot]; }
      tile_elements[slot] = summand(element);
    }
  }
}

// What a workgroup adds up of the sums of the chunks, instead of a dispatch that scans them.

@group(0) @binding(1) var<storage, read> chunk_sums: array<Sum>;
@group(0) @binding(2) var<storage, read_write> total: array<Sum>;   // one of its words is the sum of all

// The sum of all chunks before one. All invocations of the workgroup must call it, and a barrier must follow.
fn sum_of_earlier_chunks(chunk: Chunk, invocation: u32) -> Sum {
  var own = Sum();
  for (var i = invocation; i < chunk.number; i += WORKGROUP_SIZE) { own += chunk_sums[i]; }
  return sums_of(own, invocation).all;
}

fn is_last(chunk: Chunk) -> bool {
  return chunk.number + 1u == params.chunks;
}
