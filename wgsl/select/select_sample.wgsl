// Begins a selection by a sample of the keys. One dispatch of one workgroup finds a sample that is probably not
// before the k-th key, and not far after it. Keys up to this bound are then the candidates; later passes
// count them all, so a sample that misleads takes time, and no more. It also sets `totals` to zero.
// src/core/sort/select/select.ts explains the order of the steps.

#import key
#import order
#import compared
#import selection
#import key_total
#import mix32
#import digit_choice
#constant WORKGROUP_SIZE
#constant SAMPLES  // a power of two and a multiple of WORKGROUP_SIZE, less than 2^16
#constant PARAMS   // number of the binding

struct SampleParams {
  key_count: u32,    // all keys, or the most that there may be
  head: u32,         // the most keys that are requested
  bits_begin: u32,   // the bits that are compared
  bits_end: u32,
  total_words: u32,  // words in `totals`
  count_at: u32,     // the word of the count that the device knows
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;
@group(0) @binding(2) var<storage, read_write> selection: Selection;
@group(0) @binding(PARAMS) var<uniform> params: SampleParams;

const PER_INVOCATION = SAMPLES / WORKGROUP_SIZE;

// Samples that are compared with each other instead of being counted by another digit.
const MOST_LEFT = 128u;

var<workgroup> left_keys: array<Key, MOST_LEFT>;
var<workgroup> left_count: atomic<u32>;
var<workgroup> bound: Key;

// The rank of the bound among the samples, counted from 1: where the k-th key is expected, and five
// standard deviations more. The constant covers the skew of small numbers. A random sample misleads about once
// in a million times.
fn bound_rank(top_keys: u32, key_count: u32) -> u32 {
  let part = f32(top_keys) / f32(max(key_count, 1u));
  let mean = part * f32(SAMPLES);
  return u32(ceil(mean + 5.0 * sqrt(max(0.0, mean * (1.0 - part))) + 3.0));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let key_count = key_total(params.key_count, params.count_at);
  let top_keys = min(params.head, key_count);
  let rank = bound_rank(top_keys, key_count);
  let field_low = field_word(params.bits_begin, params.bits_end, 0u);
  let field_high = field_word(params.bits_begin, params.bits_end, 32u);

  // One key of each of SAMPLES equal parts of the input. All loads are in flight at once.
  var forms: array<Key, PER_INVOCATION>;
  for (var i = 0u; i < PER_INVOCATION; i++) {
    let at = sample_place(invocation + i * WORKGROUP_SIZE, SAMPLES, key_count);
    forms[i] = unpack(keys[stored_at(at)], at);
  }
  for (var i = 0u; i < PER_INVOCATION; i++) { forms[i] = compared(to_ordered(forms[i])); }
  if invocation == 0u { atomicStore(&left_count, 0u); }

  var bits = ChosenBits(0u, 0u, 0u, 0u);
  var before = 0u;
  var left = SAMPLES;
  // If k is so large that the bound may be past all samples, it is the last key that there can be.
  let is_sampled = rank <= SAMPLES;
  var end = select(params.bits_begin, params.bits_end, is_sampled);
  for (; end > params.bits_begin && left > MOST_LEFT;) {
    let shift = digit_shift(params.bits_begin, end);
    let mask = (1u << (end - shift)) - 1u;
    clear_counters(invocation);
    var run = DigitRun(COUNTERS, 0u);
    for (var i = 0u; i < PER_INVOCATION; i++) {
      run = run_with(run, forms[i], has_chosen_bits(forms[i], bits), shift, mask);
    }
    count_run(run);
    let choice = choose_digit(rank - before, invocation);
    before += choice.y;
    left = choice.z;
    bits = with_digit(bits, choice.x, shift, mask);
    end = shift;
  }

  if end > params.bits_begin {
    workgroupBarrier();
    for (var i = 0u; i < PER_INVOCATION; i++) {
      if has_chosen_bits(forms[i], bits) {
        left_keys[atomicAdd(&left_count, 1u)] = masked(forms[i], field_low, field_high);
      }
    }
    workgroupBarrier();
    for (var i = invocation; i < left; i += WORKGROUP_SIZE) {
      let own = left_keys[i];
      var earlier = before;
      for (var k = 0u; k < left; k++) {
        let other = left_keys[k];
        let is_earlier = precedes(other, own) || (k < i && all(other == own));
        earlier += select(0u, 1u, is_earlier);
      }
      if earlier == rank - 1u { bound = own; }
    }
    let bound_key = workgroupUniformLoad(&bound);
    bits.low = word_at(bound_key, 0u);
    // A key of one word has no high word.
    bits.high = word_at(bound_key, 1u) & field_high;
  }
  if invocation == 0u {
    selection = Selection(
      0u, 0u, key_count, top_keys, 0u, 0u, 0u, field_low, field_high,
      select(field_low, bits.low, is_sampled), select(field_high, bits.high, is_sampled), 0u,
    );
  }
  for (var i = invocation; i < params.total_words; i += WORKGROUP_SIZE) { totals[i] = 0u; }
}
