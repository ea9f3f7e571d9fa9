// Makes the table of the equi-depth remap of floats, for the segments of a sort by the most significant digit
// first, from the counts of msd_remap_count.wgsl. One dispatch of one workgroup. If the segments are then
// expected to fit their tiles, `status` becomes REMAPPED, and the passes that follow move keys by the digits of
// their codes. If not, and all samples are decimals of few places, it becomes DECIMALS. The estimate only saves
// time: later passes read every key. src/core/sort/msd/msd_remap.ts explains the order of the passes.

#import key
#import radix_keys
#import remap_word
#import mix32
#import sample_bins
#import subgroup
#import key_range
#import status
#constant WORKGROUP_SIZE  // at most OCTAVES; a power of two
#constant SAMPLES         // that are read once more; a power of two
#constant PARAMS          // number of the binding

struct MsdRemapPlanParams {
  key_count: u32,
  rows: u32,      // of counts; a multiple of ROWS_AT_ONCE
  counted: u32,   // samples that were counted
  all_bits: u32,  // of all digits
  longest: u32,   // the maximum number of keys of a segment
  squares: u32,   // the greatest sum of squares of the numbers of samples in a bin of segments
  equal_squares: u32, // the same in a bin of values
}

@group(0) @binding(1) var<storage, read> counts: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> status: array<u32>;
@group(0) @binding(3) var<storage, read_write> written_range: KeyRange;
@group(0) @binding(PARAMS) var<uniform> params: MsdRemapPlanParams;

const OCTAVE = 8u;
const OCTAVES = REGIONS / OCTAVE;
const PER_INVOCATION = OCTAVES / WORKGROUP_SIZE;
const SAMPLES_PER_INVOCATION = SAMPLES / WORKGROUP_SIZE;
// Rows of counts that an invocation loads at once.
const ROWS_AT_ONCE = 4u;
const REGIONS_PER_INVOCATION = PER_INVOCATION * OCTAVE;
const CODES = 65536u;
// Units of a weight per sample.
const UNITS = 64f;

alias Octave = array<f32, OCTAVE>;

// The samples of the first and the last region of each octave.
var<workgroup> octave_ends: array<vec2f, OCTAVES>;
var<workgroup> all_weight: u32;
var<workgroup> is_needed: u32;
var<workgroup> are_some_long: atomic<u32>;
var<workgroup> squares: atomic<u32>;
var<workgroup> equal_squares: atomic<u32>;
var<workgroup> remaps: u32;

// The samples of each region of an octave.
fn octave_counts(octave: u32) -> Octave {
  var low = vec4u(0u);
  var high = vec4u(0u);
  for (var row = 0u; row < params.rows; row += ROWS_AT_ONCE) {
    for (var i = 0u; i < ROWS_AT_ONCE; i++) {
      let at = (row + i) * (REGIONS / 4u) + octave * 2u;
      low += counts[at];
      high += counts[at + 1u];
    }
  }
  return Octave(
    f32(low.x), f32(low.y), f32(low.z), f32(low.w), f32(high.x), f32(high.y), f32(high.z), f32(high.w)
  );
}

// The samples of a region, and as many more as may be missing by chance in one of `most` samples.
fn with_margin(samples: f32, most: f32) -> f32 {
  return samples + 1.25 * sqrt(most) + 20.0 / (4.0 + samples);
}

// The samples that the regions before and after an octave would have if they were as wide as its own. Nearer to
// 0, in the middle of the order, they are half as wide, and elsewhere twice. There are none beyond 0.
fn samples_beside(octave: u32) -> vec2f {
  const ZERO = OCTAVES / 2u;
  let is_before_zero = octave < ZERO;
  var beside = vec2f(0f);
  if octave != 0u && octave != ZERO { beside.x = octave_ends[octave - 1u].y * select(2.0, 0.5, is_before_zero); }
  if octave != ZERO - 1u && octave != OCTAVES - 1u {
    beside.y = octave_ends[octave + 1u].x * select(0.5, 2.0, is_before_zero);
  }
  return beside;
}

