// The scatter step of a sort by the most significant digit first, for many keys. One dispatch moves the keys of
// each segment by a digit; at the first level, all keys are one segment. Keys with equal digits may change
// their order, so one atomic operation ranks a key. A workgroup processes one chunk, tile by tile, as in
// msd_scatter.wgsl. It writes whole sectors of memory: what a tile has of a digit value past a multiple of
// SECTOR_KEYS places is carried to the next tile. So no sector is written twice, except at the ends of chunks.
// src/core/sort/msd/msd.ts explains the order of the passes.

#import key
#import normalization
#import digit
#import compared
#import radix_keys
#import radix_output
#import written_keys/all
#import subgroup
#import sum_before
#import chunk
#import radix_pass
#import status
#constant WORKGROUP_SIZE       // at least DIGITS
#constant KEYS_PER_INVOCATION
#constant SECTOR_KEYS          // keys in a sector of 32 bytes; a power of two
#constant CARRIED              // keys that an invocation carries at most, as there are SECTOR_KEYS per digit value
#constant WRITTEN              // slots that an invocation writes at most

@group(0) @binding(2) var<storage, read> counts: array<u32>;  // prefix sums
@group(0) @binding(3) var<storage, read> starts: array<u32>;  // of the segments that the keys move to

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;
// Chunks are read from a multiple of this many keys on.
const ALIGNMENT = 32u;

// For each digit value: the carried keys; then those of the tile too.
var<workgroup> counters: array<atomic<u32>, DIGITS>;
// The slot of the first key of each digit value; then the number of keys.
var<workgroup> first_slots: array<u32, DIGITS + 1u>;
// For each digit value: what to add to a key's slot to get its place in the output, modulo 2^32.
var<workgroup> offsets: array<u32, DIGITS>;
// For each digit value: the place of the first key that is carried.
var<workgroup> limits: array<u32, DIGITS>;
// The keys of the tile and the carried keys in their order by the digit.
var<workgroup> slots: array<Key, TILE + DIGITS * (SECTOR_KEYS - 1u)>;

// The digits of both levels lie in the topmost word.
fn digit_of(moved: Key) -> u32 {
  return (word_at(compared(stretched(moved, stretch())), 1u) >> (params.shift & 31u)) & params.mask;
}

// Counts a key of the tile, and returns its digit in the upper half of a word and its rank among the keys of
// that digit in the lower half: to take the digit of a remapped key again would cost a lookup.
fn ranked(digit: u32) -> u32 {
  return (digit << 16u) | atomicAdd(&counters[digit], 1u);
}

fn slot_of(rank: u32) -> u32 {
  return first_slots[rank >> 16u] + (rank & 0xffffu);
}

fn move_chunk(number: u32, invocation: u32) {
  let range = chunk_range(number);
  let begin = range.begin;
  let end = range.end;

  // Invocation d < DIGITS keeps the place of the chunk's next key with digit value d.
  var next = 0u;
  if invocation < DIGITS { atomicStore(&counters[invocation], 0u); }
  if invocation < params.digits {
    next = starts[range.segment * params.digits + invocation];
    next += counts[number * params.column_stride + invocation * params.digit_stride];
  }
  var keys: array<Key, KEYS_PER_INVOCATION>;
  var ranks: array<u32, KEYS_PER_INVOCATION>;
  var carried: array<Key, CARRIED>;
  var is_carried: array<bool, CARRIED>;
  let first_tile = begin - begin % ALIGNMENT;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let at = first_tile + invocation + i * WORKGROUP_SIZE;
    if at >= begin && at < end { keys[i] = key_at(at); }
  }
  #unroll
  for (var i = 0u; i < CARRIED; i++) {
    is_carried[i] = false;
  }
  workgroupBarrier();

  for (var tile = first_tile; tile < end; tile += TILE) {
    let next_tile = tile + TILE;
    let is_whole = tile >= begin && next_tile <= end;
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
    // The keys of a whole tile need no test. The test would take a tenth of the time.
    if is_whole {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        ranks[i] = ranked(digit_of(keys[i]));
      }
    } else {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        let at = tile + invocation + i * WORKGROUP_SIZE;
        if at >= begin && at < end {
          ranks[i] = ranked(digit_of(keys[i]));
        }
      }
    }
    workgroupBarrier();

    var count = 0u;
    if invocation < DIGITS { count = atomicLoad(&counters[invocation]); }
    let before = sum_before(count, invocation);
    if invocation < DIGITS {
      let stop = next + count;
      let limit = select(max(next, stop - stop % SECTOR_KEYS), stop, next_tile >= end);
      first_slots[invocation] = before;
      if invocation == DIGITS - 1u { first_slots[DIGITS] = before + count; }
      offsets[invocation] = next - before;
      limits[invocation] = limit;
      atomicStore(&counters[invocation], stop - limit);
      next = limit;
    }
    workgroupBarrier();

    if is_whole {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        slots[slot_of(ranks[i])] = keys[i];
      }
    } else {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        let at = tile + invocation + i * WORKGROUP_SIZE;
        if at >= begin && at < end {
          slots[slot_of(ranks[i])] = keys[i];
        }
      }
    }
    #unroll
    for (var i = 0u; i < CARRIED; i++) {
      let id = invocation + i * WORKGROUP_SIZE;
      if is_carried[i] { slots[first_slots[id / SECTOR_KEYS] + id % SECTOR_KEYS] = carried[i]; }
    }
    // The next tile's keys are loaded while this tile's are exchanged and written.
    if next_tile + TILE <= end {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        keys[i] = key_at(next_tile + invocation + i * WORKGROUP_SIZE);
      }
    } else if next_tile < end {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        let at = next_tile + invocation + i * WORKGROUP_SIZE;
        if at < end { keys[i] = key_at(at); }
      }
    }
    workgroupBarrier();

    let all = first_slots[DIGITS];
    #unroll
    for (var i = 0u; i < WRITTEN; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      // A whole tile fills its own slots, and carried keys some more.
      if (i < KEYS_PER_INVOCATION && is_whole) || slot < all {
        let moved = slots[slot];
        let digit = digit_of(moved);
        let place = offsets[digit] + slot;
        if place < limits[digit] { write_key(place, written_form(moved)); }
      }
    }
    #unroll
    for (var i = 0u; i < CARRIED; i++) {
      let id = invocation + i * WORKGROUP_SIZE;
      let digit = id / SECTOR_KEYS;
      is_carried[i] = false;
      if digit < DIGITS {
        let slot = limits[digit] - offsets[digit] + id % SECTOR_KEYS;
        if slot < first_slots[digit + 1u] {
          carried[i] = slots[slot];
          is_carried[i] = true;
        }
      }
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  start_subgroups(invocation);
  let number = workgroup.x;
  if number >= chunk_count() || !must_run() { return; }
#if chunk/listed
  ends_sort = has_equal_segments();
#end
#if compared/remapped
#import compared/remapped
  // A call for codes and one for keys: see compared.wgsl.
  if is_remapped() {
    compares_codes = true;
    move_chunk(number, invocation);
    return;
  }
#end
  move_chunk(number, invocation);
}
