// The local sort that ends a sort by the most significant digit first. Earlier passes have moved the keys into
// segments that follow each other in order and fit a tile each. A workgroup sorts a segment in workgroup
// memory, and perhaps others after it, as items: the slot "local_item" says what they are.
// 1. Items go to bins, by the bits below those that all keys of the segment share, and are sorted by rounds of
//    networks (bins.wgsl).
// 2. If some keys are still out of order after ROUNDS rounds, since many share a bin: the blocks are merged in
//    pairs, again and again. Rounds and merges share one loop, as drivers inline functions: so they compile two
//    copies of the network and not three.
// If the sort falls back, or its digits alone sort the keys, the pass does nothing. src/core/sort/msd/msd.ts
// explains the order of the passes.

#import grid
#import local_item
#import bins
#import tile
#import msd_local_params
#import status
#import subgroup
#enable subgroups
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION

#constant STARTS  // number of the binding

struct SegmentRange {
  begin: u32,
  count: u32,
}

@group(0) @binding(STARTS) var<storage, read> starts: array<u32>;  // of each segment; then the number of keys

fn segment_range(segment: u32) -> SegmentRange {
  let begin = starts[segment];
  return SegmentRange(begin, starts[segment + 1u] - begin);
}

#if segment/long
// Those segments alone that do not fit the tiles of another local sort: see msd_scan.wgsl.
#constant LONG_SEGMENTS  // number of the binding

struct LongSegments {
  count: u32,
  numbers: array<u32>,
}

@group(0) @binding(LONG_SEGMENTS) var<storage, read> long_segments: LongSegments;
#end

// The number of segments to sort.
fn segment_count() -> u32 {
#if segment/long
  return long_segments.count;
#else
  return params.segments;
#end
}

// The number of the segment that comes at a place among those to sort.
fn segment_number(place: u32) -> u32 {
#if segment/long
  return long_segments.numbers[place];
#else
  return place;
#end
}

#if segment_input/apart
#import key
#import order
#constant INPUT      // number of the binding
#constant RAW_INPUT  // 1 if the input holds raw keys, 0 if it holds their ordered form

@group(0) @binding(INPUT) var<storage, read> input: array<Key>;
#elif segment_input/numbered
#constant INPUT      // number of the binding

// Keys of one word, with their indices in the input of the sort: see msd_scatter.wgsl.
@group(0) @binding(INPUT) var<storage, read> input: array<vec2u>;
#elif segment_input/in_place
#import written_keys/all
#end

// Key `at` in its ordered form, and what moves with it.
fn entry_at(at: u32) -> Entry {
#if segment_input/apart
  let key = input[at];
  if RAW_INPUT == 1u { return Entry(to_ordered(key), value_at(at)); }
  return Entry(key, value_at(at));
#elif segment_input/numbered
  let element = input[at];
  return Entry(element.x, element.y);
#elif segment_input/in_place
  return Entry(output[at], value_at(at));
#end
}

// The bits that choose a bin.
fn item_bins() -> BinBits {
#if local_item/position
#import normalization
#constant BIN_BITS
#constant POSITION_BITS
  let at_bottom = unused_bits();
  let compared_bits = countOneBits(params.mask_low) + countOneBits(params.mask_high);
  let differing_bits = max(compared_bits, at_bottom) - at_bottom;
  return BinBits(max(differing_bits + POSITION_BITS, BIN_BITS) - BIN_BITS, (1u << BIN_BITS) - 1u);
#else
  return BinBits(params.shift, params.mask);
#end
}