// The most samples to expect in each region of an octave. If the octave's samples lie evenly enough, their
// mean tells this more exactly than the region's own samples. If not, keys lie close together at that end of
// a region where its neighbour has more of them.
fn expected_samples(samples: Octave, beside: vec2f) -> Octave {
  var sum = 0f;
  for (var i = 0u; i < OCTAVE; i++) { sum += samples[i]; }
  let mean = sum / f32(OCTAVE);
  var deviation = 0f;
  for (var i = 0u; i < OCTAVE; i++) { deviation += (samples[i] - mean) * (samples[i] - mean); }
  // Even keys give about seven times the mean.
  let even = select(0f, with_margin(sum, sum) / f32(OCTAVE), deviation <= 30.0 * mean);
  let takes_own = deviation > 14.0 * mean;
  var result: Octave;
  for (var i = 0u; i < OCTAVE; i++) {
    let before = select(samples[max(i, 1u) - 1u], beside.x, i == 0u);
    let after = select(samples[min(i + 1u, OCTAVE - 1u)], beside.y, i == OCTAVE - 1u);
    let most = max(samples[i], max(before, after));
    // Where a neighbour has far more keys, their range may end within the region, as that of longitudes does at
    // 180 in [176, 192): they fill a part of it, which needs the codes of a whole one.
    let dense = select(samples[i], min(8.0 * samples[i], most), most > 2.5 * samples[i]);
    result[i] = max(even, select(0f, with_margin(dense, most), takes_own));
  }
  return result;
}

#if decimals/chosen
#import decimals

// The number of places if keys are no decimals: one more than the maximum.
const NO_PLACES = 4u;
// The reciprocals of powers of ten: see Decimals.
const RECIPROCALS = array<vec2u, NO_PLACES>(
  vec2u(0u, 0x80000000u),
  vec2u(0xccccccccu, 0xccccccccu),
  vec2u(0x70a3d70au, 0xa3d70a3du),
  vec2u(0x8d4fdf3bu, 0x83126e97u),
);
// The least number of forms below that of 0, for negative numbers, and the least multiple of those that the samples
// take.
const LEAST_BIAS = 1u << 10u;
const NEGATIVE_MARGIN = 8u;

// The maximum of all samples, of places and of the forms below that of 0.
var<workgroup> places: atomic<u32>;
var<workgroup> most_negative: atomic<u32>;

