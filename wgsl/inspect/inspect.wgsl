// One dispatch inspects keys and their values, before or after a sort, and adds its findings to `totals`. An
// invocation inspects every stride-th key. A workgroup adds up its sums in workgroup memory before it adds
// them to `totals`. A sort must not change two sums of hashes of all keys with their values, which do not
// depend on the order, nor a plain sum of the keys' words, which is compared again when the keys are read
// back. After a sort, no neighbours may be in the wrong order. The number of inspected keys detects a device
// that did no work. The bits in which keys differ allow a shorter sort.
//
// Where equal keys are counted, the sum of their hashes is compared with that of the distinct keys' hashes,
// each times its count. Then all NaNs have the same hash.

#import key
#import order
#import hash
#import same
#import mix32
#import inspect_params
#import inspected_value
#import inspected_order
#constant WORKGROUP_SIZE
#constant KEY_BITS     // 8, 16, 32 or 64
#constant MASK_LOW     // the bits of the compared form that are sorted by: in its low word
#constant MASK_HIGH    // and in its high word
#constant VALUE_WORDS  // words per value, or 0 if there are no values
#constant UNIQUE       // 1 if only the first of equal keys is kept
#constant BOUNDED      // 1 if only keys up to a bound are inspected
#constant COUNTING     // 1 if equal keys will be counted, 2 if the values of distinct keys are counts

struct Totals {
  sum_a: atomic<u32>,            // of hashes; if COUNTING is 2, of counts
  sum_b: atomic<u32>,            // of other hashes; if COUNTING is 2, each times a count
  inversions: atomic<u32>,       // pairs of neighbours i, i + 1 in the wrong order
  first_inversion: atomic<u32>,  // 2^32 - 1 minus the smallest such i; zero if there is none
  seen: atomic<u32>,             // inspected keys
  ones_low: atomic<u32>,         // bits that are set in some key's compared form
  ones_high: atomic<u32>,
  zeros_low: atomic<u32>,        // bits that are clear in some key's compared form
  zeros_high: atomic<u32>,
  low_sum: atomic<u32>,          // sum of the kept keys' low words; a key of up to 32 bits is a low word
  high_sum: atomic<u32>,         // sum of the kept keys' high words
  distinct: atomic<u32>,         // keys that differ from the key before them; zero unless UNIQUE
}

@group(0) @binding(1) var<storage, read_write> totals: Totals;

var<workgroup> sum_a: atomic<u32>;
var<workgroup> sum_b: atomic<u32>;
var<workgroup> seen: atomic<u32>;
var<workgroup> low_sum: atomic<u32>;
var<workgroup> high_sum: atomic<u32>;
var<workgroup> distinct: atomic<u32>;
var<workgroup> ones: array<atomic<u32>, 2>;
var<workgroup> zeros: array<atomic<u32>, 2>;

// Whether a key goes after the bound.
fn is_past_bound(form: Key) -> bool {
  let bound = key_of(params.bound_low, params.bound_high);
  return precedes(masked(bound, MASK_LOW, MASK_HIGH), masked(form, MASK_LOW, MASK_HIGH));
}

// What is hashed of a key: where equal keys are counted, the same for all NaNs.
fn counted_as(key: Key) -> Key {
  let nan = Key(0xffffffffu);
  return select(key, nan, COUNTING > 0u && is_same(key, nan));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u {
    atomicStore(&sum_a, 0u);
    atomicStore(&sum_b, 0u);
    atomicStore(&seen, 0u);
    atomicStore(&low_sum, 0u);
    atomicStore(&high_sum, 0u);
    atomicStore(&distinct, 0u);
    for (var word = 0u; word < 2u; word++) {
      atomicStore(&ones[word], 0u);
      atomicStore(&zeros[word], 0u);
    }
  }
  workgroupBarrier();

  var a = 0u;
  var b = 0u;
  var count = 0u;
  var low = 0u;
  var high = 0u;
  var firsts = 0u;
  var inversions = 0u;
  var first = 0u;
  var set_bits = Key();
  var clear_bits = Key();
  for (var i = global.x; i < params.key_count; i += params.stride) {
    let key = key_at(i);
    let form = form_of(key);
    if BOUNDED == 1u && is_past_bound(form) { continue; }
    var hash_a = hash(key, 0x9e3779b9u);
    var hash_b = hash(counted_as(key), 0x7f4a7c15u);
    if COUNTING == 2u {
      hash_a = value_word(i, 0u);
      hash_b *= value_word(i, 0u);
    } else {
      for (var word = 0u; word < VALUE_WORDS; word++) {
        hash_a = mix32(hash_a ^ value_word(i, word));
        hash_b = mix32(hash_b ^ value_word(i, word));
      }
    }
    a += hash_a;
    b += hash_b;
    count += 1u;
    if UNIQUE == 0u || params.begin + i == 0u {
      low += word_at(key, 0u);
      if KEY_BITS == 64u { high += word_at(key, 1u); }
      firsts += UNIQUE;
    }
    if UNIQUE == 1u && i < params.neighbours {
      // Its right neighbour is bound, but its left one may not be.
      let next = key_at(i + 1u);
      if !is_same(key, next) {
        low += word_at(next, 0u);
        if KEY_BITS == 64u { high += word_at(next, 1u); }
        firsts += 1u;
      }
    }
    set_bits |= form;
    clear_bits |= ~form;
    if i < params.neighbours && is_inversion(i, form) {
      inversions += 1u;
      first = max(first, ~(params.begin + i));
    }
  }
  atomicAdd(&sum_a, a);
  atomicAdd(&sum_b, b);
  atomicAdd(&seen, count);
  atomicAdd(&low_sum, low);
  atomicAdd(&high_sum, high);
  atomicAdd(&distinct, firsts);
  atomicOr(&ones[0], word_at(set_bits, 0u));
  atomicOr(&zeros[0], word_at(clear_bits, 0u));
  if KEY_BITS == 64u {
    atomicOr(&ones[1], word_at(set_bits, 1u));
    atomicOr(&zeros[1], word_at(clear_bits, 1u));
  }
  if inversions > 0u {
    atomicAdd(&totals.inversions, inversions);
    atomicMax(&totals.first_inversion, first);
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicAdd(&totals.sum_a, atomicLoad(&sum_a));
    atomicAdd(&totals.sum_b, atomicLoad(&sum_b));
    atomicAdd(&totals.seen, atomicLoad(&seen));
    atomicAdd(&totals.low_sum, atomicLoad(&low_sum));
    atomicAdd(&totals.high_sum, atomicLoad(&high_sum));
    atomicAdd(&totals.distinct, atomicLoad(&distinct));
    atomicOr(&totals.ones_low, atomicLoad(&ones[0]));
    atomicOr(&totals.ones_high, atomicLoad(&ones[1]));
    atomicOr(&totals.zeros_low, atomicLoad(&zeros[0]));
    atomicOr(&totals.zeros_high, atomicLoad(&zeros[1]));
  }
}
