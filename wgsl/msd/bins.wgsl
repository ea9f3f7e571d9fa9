// Sorts the items of a tile by bins and sorting networks. A digit chooses an item's bin; the items of a bin get
// neighbouring slots. Each invocation sorts KEYS_PER_INVOCATION neighbouring slots by a network, and then again
// across the ends of these blocks. That orders every bin of few items; most tiles are in order after one or two
// rounds of it.

#import tile
#import local_item
#import network
#import subgroup
#constant WORKGROUP_SIZE       // a power of two
#constant KEYS_PER_INVOCATION  // an odd number avoids bank conflicts between invocations
#constant COMPARATORS          // of the sorting network
#constant BIN_BITS             // bits that choose a bin; there are at least two bins per invocation

const BINS = 1u << BIN_BITS;
// A word holds two counters of 16 bits, for the bins b and b + BIN_WORDS: first the number of keys of each bin,
// then the slot of its first key.
const BIN_WORDS = BINS / 2u;
const PADDED_WORDS = BIN_WORDS + BIN_WORDS / 32u;
const WORDS_PER_INVOCATION = BIN_WORDS / WORKGROUP_SIZE;

// The counters of neighbouring words.
alias BinWords = array<u32, WORDS_PER_INVOCATION>;

// Rounds after which other ways to sort are faster, as many keys share a bin.
const ROUNDS = 3u;

alias Block = array<Item, KEYS_PER_INVOCATION>;

var<workgroup> lower_keys: u32;
var<workgroup> inversions: atomic<u32>;
var<workgroup> is_sorted: u32;

// Spreads words over the memory banks, since an invocation reads neighbouring words.
fn bin_at(word: u32) -> u32 {
  return word + (word >> 5u);
}

// The bits by which a bin's counter is shifted in its word.
fn half_of(bin: u32) -> u32 {
  return select(0u, 16u, bin >= BIN_WORDS);
}

// Must be called a barrier before the other functions.
fn clear_bins(invocation: u32) {
  for (var i = invocation; i < PADDED_WORDS; i += WORKGROUP_SIZE) { atomicStore(&counters[i], 0u); }
  if invocation == 0u { atomicStore(&inversions, 0u); }
}

// Counts a key in its bin, and returns how many were counted there before.
fn count_in_bin(bin: u32) -> u32 {
  let half = half_of(bin);
  return (atomicAdd(&counters[bin_at(bin % BIN_WORDS)], 1u << half) >> half) & 0xffffu;
}

// The slot of a bin's first key, once the bins have been scanned.
fn bin_start(bin: u32) -> u32 {
  return (atomicLoad(&counters[bin_at(bin % BIN_WORDS)]) >> half_of(bin)) & 0xffffu;
}

// Replaces the number of keys of each bin by the slot of its first key.
fn scan_bins(invocation: u32) {
  let first = invocation * WORDS_PER_INVOCATION;
  var counts: BinWords;
  var sum = 0u;
  for (var i = 0u; i < WORDS_PER_INVOCATION; i++) {
    counts[i] = atomicLoad(&counters[bin_at(first + i)]);
    sum += counts[i];
  }
  var start = exclusive_sum(sum, invocation);
  if invocation == WORKGROUP_SIZE - 1u { lower_keys = (start + sum) & 0xffffu; }
  workgroupBarrier();
  // The upper bins come after all lower bins.
  start += lower_keys << 16u;
  for (var i = 0u; i < WORDS_PER_INVOCATION; i++) {
    atomicStore(&counters[bin_at(first + i)], start);
    start += counts[i];
  }
}

// Sorts the block of slots that begins at `first`.
fn sort_block(first: u32) {
  var items: Block;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    items[i] = slots[first + i];
  }
  #unroll
  for (var i = 0u; i < COMPARATORS; i++) {
    let a = items[NETWORK[i].x];
    let b = items[NETWORK[i].y];
    items[NETWORK[i].x] = first_item(a, b);
    items[NETWORK[i].y] = last_item(a, b);
  }
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    slots[first + i] = items[i];
  }
}

// The first of the slots that an invocation sorts.
fn first_of_block(invocation: u32) -> u32 {
  return invocation * KEYS_PER_INVOCATION;
}

// Ends a round, which `sort_block` and a barrier have begun, and finds out whether all slots are in order:
// `is_sorted` says it after the next barrier. All invocations must call it.
fn finish_round(invocation: u32) {
  const HALF_BLOCK = KEYS_PER_INVOCATION / 2u;
  let block = first_of_block(invocation) + HALF_BLOCK;
  let after = block + KEYS_PER_INVOCATION;
  sort_block(block);
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
}