// Merges pairs of sorted runs of `run` slots. An invocation finds where its block of the merged runs begins in
// both (O. Green, R. McColl and D. Bader, "GPU Merge Path", 2012).
fn merge_runs(run: u32, invocation: u32) {
  let first = invocation * KEYS_PER_INVOCATION;
  let begin = first - first % (2u * run);
  let middle = begin + run;
  let before = first - begin;
  var low = before - min(before, run);
  var high = min(before, run);
  while low < high {
    let taken = (low + high) / 2u;
    if item_precedes(slots[middle + before - 1u - taken], slots[begin + taken]) {
      high = taken;
    } else {
      low = taken + 1u;
    }
  }
  var left = begin + low;
  var right = middle + before - low;
  var merged: Block;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    if left >= middle || (right < middle + run && item_precedes(slots[right], slots[left])) {
      merged[i] = slots[right];
      right++;
    } else {
      merged[i] = slots[left];
      left++;
    }
  }
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    slots[first + i] = merged[i];
  }
  workgroupBarrier();
}

// Counts the keys of a segment in their bins. A word of `ranks` gets a key's bin in its upper half, and in
// its lower half how many keys were counted there before: to find the bin of a remapped key again would cost
// a lookup.
fn count_in_bins(
  keys: ptr<function, TileKeys>,
  words: ptr<function, TileWords>,
  ranks: ptr<function, TileWords>,
  count: u32,
  invocation: u32,
) {
  let chosen = item_bins();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      let bin = bin_of(Entry((*keys)[i], (*words)[i]), slot, chosen);
      (*ranks)[i] = (bin << 16u) | count_in_bin(bin);
    }
  }
}

// Sorts the keys of a segment. All invocations must call it.
fn sort_segment(range: SegmentRange, invocation: u32) {
  let begin = range.begin;
  let count = range.count;
  if count == 0u || count > TILE { return; }

  var keys: TileKeys;
  var words: TileWords;
  var ranks: TileWords;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      let entry = entry_at(begin + slot);
      keys[i] = entry.key;
      words[i] = entry.word;
    }
  }
  clear_bins(invocation);
  workgroupBarrier();

#if compared/remapped
#import compared/remapped
  if is_remapped() {
    compares_codes = true;
    count_in_bins(&keys, &words, &ranks, count, invocation);
  } else {
    // In the loop over segments, a compiler does not know that it still is.
    compares_codes = false;
    count_in_bins(&keys, &words, &ranks, count, invocation);
  }
#else
  count_in_bins(&keys, &words, &ranks, count, invocation);
#end
  workgroupBarrier();
  scan_bins(invocation);
  workgroupBarrier();
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      slots[(ranks[i] & 0xffffu) + bin_start(ranks[i] >> 16u)] = item_of(Entry(keys[i], words[i]), slot);
    } else {
      slots[slot] = LAST_ITEM;
    }
  }
  if invocation < KEYS_PER_INVOCATION { slots[TILE + invocation] = LAST_ITEM; }
  workgroupBarrier();

  let block = first_of_block(invocation);
  var sorted = false;
  for (var round = 0u; !sorted; round++) {
    sort_block(block);
    workgroupBarrier();
    if round < ROUNDS {
      finish_round(invocation);
    } else {
      for (var run = KEYS_PER_INVOCATION; run < TILE; run *= 2u) { merge_runs(run, invocation); }
      if invocation == 0u { is_sorted = 1u; }
    }
    // The keys are in order as a rule, so they are written while it is not known yet.
    if WRITES_AHEAD { write_segment(&keys, &words, begin, count, invocation); }
    sorted = workgroupUniformLoad(&is_sorted) == 1u;
  }
  if !WRITES_AHEAD { write_segment(&keys, &words, begin, count, invocation); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  start_subgroups(invocation);
  let workgroups = grid.size.x * grid.size.y;
  var place = linear_workgroup(grid);
#if low_cardinality/fill
#import low_cardinality
  if has_low_cardinality() {
    fill_distinct(place, workgroups, invocation);
    return;
  }
#end
  if !must_run() || has_equal_segments() { return; }
  for (; place < segment_count(); place += workgroups) {
    let number = segment_number(place);
    start_segment(number);
    sort_segment(segment_range(number), invocation);
  }
}
