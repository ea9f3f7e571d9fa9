// The local sort that ends a sort by the most significant digit first. Earlier passes have moved the keys into
// segments that follow each other in order and fit a tile each; few keys are one segment. A workgroup sorts a
// segment in workgroup memory, and perhaps others after it, as items: the slot "local_item" says what they are.
// 1. Items go to bins, by the bits below those that all keys of the segment share.
// 2. Each invocation sorts KEYS_PER_INVOCATION neighbouring slots by a sorting network, and then again across
//    the ends of these blocks. That orders every bin of few keys; most segments are in order after one or two
//    rounds of it.
// 3. If some keys are still out of order after ROUNDS rounds, since many share a bin: the blocks are merged in
//    pairs, again and again. Rounds and merges share one loop, as drivers inline functions: so they compile two
//    copies of the network and not three.
// If the sort has been given up, the pass does nothing, or counts a digit for the fallback: the slot
// "local_given_up" says which. src/core/sort/msd.ts explains how the passes work together.

#import key
#import digit
#import grid
#import msd_tile
#import local_item
#import segment
#import condition
#import subgroup
#import subgroup_scan
#import network
#import few_fill
#import local_given_up
#import msd_local_params
#import segment_input
#enable subgroups
#constant WORKGROUP_SIZE       // a power of two
#constant KEYS_PER_INVOCATION  // an odd number avoids bank conflicts between invocations
#constant COMPARATORS          // of the sorting network
#constant DIGIT_BITS           // bits that choose a bin; there are at least two bins per invocation
#constant ADAPTIVE             // 1 to choose the bins by the bits in which the keys differ

// The digit is what chooses a bin. A word holds two counters of 16 bits: for the bins b and b + BIN_WORDS.
const BIN_WORDS = DIGITS / 2u;
const WORDS_PER_INVOCATION = BIN_WORDS / WORKGROUP_SIZE;

// The counters of neighbouring words.
alias BinWords = array<u32, WORDS_PER_INVOCATION>;

const ROUNDS = 3u;

alias Block = array<Item, KEYS_PER_INVOCATION>;

// First the number of keys of each bin, then the slot of its first key.
var<workgroup> bins: array<atomic<u32>, BIN_WORDS + BIN_WORDS / 32u>;
var<workgroup> lower_keys: u32;
var<workgroup> inversions: atomic<u32>;
var<workgroup> is_sorted: u32;
// The bits in which some key differs from the first: of the low word and of the high word.
var<workgroup> differing: array<atomic<u32>, 2>;
var<workgroup> bin_bits: BinBits;

// Finds the bits from the highest one on in which keys differ. `difference` has the bits in which the keys of
// the invocation differ from the first key. All invocations must call it, after a barrier that follows the
// clearing of `differing`.
fn find_bin_bits(difference: Key, invocation: u32) -> BinBits {
  // The only word of a short key is both its low and its high word.
  let low = subgroupOr(word_at(difference, 0u));
  let high = subgroupOr(word_at(difference, 1u));
  if subgroupElect() {
    atomicOr(&differing[0], low);
    atomicOr(&differing[1], high);
  }
  workgroupBarrier();
  if invocation == 0u {
    let high_word = atomicLoad(&differing[1]);
    let word = select(atomicLoad(&differing[0]), high_word, high_word != 0u);
    let end = select(firstLeadingBit(word) + 1u, 0u, word == 0u);
    let begin = max(end, DIGIT_BITS) - DIGIT_BITS;
    bin_bits = BinBits(begin + select(0u, 32u, high_word != 0u), DIGITS - 1u);
  }
  return workgroupUniformLoad(&bin_bits);
}

// Spreads words over the memory banks, since an invocation reads neighbouring words.
fn bin_at(word: u32) -> u32 {
  return word + (word >> 5u);
}

// The bits by which a bin's counter is shifted in its word.
fn half_of(bin: u32) -> u32 {
  return select(0u, 16u, bin >= BIN_WORDS);
}

// Replaces the number of keys of each bin by the slot of its first key.
fn scan_bins(invocation: u32) {
  let first = invocation * WORDS_PER_INVOCATION;
  var counts: BinWords;
  var sum = 0u;
  for (var i = 0u; i < WORDS_PER_INVOCATION; i++) {
    counts[i] = atomicLoad(&bins[bin_at(first + i)]);
    sum += counts[i];
  }
  var start = exclusive_sum(sum, invocation);
  if invocation == WORKGROUP_SIZE - 1u { lower_keys = (start + sum) & 0xffffu; }
  workgroupBarrier();
  // The upper bins come after all lower bins.
  start += lower_keys << 16u;
  for (var i = 0u; i < WORDS_PER_INVOCATION; i++) {
    atomicStore(&bins[bin_at(first + i)], start);
    start += counts[i];
  }
}

// Sorts the block of slots that begins at `first`.
fn sort_block(first: u32) {
  var items: Block;
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    items[i] = slots[first + i];
  }
  for (var i = 0u; i < COMPARATORS; i++) { // unroll
    let a = items[NETWORK[i].x];
    let b = items[NETWORK[i].y];
    items[NETWORK[i].x] = first_item(a, b);
    items[NETWORK[i].y] = last_item(a, b);
  }
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    slots[first + i] = items[i];
  }
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
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    if left >= middle || (right < middle + run && item_precedes(slots[right], slots[left])) {
      merged[i] = slots[right];
      right++;
    } else {
      merged[i] = slots[left];
      left++;
    }
  }
  workgroupBarrier();
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    slots[first + i] = merged[i];
  }
  workgroupBarrier();
}