// Lets the forms of keys move if all samples are decimals of few places. All invocations must call it.
fn choose_decimals(samples: ptr<function, array<Key, SAMPLES_PER_INVOCATION>>, invocation: u32) {
  if invocation == 0u {
    atomicStore(&places, 0u);
    atomicStore(&most_negative, 0u);
  }
  workgroupBarrier();
  // One sample of an invocation tells the places, so that few are tested by each power if keys are no decimals.
  var decimals = Decimals(1u, vec2u(), FORMS / 2u);
  for (var needed = 0u; needed < NO_PLACES; needed++) {
    if is_decimal((*samples)[0], decimals) { break; }
    decimals.power *= 10u;
    atomicMax(&places, needed + 1u);
  }
  workgroupBarrier();
  let chosen = atomicLoad(&places);
  decimals.power = 1u;
  for (var i = 0u; i < chosen; i++) { decimals.power *= 10u; }
  var negative = 0u;
  var are_decimals = chosen < NO_PLACES;
  for (var i = 0u; i < SAMPLES_PER_INVOCATION; i++) {
    if !are_decimals { break; }
    are_decimals = is_decimal((*samples)[i], decimals);
    negative = max(negative, decimals.bias - min(form_of((*samples)[i], decimals), decimals.bias));
  }
  // An invocation that reads this as its number of places refuses the samples, too.
  if !are_decimals { atomicStore(&places, NO_PLACES); }
  atomicMax(&most_negative, negative);
  workgroupBarrier();
  if invocation != 0u || atomicLoad(&places) == NO_PLACES { return; }
  let bits = 32u - countLeadingZeros(atomicLoad(&most_negative));
  let reciprocal = RECIPROCALS[chosen];
  status[DECIMALS_BEGIN] = decimals.power;
  status[DECIMALS_BEGIN + 1u] = reciprocal.x;
  status[DECIMALS_BEGIN + 2u] = reciprocal.y;
  status[DECIMALS_BEGIN + 3u] = max(LEAST_BIAS, min(FORMS / 2u, NEGATIVE_MARGIN << min(bits, 28u)));
  status[0] = DECIMALS;
}
#end

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  start_subgroups(invocation);
  if invocation == 0u {
    is_needed = select(0u, 1u, status[0] == FALLBACK);
    atomicStore(&are_some_long, 0u);
    atomicStore(&squares, 0u);
    atomicStore(&equal_squares, 0u);
  }
  if workgroupUniformLoad(&is_needed) == 0u { return; }
  clear_bins(invocation);

  // The samples are in flight while the table is made.
  var samples: array<Key, SAMPLES_PER_INVOCATION>;
  for (var i = 0u; i < SAMPLES_PER_INVOCATION; i++) {
    samples[i] = key_at(sample_place(invocation + i * WORKGROUP_SIZE, SAMPLES, params.key_count));
  }
  // The weights are kept, as a compiler may round them otherwise where they are computed again. Then codes
  // would not grow with the keys.
  var weights: array<u32, REGIONS_PER_INVOCATION>;
  var octaves: array<Octave, PER_INVOCATION>;
  var sum = 0u;
  for (var i = 0u; i < PER_INVOCATION; i++) {
    let octave = invocation * PER_INVOCATION + i;
    octaves[i] = octave_counts(octave);
    octave_ends[octave] = vec2f(octaves[i][0], octaves[i][OCTAVE - 1u]);
  }
  workgroupBarrier();
  for (var i = 0u; i < PER_INVOCATION; i++) {
    let expected = expected_samples(octaves[i], samples_beside(invocation * PER_INVOCATION + i));
    for (var region = 0u; region < OCTAVE; region++) {
      let weight = u32(UNITS * expected[region]);
      weights[i * OCTAVE + region] = weight;
      sum += weight;
    }
  }
  var before = exclusive_sum(sum, invocation);
  if invocation == WORKGROUP_SIZE - 1u { all_weight = before + sum; }
  let per_weight = f32(CODES - 1u) / f32(workgroupUniformLoad(&all_weight));
  let keys_per_weight = f32(params.key_count) / (f32(params.counted) * UNITS);
  let codes_per_segment = CODES >> params.all_bits;
  let keys_per_code = f32(params.longest) / f32(codes_per_segment);

  for (var i = 0u; i < REGIONS_PER_INVOCATION; i++) {
    let region = invocation * REGIONS_PER_INVOCATION + i;
    let first = u32(f32(before) * per_weight);
    before += weights[i];
    // The largest ordered form gets the last code, and so the largest digits, as padding must have.
    let end = select(u32(f32(before) * per_weight), CODES, region == REGIONS - 1u);
    status[TABLE_BEGIN + region] = (first << 16u) | (end - first);
    if f32(weights[i]) * keys_per_weight > keys_per_code * f32(max(end - first, codes_per_segment)) {
      atomicStore(&are_some_long, 1u);
    }
  }
  storageBarrier();
  workgroupBarrier();

  for (var i = 0u; i < SAMPLES_PER_INVOCATION; i++) {
    let key = ordered_of(samples[i]);
    let code = remap_code(status[region_at(key)], remap_rest(key));
    add_to_bin(code, params.all_bits);
  }
  workgroupBarrier();
  atomicAdd(&squares, squares_of_bins(invocation));
  workgroupBarrier();
  // Equal keys may exceed a tile although segments are even.
  clear_bins(invocation);
  workgroupBarrier();
  for (var i = 0u; i < SAMPLES_PER_INVOCATION; i++) {
    add_to_bin(word_at(samples[i], 0u) ^ mix32(word_at(samples[i], 1u)), 32u);
  }
  workgroupBarrier();
  atomicAdd(&equal_squares, squares_of_bins(invocation));
  workgroupBarrier();
  let are_even = atomicLoad(&are_some_long) == 0u && atomicLoad(&squares) <= params.squares;
  if invocation == 0u {
    remaps = select(0u, 1u, are_even && atomicLoad(&equal_squares) <= params.equal_squares);
  }
  if workgroupUniformLoad(&remaps) == 0u {
#if decimals/chosen
    choose_decimals(&samples, invocation);
#end
    return;
  }
  if invocation == 0u {
    status[0] = REMAPPED;
    // Codes are of keys as they are.
    written_range = ALL_KEYS;
  }
}
