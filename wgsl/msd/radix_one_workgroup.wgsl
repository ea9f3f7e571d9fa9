// Sorts keys without values in one dispatch of one workgroup. Equal keys are the same, so it need not be
// stable.
// 1. Keys go to bins, by the bits from the highest one on in which they differ, and are sorted by rounds of
//    networks (bins.wgsl).
// 2. If some keys are still out of order after ROUNDS rounds, or after one if some bin has more than
//    MAX_BIN_KEYS keys, all keys are ranked by their digits (rank_counters.wgsl), in the memory of the bins: by
//    all bits from the lowest to the highest one in which they differ. src/core/sort/radix/radix.ts explains
//    when it is taken.

#import key
#import difference
#import digit
#import tile
#import local_item
#import radix_keys
#import bins
#import subgroup
#import sum_before
#import rank_counters
#enable subgroups
#constant WORKGROUP_SIZE
#constant SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant BIN_BITS
#constant KEY_WORDS  // words per key
#constant MAX_BIN_KEYS      // if a bin has more keys, one round of networks is tried
#constant PARAMS     // number of the binding

struct OneWorkgroupParams {
  key_count: u32,
}

@group(0) @binding(PARAMS) var<uniform> params: OneWorkgroupParams;

// From the lowest to the highest bit in which some keys differ; `end` is 0 if there is none.
struct BitRange {
  begin: u32,
  end: u32,
}

var<workgroup> differing_range: BitRange;
// 1 if some bin has more than MAX_BIN_KEYS keys.
var<workgroup> overflows: atomic<u32>;
var<workgroup> overflow: u32;

// `difference` has the bits in which the keys of the invocation differ from the first key. All invocations must
// call it, after a barrier that follows `clear_difference`.
fn find_differing_range(difference: Key, invocation: u32) -> BitRange {
  add_difference(difference);
  workgroupBarrier();
  if invocation == 0u {
    let low = atomicLoad(&differing[0]);
    let high = select(0u, atomicLoad(&differing[1]), KEY_WORDS == 2u);
    let begin = select(firstTrailingBit(low), 32u + firstTrailingBit(high), low == 0u);
    let end = select(firstLeadingBit(low) + 1u, firstLeadingBit(high) + 33u, high != 0u);
    differing_range = BitRange(begin, select(end, 0u, (low | high) == 0u));
  }
  return workgroupUniformLoad(&differing_range);
}

// The topmost bits of the range, which choose a key's bin. They do not span two words.
fn bins_by(range: BitRange) -> BinBits {
  let word_begin = select(0u, 32u, range.end > 32u);
  return BinBits(max(max(range.end, BIN_BITS) - BIN_BITS, word_begin), BINS - 1u);
}

// Sorts the slots by the bits of the range. All invocations must call it; `turns` is what `start_subgroups`
// returned.
fn rank_slots(range: BitRange, invocation: u32, turns: u32) {
  let first = first_slot(invocation);
  for (var shift = range.begin; shift < range.end;) {
    let after = digit_end(shift, range.end);
    let mask = (1u << (after - shift)) - 1u;
    var keys: TileKeys;
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      keys[i] = slots[first + i * SUBGROUP_SIZE];
    }
    clear_counters(invocation);
    count_keys(&keys, shift, mask, invocation);
    workgroupBarrier();
    var count = 0u;
    if invocation < DIGITS { count = counted_keys(invocation); }
    let before = sum_before(count, invocation);
    if invocation < DIGITS { place_counters(invocation, before); }
    workgroupBarrier();
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      slots[next_slot(digit_at(keys[i], shift, mask), invocation, turns)] = keys[i];
    }
    workgroupBarrier();
    shift = after;
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let turns = start_subgroups(invocation);
  let count = params.key_count;
  var keys: TileKeys;
  var words: TileWords;
  var ranks: TileWords;
  let pivot = ordered_of(key_at(0u));
  var difference = pivot ^ pivot;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let at = invocation + i * WORKGROUP_SIZE;
    if at < count {
      keys[i] = ordered_of(key_at(at));
      difference |= keys[i] ^ pivot;
    }
  }
  clear_bins(invocation);
  clear_difference(invocation);
  if invocation == 0u { atomicStore(&overflows, 0u); }
  workgroupBarrier();
  let range = find_differing_range(difference, invocation);
  let chosen = bins_by(range);

  var longest = 0u;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    if invocation + i * WORKGROUP_SIZE < count {
      ranks[i] = count_in_bin(digit_at(keys[i], chosen.shift, chosen.mask));
      longest = max(longest, ranks[i] + 1u);
    }
  }
  longest = subgroupMax(longest);
  if subgroupElect() && longest > MAX_BIN_KEYS { atomicStore(&overflows, 1u); }
  workgroupBarrier();
  if invocation == 0u { overflow = atomicLoad(&overflows); }
  scan_bins(invocation);
  let bins_overflow = workgroupUniformLoad(&overflow);

  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let slot = invocation + i * WORKGROUP_SIZE;
    if slot < count {
      slots[ranks[i] + bin_start(digit_at(keys[i], chosen.shift, chosen.mask))] = keys[i];
    } else {
      slots[slot] = LAST_ITEM;
    }
  }
  if invocation < KEYS_PER_INVOCATION { slots[TILE + invocation] = LAST_ITEM; }
  workgroupBarrier();

  var sorted = false;
  // Many keys of a bin are in order after one round if nearly all of them are equal, and otherwise hardly ever.
  for (var round = select(0u, ROUNDS - 1u, bins_overflow != 0u); round < ROUNDS && !sorted; round++) {
    sort_block(first_of_block(invocation));
    workgroupBarrier();
    finish_round(invocation);
    // The keys are in order as a rule, so they are written while it is not known yet.
    write_segment(&keys, &words, 0u, count, invocation);
    sorted = workgroupUniformLoad(&is_sorted) == 1u;
  }
  if !sorted {
    rank_slots(range, invocation, turns);
    write_segment(&keys, &words, 0u, count, invocation);
  }
}
