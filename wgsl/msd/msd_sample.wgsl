// Samples the keys before a sort by the most significant digit first. One dispatch of one workgroup finds the
// range of half of the samples, and estimates whether the segments of its digits will fit a tile. If they will
// not, `status` becomes FALLBACK, and all passes until the fallback return immediately; or LOW_CARDINALITY, and
// the keys of each distinct value are counted. If the range has no bits below the digits, it becomes
// EQUAL_SEGMENTS instead of FITS or FALLBACK. What the sample tells only saves time: later passes read every
// key.
// src/core/sort/msd/msd.ts explains the order of the passes.

#import key
#import order
#import key_range
#import radix_keys
#import mix32
#import sample_range
#import sample_bins
#import status
#enable subgroups
#constant WORKGROUP_SIZE
#constant SAMPLES      // a power of two, and a multiple of 2 * WORKGROUP_SIZE
#constant MAX_DIGIT_BITS // the maximum number of bits of the topmost digit
#constant MARGIN_BITS  // see `range_between`
#constant PARAMS       // number of the binding

struct MsdSampleParams {
  key_count: u32,
  top_bits: u32,  // of the topmost digit
  all_bits: u32,  // of all digits, which choose a segment
  longest: u32,   // the most samples with the same topmost digit for which the segments are expected to fit
  squares: u32,   // likewise the greatest sum of squares of the numbers of samples in a bin
  unused: u32,    // all keys of a segment are equal if the range has this many unused bits or more
}

@group(0) @binding(1) var<storage, read_write> written_range: KeyRange;
@group(0) @binding(2) var<storage, read_write> status: array<u32>;
@group(0) @binding(3) var<storage, read_write> outliers: array<u32>;  // becomes 0

@group(0) @binding(PARAMS) var<uniform> params: MsdSampleParams;

const PER_INVOCATION = SAMPLES / WORKGROUP_SIZE;
// The samples of an invocation that are read first.
const FIRST_ONES = PER_INVOCATION / 2u;

// The samples of an invocation: those with the numbers invocation + i * WORKGROUP_SIZE.
alias SampleKeys = array<Key, PER_INVOCATION>;

// Sample `number`, at a random place. Places in equal steps would miss some of the values of a sorted block,
// where the input has such blocks.
fn sample_at(number: u32) -> Key {
  return ordered_of(key_at(high_product(mix32(number), params.key_count)));
}

const MAX_TOPS = 1u << MAX_DIGIT_BITS;

// The samples with each topmost digit.
var<workgroup> tops: array<atomic<u32>, MAX_TOPS>;
var<workgroup> longest: atomic<u32>;
var<workgroup> squares: atomic<u32>;
var<workgroup> in_topmost_quarter: atomic<u32>;
var<workgroup> are_expected_to_fit: u32;

#if low_cardinality/list
// Lists the distinct values of the samples if there are at most MAX_DISTINCT. Samples of too many values mostly
// show that by their first half, as more slots of the table are taken than there may be values: that takes some
// microseconds less.
#import low_cardinality
#constant MAX_DISTINCT

// One more than the number of a sample that has the value of the slot; 0 for an empty slot. At first, whether
// the slot is taken.
var<workgroup> owners: array<atomic<u32>, DISTINCT_SLOTS>;
var<workgroup> distinct: array<Key, MAX_DISTINCT>;
// At first, how many slots are taken.
var<workgroup> distinct_count: atomic<u32>;
// The number of the last round in which some sample hit another value.
var<workgroup> last_search: atomic<u32>;
var<workgroup> goes_on: u32;

fn clear_table(invocation: u32) {
  for (var i = invocation; i < DISTINCT_SLOTS; i += WORKGROUP_SIZE) { atomicStore(&owners[i], 0u); }
  if invocation == 0u { atomicStore(&distinct_count, 0u); }
  workgroupBarrier();
}

// Whether the first half of the samples takes at most MAX_DISTINCT slots of the table. Distinct values may
// share a slot then, so only more slots than that tell something.
fn may_be_low_cardinality(keys: ptr<function, SampleKeys>, invocation: u32) -> bool {
  clear_table(invocation);
  for (var i = 0u; i < FIRST_ONES; i++) { atomicStore(&owners[distinct_slot((*keys)[i])], 1u); }
  workgroupBarrier();
  var taken = 0u;
  for (var i = invocation; i < DISTINCT_SLOTS; i += WORKGROUP_SIZE) { taken += atomicLoad(&owners[i]); }
  taken = subgroupAdd(taken);
  if subgroupElect() { atomicAdd(&distinct_count, taken); }
  workgroupBarrier();
  if invocation == 0u { goes_on = select(0u, 1u, atomicLoad(&distinct_count) <= MAX_DISTINCT); }
  return workgroupUniformLoad(&goes_on) == 1u;
}

