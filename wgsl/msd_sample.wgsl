// Looks at a sample of the keys before a sort by the most significant digit first. One dispatch of one
// workgroup finds the topmost bits that the samples share, and estimates whether the segments of the digits
// below will fit a tile. Half of the samples are enough for that. If not, `fits` becomes 0, and all passes
// until the fallback return immediately; or ARE_FEW if all samples have few distinct values, which are then
// counted. The estimate only saves time: later passes look at every key. src/core/sort/msd.ts explains how the
// passes work together.

#import key
#import shared_bits
#import msd_samples
#import sample_bins
#import few_found
#enable subgroups
#constant WORKGROUP_SIZE
#constant TOP_BITS   // of the topmost digit

@group(0) @binding(1) var<storage, read_write> found: SharedBits;
@group(0) @binding(2) var<storage, read_write> fits: array<u32>;
@group(0) @binding(3) var<storage, read_write> outliers: array<u32>;  // becomes 0

const TOPS = 1u << TOP_BITS;

// The samples with each topmost digit.
var<workgroup> tops: array<atomic<u32>, TOPS>;
// The bits in which some sample differs from the first: of the low word and of the high word.
var<workgroup> differing: array<atomic<u32>, 2>;
var<workgroup> longest: atomic<u32>;
var<workgroup> squares: atomic<u32>;
var<workgroup> are_expected_to_fit: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let first = sample_at(0u);
  var keys: SampleKeys;
  var difference = first ^ first;
  for (var i = 0u; i < FIRST_ONES; i++) {
    keys[i] = sample_at(invocation + i * WORKGROUP_SIZE);
    difference |= keys[i] ^ first;
  }
  for (var i = invocation; i < TOPS; i += WORKGROUP_SIZE) { atomicStore(&tops[i], 0u); }
  clear_bins(invocation);
  if invocation < 2u { atomicStore(&differing[invocation], 0u); }
  if invocation == 0u {
    atomicStore(&longest, 0u);
    atomicStore(&squares, 0u);
  }
  // The only word of a short key is both its low and its high word.
  let low = subgroupOr(word_at(difference, 0u));
  let high = subgroupOr(word_at(difference, 1u));
  workgroupBarrier();
  if subgroupElect() {
    atomicOr(&differing[0], low);
    atomicOr(&differing[1], high);
  }
  workgroupBarrier();
  let low_differs = atomicLoad(&differing[0]);
  let high_differs = atomicLoad(&differing[1]);
  let shared_by_all = bits_shared(low_differs, high_differs, first);

  for (var i = 0u; i < FIRST_ONES; i++) {
    let top = top_word(rotate(keys[i], shared_by_all.count));
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
    let differs = (low_differs | high_differs) != 0u;
    let is_spread = atomicLoad(&longest) <= params.longest && atomicLoad(&squares) <= params.squares;
    found = shared_by_all;
    are_expected_to_fit = select(0u, 1u, differs && is_spread);
    fits[0] = are_expected_to_fit;
    outliers[0] = 0u;
  }
  if FINDS_FEW {
    if workgroupUniformLoad(&are_expected_to_fit) == 1u { return; }
    let fits_then = find_few(&keys, invocation);
    if invocation == 0u { fits[0] = fits_then; }
  }
}
