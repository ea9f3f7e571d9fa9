// The scatter step of a radix sort's move, for the subgroup family. One dispatch writes all keys, and their
// values, to their places in the output. A workgroup processes one chunk, tile by tile: it ranks a tile's keys
// stably by their digit (rank.wgsl), exchanges them through workgroup memory into that order, and writes keys
// with the same digit value to consecutive places. Meanwhile it loads the next tile. An invocation loads, ranks
// and writes KEYS_PER_INVOCATION keys of a tile. src/core/sort/radix/radix.ts explains the order of the steps.

#import key
#import order
#import normalization
#import digit
#import radix_pass
#import radix_keys
#import radix_output
#import written_keys
#import subgroup
#import tile
#import rank_counters
#import rank
#import sum_before
#import values
#import digit_start
#import chunk
#import status
#import grid
#constant WORKGROUP_SIZE
#constant SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant LOCKSTEP
#constant MASK       // the digit's mask: see digit.wgsl
#constant RAW_INPUT
#constant IN_WINDOW  // 1 if only a window of the output is bound

// For each digit value: what to add to a key's slot in the tile to get its place in the bound window of the
// output, modulo 2^32.
var<workgroup> offsets: array<u32, DIGITS>;

// Keeps writes inside the output if the device does not run in lockstep after all. Keys are then lost, which
// the check of the result detects. This uses min() because a branch would take a seventh of the time of a
// sort of 64-bit keys.
fn within_output(place: u32) -> u32 {
  if LOCKSTEP == 1u { return min(place, params.output_keys - 1u); }
  return place;
}

// Writes the key in a slot to its place in the output, and returns that place.
fn put_key(slot: u32) -> u32 {
  let ordered = slots[slot];
  let place = offsets[moved_digit(ordered, params.shift, MASK)] + slot;
  if IN_WINDOW == 1u {
    if place < params.output_keys { write_key(place, written_form(ordered)); }
    return place;
  }
  let safe = within_output(place);
  write_key(safe, written_form(ordered));
  return safe;
}

// A key for the slots past the last key. No key has larger digits, so it stays behind all keys.
fn padding() -> Key {
  if RAW_INPUT == 1u { return from_ordered(last_key()); }
  return last_key();
}

// Loads an invocation's keys of the tile that begins with key `tile`. A whole tile needs no test of each key.
fn load_keys(keys: ptr<function, TileKeys>, tile: u32, end: u32, first: u32) {
  if tile + TILE <= end {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      (*keys)[i] = key_at(tile + first + i * SUBGROUP_SIZE);
    }
  } else {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let at = tile + first + i * SUBGROUP_SIZE;
      (*keys)[i] = padding();
      if at < end { (*keys)[i] = key_at(at); }
    }
  }
}

fn load_values(values: ptr<function, TileWords>, tile: u32, end: u32, first: u32) {
  if tile + TILE <= end {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      (*values)[i] = value_at(tile + first + i * SUBGROUP_SIZE);
    }
  } else {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let at = tile + first + i * SUBGROUP_SIZE;
      if at < end { (*values)[i] = value_at(at); }
    }
  }
}

// Writes the value in a slot to its place in the output.
fn put_staged_value(slot: u32, place: u32) {
  if IN_WINDOW == 0u || place < params.output_keys { put_value(place, staged_value(slot)); }
}

fn move_chunk(column: u32, invocation: u32, turns: u32) {
  let range = chunk_range(column);
  let begin = range.begin;
  let end = range.end;

  // Invocation d < DIGITS keeps the place of the chunk's next key with digit value d.
  let start = digit_start(invocation, column);
  var next = start.within + sum_before(start.total, invocation) - params.output_begin;

  var keys: TileKeys;
  var values: TileWords;
  var ranks: TileWords;
  // The places, in the bound window of the output, of the keys that the invocation writes.
  var places: TileWords;
  let first = first_slot(invocation);
  load_keys(&keys, begin, end, first);
  load_values(&values, begin, end, first);

  for (var tile = begin; tile < end; tile += TILE) {
    clear_counters(invocation);
    // Keys are converted here, because converting them right after the loads would wait for the loads.
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      keys[i] = ordered_of(keys[i]);
    }
    if normalizes() {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        keys[i] = normalized(keys[i]);
      }
    }
    let digit = rank_tile(&keys, &ranks, params.shift, MASK, invocation, turns);
    if invocation < DIGITS { offsets[invocation] = next - digit.before; }
    next += digit.count;

    // The next tile's keys are loaded while this tile's are exchanged and written.
    let next_tile = tile + TILE;
    if next_tile < end { load_keys(&keys, next_tile, end, first); }
    workgroupBarrier();

    // A whole tile has no padding, so its slots need no test. The test would take a tenth of the time.
    let is_whole = next_tile <= end;
    if is_whole {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        places[i] = put_key(invocation + i * WORKGROUP_SIZE);
      }
    } else {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        let slot = invocation + i * WORKGROUP_SIZE;
        if tile + slot < end { places[i] = put_key(slot); }
      }
    }

    if HAS_VALUES {
      stage_values(&values, &ranks);
      if next_tile < end { load_values(&values, next_tile, end, first); }
      workgroupBarrier();
      if is_whole {
        #unroll
        for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
          put_staged_value(invocation + i * WORKGROUP_SIZE, places[i]);
        }
      } else {
        #unroll
        for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
          let slot = invocation + i * WORKGROUP_SIZE;
          if tile + slot < end { put_staged_value(slot, places[i]); }
        }
      }
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let turns = start_subgroups(invocation);
  var column = column_of(grid.workgroup);
  if column >= chunk_count() || !must_run() { return; }
#if chunk/listed
  ends_sort = has_equal_segments();
#end
#if differing_bits/read
#import differing_bits
#import bias
  if is_skipped() { return; }
  ends_sort = are_later_skipped();
  set_bias(published_differences());
#end
#if compared/remapped
#import compared/remapped
  // A call for codes and one for keys: see compared.wgsl.
  const_assert !IS_STRIDED;
  if is_remapped() {
    compares_codes = true;
    move_chunk(column, invocation, turns);
    return;
  }
#end
  loop {
    move_chunk(column, invocation, turns);
    column += grid.size.x * grid.size.y;
    if !IS_STRIDED || column >= chunk_count() { break; }
    workgroupBarrier();
  }
}
