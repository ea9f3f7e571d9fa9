// One dispatch runs the comparators of a bitonic network that compare keys by index bits shift …
// window_end - 1, for levels first_level … last_level (K. E. Batcher, "Sorting networks and their
// applications", 1968). A workgroup loads one tile of keys into workgroup memory, runs the comparators inside
// it, and writes the tile back in place. An invocation loads eight keys from the tile at a time and runs the
// comparators of three index bits in registers. src/core/sort/bitonic.ts explains how the network is cut into
// levels, windows and tiles.

#import key
#import order
#import grid
#constant WORKGROUP_SIZE
#constant TILE_BITS  // log2 of the keys in a tile; at least 3

struct BitonicParams {
  key_count: u32,      // keys to sort, n
  shift: u32,          // the layout: a key's column is its index >> shift, its row the low bits of its index
  window_end: u32,     // one past the highest index bit that this pass compares by
  rows: u32,           // rows of the matrix of keys: 2^shift
  columns: u32,        // keys per row, slack included
  column_bits: u32,    // a tile covers 2^column_bits columns and 2^(TILE_BITS - column_bits) rows
  tiles_per_row: u32,  // tiles per row
  tiles: u32,
  first_level: u32,    // level L merges pairs of sorted runs of 2^(L-1) keys into sorted runs of 2^L keys
  last_level: u32,
}

@group(0) @binding(0) var<storage, read_write> keys: array<Key>;
@group(0) @binding(1) var<uniform> params: BitonicParams;

const TILE = 1u << TILE_BITS;

// The keys of the tile in their ordered form. The key of a slot is at `place(slot)`.
var<workgroup> tile: array<Key, TILE>;

// Spreads slots over 32 memory banks. Without it, 32 invocations that read octets of stride 1 or 8 at the
// same time would touch only 4 or 8 banks. The map is linear over xor: if a & b is 0, then place(a | b) is
// place(a) ^ place(b).
fn place(slot: u32) -> u32 {
  return slot ^ ((slot >> 5u) & 7u) ^ ((slot >> 3u) & 24u);
}

// Puts two keys in order: ascending, or descending.
fn exchange(a: ptr<function, Key>, b: ptr<function, Key>, descending: bool) {
  let first = *a;
  let second = *b;
  let swap = precedes(second, first) != descending;
  *a = select(first, second, swap);
  *b = select(second, first, swap);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let number = linear_workgroup(grid);
  if number >= params.tiles { return; }

  let shift = params.shift;
  let last = params.key_count - 1u;
  let column_mask = (1u << params.column_bits) - 1u;
  let first_row = (number / params.tiles_per_row) << (TILE_BITS - params.column_bits);
  let first_column = (number % params.tiles_per_row) << params.column_bits;

  for (var slot = invocation; slot < TILE; slot += WORKGROUP_SIZE) {
    let row = first_row + (slot >> params.column_bits);
    let column = first_column + (slot & column_mask);
    // Slots past the last key hold virtual keys, which are larger than all others. They never move, because
    // the run that holds the last key always ascends. What is written back for them does not matter.
    var key = MAX_ORDERED;
    if row < params.rows && column < params.columns && ((column << shift) | row) <= last {
      key = to_ordered(keys[row * params.columns + column]);
    }
    tile[place(slot)] = key;
  }
  workgroupBarrier();

  for (var level = params.first_level; level <= params.last_level; level++) {
    // Three bits at a time: an invocation loads the octet of keys whose slots differ in bits low … low + 2,
    // and runs their comparators in registers. `top` is one past the highest bit still to compare by. In the
    // lowest octets, bits at or above `top` do not belong to this level.
    for (var top = min(level, params.window_end) - shift; ; top -= 3u) {
      let low = max(top, 3u) - 3u;
      let step1 = place(1u << low);
      let step2 = place(2u << low);
      let step4 = place(4u << low);
      for (var octet = invocation; octet < TILE / 8u; octet += WORKGROUP_SIZE) {
        let below = octet & ((1u << low) - 1u);
        let slot = ((octet ^ below) << 3u) | below;
        let at = place(slot);
        var k0 = tile[at];
        var k1 = tile[at ^ step1];
        var k2 = tile[at ^ step2];
        var k3 = tile[at ^ step2 ^ step1];
        var k4 = tile[at ^ step4];
        var k5 = tile[at ^ step4 ^ step1];
        var k6 = tile[at ^ step4 ^ step2];
        var k7 = tile[at ^ step4 ^ step2 ^ step1];

        // A run descends if bit `level` of index ^ last is set. All eight keys of the octet share this bit,
        // unless the octet reaches past this level. d0, d2, d4 and d6 are the directions of the pairs that
        // begin with k0, k2, k4 and k6.
        let column = first_column + (slot & column_mask);
        let last_bit = (last >> level) & 1u;
        let level_bit = level - shift; // the place of index bit `level` in the column
        let d0 = (((column >> level_bit) & 1u) ^ last_bit) == 1u;
        let d2 = d0 != (level_bit == 1u && params.column_bits > 1u);
        let d4 = d0 != (level_bit == 2u && params.column_bits > 2u);
        let d6 = select(d4, d2, level_bit == 1u);

        if top > low + 2u {
          exchange(&k0, &k4, d0);
          exchange(&k1, &k5, d0);
          exchange(&k2, &k6, d0);
          exchange(&k3, &k7, d0);
        }
        if top > low + 1u {
          exchange(&k0, &k2, d0);
          exchange(&k1, &k3, d0);
          exchange(&k4, &k6, d4);
          exchange(&k5, &k7, d4);
        }
        exchange(&k0, &k1, d0);
        exchange(&k2, &k3, d2);
        exchange(&k4, &k5, d4);
        exchange(&k6, &k7, d6);

        tile[at] = k0;
        tile[at ^ step1] = k1;
        tile[at ^ step2] = k2;
        tile[at ^ step2 ^ step1] = k3;
        tile[at ^ step4] = k4;
        tile[at ^ step4 ^ step1] = k5;
        tile[at ^ step4 ^ step2] = k6;
        tile[at ^ step4 ^ step2 ^ step1] = k7;
      }
      workgroupBarrier();
      if top <= 3u { break; }
    }
  }

  for (var slot = invocation; slot < TILE; slot += WORKGROUP_SIZE) {
    let row = first_row + (slot >> params.column_bits);
    let column = first_column + (slot & column_mask);
    if row < params.rows && column < params.columns {
      keys[row * params.columns + column] = from_ordered(tile[place(slot)]);
    }
  }
}
