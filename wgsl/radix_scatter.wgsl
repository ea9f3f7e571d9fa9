// Moves each workgroup's chunk of keys to their places, tile by tile: keys are ranked by their digit, exchanged
// through workgroup memory into that order, and written in runs. src/twins/radix.ts has its twin.
//
// Uses a key, its order, digit, radix_params, radix, lanes32 or lanes64, rank with what it needs, one of the values modules, scanned or fused_scan with totals_kept or
// totals_dropped, always or unless_fits, and counts_next or counts_nothing. Constants: those of rank, and IN_WINDOW (1 where the output
// is bound in windows), PARAMS (the binding of the
// parameters).

@group(0) @binding(0) var<storage, read> input: array<Stored>;
@group(0) @binding(1) var<storage, read_write> output: array<Key>;
@group(0) @binding(PARAMS) var<uniform> params: Params;

// What to add to the slot of a digit's key to have its place in the output's window; wraps.
var<workgroup> offsets: array<u32, DIGITS>;

// If lockstep was a wrong guess, keys are lost, which the check finds, but no other memory. A bound costs less than a test,
// which takes a seventh of a sort of 64-bit keys.
fn within_output(place: u32) -> u32 {
  if LOCKSTEP == 1u { return min(place, params.output_keys - 1u); }
  return place;
}

// Writes the key of a slot. Returns its place.
fn put_key(slot: u32) -> u32 {
  let image = slots[slot];
  let place = offsets[digit_at(image, params.shift, MASK)] + slot;
  if IN_WINDOW == 1u {
    if place < params.output_keys { output[place] = key_of(image); }
    return place;
  }
  let safe = within_output(place);
  output[safe] = key_of(image);
  count_next(image, safe);
  return safe;
}

fn put_staged_value(slot: u32, place: u32) {
  if IN_WINDOW == 0u || place < params.output_keys { put_value(place, staged_value(slot)); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let column = params.first_column + workgroup.x;
  if column >= params.columns || !is_wanted() { return; }
  clear_counts(column, invocation);
  let begin = column * params.chunk;
  let end = min(begin + params.chunk, params.key_count);

  // Invocation d < DIGITS keeps the place of the workgroup's next key of digit d.
  let start = digit_start(invocation, column);
  var next = start.within + sum_before(start.total, invocation) - params.output_begin;

  var keys: TileKeys;
  var values: TileWords;
  var ranks: TileWords;
  // Of what the invocation writes, in the output's window.
  var places: TileWords;
  let first = first_slot(invocation);
  if begin + TILE <= end {
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      keys[i] = key_at(begin + first + i * SUBGROUP_SIZE);
      values[i] = value_at(begin + first + i * SUBGROUP_SIZE);
    }
  } else {
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      let at = begin + first + i * SUBGROUP_SIZE;
      keys[i] = padding();
      if at < end {
        keys[i] = key_at(at);
        values[i] = value_at(at);
      }
    }
  }

  for (var tile = begin; tile < end; tile += TILE) {
    clear_counters(invocation);
    // Keys turn to images here and not where they are loaded, or the loads would be waited for there.
    for (var i = 0u; i < TILE_KEYS; i++) { // unroll
      keys[i] = image_of(keys[i]);
    }
    let digit = rank_tile(&keys, &ranks, params.shift, MASK, invocation);
    if invocation < DIGITS { offsets[invocation] = next - digit.before; }
    next += digit.count;

    // The next tile's keys are on their way while this one's are exchanged and written.
    let next_tile = tile + TILE;
    if next_tile + TILE <= end {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        keys[i] = key_at(next_tile + first + i * SUBGROUP_SIZE);
      }
    } else if next_tile < end {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        let at = next_tile + first + i * SUBGROUP_SIZE;
        keys[i] = padding();
        if at < end { keys[i] = key_at(at); }
      }
    }
    workgroupBarrier();

    // A whole tile takes no test of each slot for being padding: a tenth of the time.
    let is_whole = next_tile <= end;
    if is_whole {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        places[i] = put_key(invocation + i * WORKGROUP_SIZE);
      }
    } else {
      for (var i = 0u; i < TILE_KEYS; i++) { // unroll
        let slot = invocation + i * WORKGROUP_SIZE;
        if tile + slot < end { places[i] = put_key(slot); }
      }
    }

    if HAS_VALUES {
      stage_values(&values, &ranks);
      if next_tile + TILE <= end {
        for (var i = 0u; i < TILE_KEYS; i++) { // unroll
          values[i] = value_at(next_tile + first + i * SUBGROUP_SIZE);
        }
      } else if next_tile < end {
        for (var i = 0u; i < TILE_KEYS; i++) { // unroll
          let at = next_tile + first + i * SUBGROUP_SIZE;
          if at < end { values[i] = value_at(at); }
        }
      }
      workgroupBarrier();
      if is_whole {
        for (var i = 0u; i < TILE_KEYS; i++) { // unroll
          put_staged_value(invocation + i * WORKGROUP_SIZE, places[i]);
        }
      } else {
        for (var i = 0u; i < TILE_KEYS; i++) { // unroll
          let slot = invocation + i * WORKGROUP_SIZE;
          if tile + slot < end { put_staged_value(slot, places[i]); }
        }
      }
    }
  }
}