// Whether the samples have few distinct values, which it then lists. Only the first half of the samples need be
// loaded. All invocations must call it.
fn find_distinct(keys: ptr<function, SampleKeys>, invocation: u32) -> bool {
  if !may_be_low_cardinality(keys, invocation) { return false; }
  for (var i = FIRST_ONES; i < PER_INVOCATION; i++) { (*keys)[i] = sample_at(invocation + i * WORKGROUP_SIZE); }
  if invocation == 0u { atomicStore(&last_search, 0u); }
  clear_table(invocation);
  var slots: array<u32, PER_INVOCATION>;
  var is_placed: array<bool, PER_INVOCATION>;
  for (var i = 0u; i < PER_INVOCATION; i++) { slots[i] = distinct_slot((*keys)[i]); }
  // Samples of the same value are in the same slot in every round. A value passes at most MAX_DISTINCT others.
  for (var round = 1u; round <= MAX_DISTINCT + 1u; round++) {
    for (var i = 0u; i < PER_INVOCATION; i++) {
      // Any sample may win a slot, so the last one to store does.
      if !is_placed[i] && atomicLoad(&owners[slots[i]]) == 0u {
        atomicStore(&owners[slots[i]], 1u + invocation + i * WORKGROUP_SIZE);
      }
    }
    workgroupBarrier();
    for (var i = 0u; i < PER_INVOCATION; i++) {
      if is_placed[i] { continue; }
      let owner = atomicLoad(&owners[slots[i]]) - 1u;
      if owner == invocation + i * WORKGROUP_SIZE {
        let at = atomicAdd(&distinct_count, 1u);
        if at < MAX_DISTINCT { distinct[at] = (*keys)[i]; }
        is_placed[i] = true;
      } else if has_same_bits(sample_at(owner), (*keys)[i]) {
        is_placed[i] = true;
      } else {
        slots[i] = next_distinct_slot(slots[i]);
        atomicStore(&last_search, round);
      }
    }
    workgroupBarrier();
    if invocation == 0u {
      goes_on = select(0u, 1u, atomicLoad(&last_search) == round && atomicLoad(&distinct_count) <= MAX_DISTINCT);
    }
    if workgroupUniformLoad(&goes_on) == 0u { break; }
  }
  let count = atomicLoad(&distinct_count);
  if count > MAX_DISTINCT { return false; }
  for (var i = invocation; i < count; i += WORKGROUP_SIZE) {
    var rank = 0u;
    for (var other = 0u; other < count; other++) {
      rank += select(0u, 1u, precedes(distinct[other], distinct[i]));
    }
    distinct_keys.keys[rank] = distinct[i];
  }
  for (var i = invocation; i < MAX_DISTINCT; i += WORKGROUP_SIZE) { atomicStore(&distinct_keys.totals[i], 0u); }
  if invocation == 0u { distinct_keys.count = count; }
  return true;
}
#end

// Whether few samples are in the topmost quarter of the numbers below the gap, as if these have a long tail.
// All invocations must call it.
fn has_tail_below(gap: Gap, keys: ptr<function, SampleKeys>) -> bool {
  var in_quarter = 0u;
  for (var i = 0u; i < FIRST_ONES; i++) {
    // The lowest bit of the gap, and two below it that both differ from it: a gap has ones in descending order.
    let bits = word_at(shift_down((*keys)[i], max(gap.begin, 2u) - 2u), 0u) & 7u;
    in_quarter += select(0u, 1u, bits == 3u || bits == 4u);
  }
  in_quarter = subgroupAdd(in_quarter);
  if subgroupElect() { atomicAdd(&in_topmost_quarter, in_quarter); }
  workgroupBarrier();
  return atomicLoad(&in_topmost_quarter) < SAMPLES / 32u;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  var keys: SampleKeys;
  let first = sample_at(0u);
  var own = Sample(first, first, Key(0u));
  for (var i = 0u; i < FIRST_ONES; i++) {
    keys[i] = sample_at(invocation + i * WORKGROUP_SIZE);
    own = with_key(own, keys[i], first);
  }
  for (var i = invocation; i < MAX_TOPS; i += WORKGROUP_SIZE) { atomicStore(&tops[i], 0u); }
  clear_bins(invocation);
  if invocation == 0u {
    atomicStore(&longest, 0u);
    atomicStore(&squares, 0u);
    atomicStore(&in_topmost_quarter, 0u);
  }
  // This has barriers.
  let all = workgroup_sample(own, invocation);
  let differs = precedes(all.least, all.most);
  let gap = gap_between(all.least, all.most, all.differing);
  let has_tail = has_tail_below(gap, &keys);
  let range = range_between(all.least, all.most, gap, has_tail, MARGIN_BITS);

  for (var i = 0u; i < FIRST_ONES; i++) {
    let top = top_word(stretched_by(normalize(keys[i], range), range.stretch));
    atomicAdd(&tops[top >> (32u - params.top_bits)], 1u);
    add_to_bin(top, params.all_bits);
  }
  workgroupBarrier();
  var most = 0u;
  for (var i = invocation; i < MAX_TOPS; i += WORKGROUP_SIZE) { most = max(most, atomicLoad(&tops[i])); }
  most = subgroupMax(most);
  let sum = subgroupAdd(squares_of_bins(invocation));
  if subgroupElect() {
    atomicMax(&longest, most);
    atomicAdd(&squares, sum);
  }
  workgroupBarrier();
  if invocation == 0u {
    let is_even = atomicLoad(&longest) <= params.longest && atomicLoad(&squares) <= params.squares;
    let fits = differs && is_even;
    written_range = range;
    are_expected_to_fit = select(0u, 1u, fits);
    status[0] = select(select(FALLBACK, FITS, fits), EQUAL_SEGMENTS, range.unused >= params.unused);
    outliers[0] = 0u;
  }
#if low_cardinality/list
  if workgroupUniformLoad(&are_expected_to_fit) == 1u { return; }
  if find_distinct(&keys, invocation) && invocation == 0u { status[0] = LOW_CARDINALITY; }
#end
}
