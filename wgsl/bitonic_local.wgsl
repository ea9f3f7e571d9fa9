// The comparators of a bitonic network that fall inside one workgroup's tile. src/sort/bitonic.ts says how
// the network is cut into tiles; src/twins/bitonic_local.ts is the same kernel in TypeScript.
//
// Uses key32 or key64, its order, and grid. Constants: WORKGROUP_SIZE (invocations), TILE_BITS (3 or more).

struct Params {
  key_count: u32,     // keys to sort, n
  shift: u32,         // the layout: a column's number is the key's index >> shift, its row the low bits
  window_end: u32,    // index bits shift … window_end - 1 are this pass's
  rows: u32,          // 2^shift
  columns: u32,       // keys a row, slack included
  column_bits: u32,   // the tile covers 2^column_bits columns of 2^(TILE_BITS - column_bits) rows
  tiles_a_row: u32,
  tiles: u32,
  first_level: u32,   // level L merges bitonic runs of 2^(L-1) keys into runs of 2^L
  last_level: u32,
}

@group(0) @binding(0) var<storage, read_write> keys: array<Key>;
@group(0) @binding(1) var<uniform> params: Params;

const TILE = 1u << TILE_BITS;

// Keys as their images under to_ordered, at `place(slot)`.
var<workgroup> tile: array<Key, TILE>;

// Spreads slots over 32 memory banks: octets of stride 1 and of stride 8, read by 32 invocations at once, would
// fall into 4 and 8 banks. A linear map over xor: the place of a | b is place(a) ^ place(b) if a & b is 0.
fn place(slot: u32) -> u32 {
  return slot ^ ((slot >> 5u) & 7u) ^ ((slot >> 3u) & 24u);
}

fn exchange(a: ptr<function, Key>, b: ptr<function, Key>, descending: bool) {
  let first = *a;
  let second = *b;
  let swap = precedes(second, first) != descending;
  *a = select(first, second, swap);
  *b = select(second, first, swap);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let number = linear_workgroup(workgroup, grid);
  if number >= params.tiles { return; }

  let shift = params.shift;
  let last = params.key_count - 1u;
  let column_mask = (1u << params.column_bits) - 1u;
  let first_row = (number / params.tiles_a_row) << (TILE_BITS - params.column_bits);
  let first_column = (number % params.tiles_a_row) << params.column_bits;

  for (var slot = invocation; slot < TILE; slot += WORKGROUP_SIZE) {
    let row = first_row + (slot >> params.column_bits);
    let column = first_column + (slot & column_mask);
    // Past the last key there are virtual ones, larger than all. They stay where they are, because the run that
    // holds the last key always ascends, so what is written back to their slots never matters.
    var key = MAX_ORDERED;
    if row < params.rows && column < params.columns && ((column << shift) | row) <= last {
      key = to_ordered(keys[row * params.columns + column]);
    }
    tile[place(slot)] = key;
  }
  workgroupBarrier();

  for (var level = params.first_level; level <= params.last_level; level++) {
    // Three bits at a time: an invocation takes the octet of keys that differ in tile bits low … low + 2, and
    // runs their comparators in registers. Of the lowest octet some bits may be done, or not this level's.
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

        // A run descends where bit `level` of index ^ last is set. That bit lies above the octet's, or, if the
        // octet reaches past this level, in it.
        let column = first_column + (slot & column_mask);
        let turn = (last >> level) & 1u;
        let turns_at = level - shift;
        let d0 = (((column >> turns_at) & 1u) ^ turn) == 1u;
        let d2 = d0 != (turns_at == 1u && params.column_bits > 1u);
        let d4 = d0 != (turns_at == 2u && params.column_bits > 2u);
        let d6 = select(d4, d2, turns_at == 1u);

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