// Sorts the keys of a segment. All invocations must call it.
fn sort_segment(range: SegmentRange, invocation: u32) {
  let begin = range.begin;
  let count = range.count;
  if count == 0u || count > TILE { return; }

  var keys: TileKeys;
  var words: TileWords;
  var ranks: TileWords;
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      let entry = entry_at(begin + slot);
      keys[i] = entry.key;
      words[i] = entry.word;
    }
  }
  for (var i = invocation; i < BIN_WORDS + BIN_WORDS / 32u; i += WORKGROUP_SIZE) { atomicStore(&bins[i], 0u); }
  if invocation == 0u {
    atomicStore(&inversions, 0u);
    atomicStore(&differing[0], 0u);
    atomicStore(&differing[1], 0u);
  }
  workgroupBarrier();

  var chosen = item_bins();
  if ADAPTIVE == 1u {
    let pivot = entry_at(begin).key;
    var difference = pivot ^ pivot;
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
      if invocation + i * WORKGROUP_SIZE < count { difference |= keys[i] ^ pivot; }
    }
    chosen = find_bin_bits(difference, invocation);
  }
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      let bin = bin_of(Entry(keys[i], words[i]), slot, chosen);
      let half = half_of(bin);
      ranks[i] = (atomicAdd(&bins[bin_at(bin % BIN_WORDS)], 1u << half) >> half) & 0xffffu;
    }
  }
  workgroupBarrier();
  scan_bins(invocation);
  workgroupBarrier();
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      let bin = bin_of(Entry(keys[i], words[i]), slot, chosen);
      slots[ranks[i] + ((atomicLoad(&bins[bin_at(bin % BIN_WORDS)]) >> half_of(bin)) & 0xffffu)] =
        item_of(Entry(keys[i], words[i]), slot);
    } else {
      slots[slot] = LAST_ITEM;
    }
  }
  if invocation < KEYS_PER_INVOCATION { slots[TILE + invocation] = LAST_ITEM; }
  workgroupBarrier();

  const HALF_BLOCK = KEYS_PER_INVOCATION / 2u;
  let block = invocation * KEYS_PER_INVOCATION;
  let after = block + HALF_BLOCK + KEYS_PER_INVOCATION;
  var sorted = false;
  for (var round = 0u; !sorted; round++) {
    sort_block(block);
    workgroupBarrier();
    if round < ROUNDS {
      sort_block(block + HALF_BLOCK);
      workgroupBarrier();
      // Slots are in order within the blocks of the second half, and before the first of these blocks.
      if item_precedes(slots[min(after, TILE + KEYS_PER_INVOCATION - 1u)], slots[after - 1u]) {
        atomicAdd(&inversions, 1u);
      }
      if invocation == 0u && item_precedes(slots[HALF_BLOCK], slots[HALF_BLOCK - 1u]) {
        atomicAdd(&inversions, 1u);
      }
      workgroupBarrier();
      if invocation == 0u {
        is_sorted = select(0u, 1u, atomicLoad(&inversions) == 0u);
        atomicStore(&inversions, 0u);
      }
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

// Counts the keys of a chunk by a digit, with the counters of the bins. All invocations must call it.
fn count_chunk(column: u32, invocation: u32) {
  for (var d = invocation; d < COUNTED_DIGITS; d += WORKGROUP_SIZE) { atomicStore(&bins[d], 0u); }
  workgroupBarrier();
  let end = min((column + 1u) * params.chunk, params.key_count);
  var at = column * params.chunk + invocation;
  // KEYS_PER_INVOCATION loads in flight hide the memory's latency.
  var keys: TileKeys;
  for (; at + (KEYS_PER_INVOCATION - 1u) * WORKGROUP_SIZE < end; at += TILE) {
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
      keys[i] = ordered_at(at + i * WORKGROUP_SIZE);
    }
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) { // unroll
      atomicAdd(&bins[digit_at(keys[i], params.count_shift, COUNTED_DIGITS - 1u)], 1u);
    }
  }
  for (; at < end; at += WORKGROUP_SIZE) {
    atomicAdd(&bins[digit_at(ordered_at(at), params.count_shift, COUNTED_DIGITS - 1u)], 1u);
  }
  workgroupBarrier();
  for (var d = invocation; d < COUNTED_DIGITS; d += WORKGROUP_SIZE) {
    put_count(column * COUNTED_DIGITS + d, atomicLoad(&bins[d]));
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  start_subgroups(invocation);
  let workgroups = grid.x * grid.y;
  var place = linear_workgroup(workgroup, grid);
  if fills_few() {
    fill_few(place, workgroups, invocation);
    return;
  }
  if !is_wanted() {
    if COUNTS_IF_GIVEN_UP {
      // An invocation clears the counters that it has written to memory.
      for (; place < params.columns; place += workgroups) { count_chunk(place, invocation); }
    }
    return;
  }
  for (; place < segment_count(); place += workgroups) {
    sort_segment(segment_range(segment_number(place)), invocation);
  }
}
