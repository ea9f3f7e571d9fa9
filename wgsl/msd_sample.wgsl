// Samples the keys before a sort by the most significant digit first. One dispatch of one workgroup finds the
// range of half of the samples, and estimates whether the segments of its digits will fit a tile. If they will
// not, `status` becomes FALLBACK, and all passes until the fallback return immediately; or LOW_CARDINALITY, and
// the keys of each distinct value are counted. The estimate only saves time: later passes read every key.
// src/core/sort/msd/msd.ts explains the order of the passes.

#import order
#import key_range
#import sample_range
#import msd_samples
#import sample_bins
#import low_cardinality_list
#enable subgroups
#constant WORKGROUP_SIZE
#constant TOP_BITS     // of the topmost digit
#constant MARGIN_BITS  // see `range_between`
#constant STRETCHES    // 1 to stretch keys so that they use all values of their digits; else 0

@group(0) @binding(1) var<storage, read_write> written_range: KeyRange;
@group(0) @binding(2) var<storage, read_write> status: array<u32>;
@group(0) @binding(3) var<storage, read_write> outliers: array<u32>;  // becomes 0

const TOPS = 1u << TOP_BITS;

// The samples with each topmost digit.
var<workgroup> tops: array<atomic<u32>, TOPS>;
var<workgroup> longest: atomic<u32>;
var<workgroup> squares: atomic<u32>;
var<workgroup> are_expected_to_fit: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  var keys: SampleKeys;
  keys[0] = sample_at(invocation);
  var own = Extremes(keys[0], keys[0]);
  for (var i = 1u; i < FIRST_ONES; i++) {
    keys[i] = sample_at(invocation + i * WORKGROUP_SIZE);
    own = Extremes(first_of(own.least, keys[i]), last_of(own.most, keys[i]));
  }
  for (var i = invocation; i < TOPS; i += WORKGROUP_SIZE) { atomicStore(&tops[i], 0u); }
  clear_bins(invocation);
  if invocation == 0u {
    atomicStore(&longest, 0u);
    atomicStore(&squares, 0u);
  }
  // This has barriers.
  let all = workgroup_extremes(own, invocation);
  let differs = precedes(all.least, all.most);
  var range = range_between(all.least, all.most, MARGIN_BITS);
  range.stretch *= STRETCHES;

  for (var i = 0u; i < FIRST_ONES; i++) {
    let top = top_word(stretched_by(normalize(keys[i], range), range.stretch));
    atomicAdd(&tops[top >> (32u - TOP_BITS)], 1u);
    add_to_bin(top);
  }
  workgroupBarrier();
  var most = 0u;
  for (var i = invocation; i < TOPS; i += WORKGROUP_SIZE) { most = max(most, atomicLoad(&tops[i])); }
  most = subgroupMax(most);
  let sum = subgroupAdd(squares_of_bins(invocation));
  if subgroupElect() {
    atomicMax(&longest, most);
    atomicAdd(&squares, sum);
  }
  workgroupBarrier();
  if invocation == 0u {
    let is_even = atomicLoad(&longest) <= params.longest && atomicLoad(&squares) <= params.squares;
    written_range = range;
    are_expected_to_fit = select(0u, 1u, differs && is_even);
    status[0] = are_expected_to_fit;
    outliers[0] = 0u;
  }
  if FINDS_DISTINCT {
    if workgroupUniformLoad(&are_expected_to_fit) == 1u { return; }
    let status_then = find_distinct(&keys, invocation);
    if invocation == 0u { status[0] = status_then; }
  }
}
