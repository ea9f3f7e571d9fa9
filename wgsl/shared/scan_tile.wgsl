// A tile of a chunk in workgroup memory, where an invocation can own consecutive elements, although
// neighbouring invocations load neighbouring ones.

#import summand
#import scan_output
#constant WORKGROUP_SIZE
#constant ELEMENTS_PER_INVOCATION  // odd on hardware, so that neighbours use different memory banks

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
