// The count step of a sort by the most significant digit first. One dispatch counts the keys of each value of
// the topmost digit in each chunk, or those of the next digit in the chunks of each segment. It does so as
// radix_count.wgsl, and sees whether what a sample tells of the keys holds for all of them.
// - Where no pass has sampled the keys ("own"), each workgroup samples the same ones itself, so that all find the
//   same range. The first one writes it for later passes.
// - If the samples have few distinct values, the keys of each value are counted instead.
// - If the samples are decimals of few places, the first level tests whether all keys are, and the second one
//   converts them (converted_decimals.wgsl); nothing is counted.
// - For a fallback that has the same chunks, it counts the lowest digit too.
// src/core/sort/msd/msd.ts explains the order of the passes.

#import key
#import digit
#import normalization
#import radix_pass
#import radix_keys
#import chunk
#import status
#import grid
#constant WORKGROUP_SIZE
#constant LOADS    // keys that an invocation loads at once

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

#if extra_count/digit
// The lowest digit, by which the first fallback move sorts. That move then needs no count pass.
#constant EXTRA       // number of the binding
#constant EXTRA_BITS  // the maximum number of bits of the digit
#constant EXTRA_MASK  // the digit's mask

const EXTRA_DIGITS = 1u << EXTRA_BITS;

@group(0) @binding(EXTRA) var<storage, read_write> extra_counts: array<u32>;   // EXTRA_DIGITS per column

var<workgroup> extra_counters: array<atomic<u32>, EXTRA_DIGITS>;
#end

#if normalization/range|own
#import key_range
#end
#if normalization/range
#import outliers
#end
#if normalization/own
#import order
#import mix32
#import sample_range
#constant SAMPLED        // keys of the sample; a power of two, 2 or more
#constant MARGIN_BITS    // see `range_between`
#constant SAMPLED_RANGE  // number of the binding

@group(0) @binding(SAMPLED_RANGE) var<storage, read_write> written_range: KeyRange;

// What is added to the count of the first digit value if some key of the chunk is outside of the range: more
// than a tile holds, so that the segment does not fit. The marks of 255 chunks are no more than a count can
// hold.
const OUTLIER_MARK = 1u << 24u;

var<private> has_outlier = false;
var<workgroup> any_outlier: atomic<u32>;

fn sampled_key(number: u32) -> Key {
  return ordered_of(key_at(sample_place(number, SAMPLED, params.key_count)));
}

// All invocations must call it.
fn sample_keys(column: u32, invocation: u32) {
  let first = sampled_key(0u);
  var own = Sample(first, first, Key(0u));
  for (var i = invocation; i < SAMPLED; i += WORKGROUP_SIZE) {
    own = with_key(own, sampled_key(i), first);
  }
  let all = workgroup_sample(own, invocation);
  let gap = gap_between(all.least, all.most, all.differing);
  key_range = range_between(all.least, all.most, gap, true, MARGIN_BITS);
  // Equal samples do not tell where other keys are.
  if !precedes(all.least, all.most) { key_range = ALL_KEYS; }
  if column == 0u && invocation == 0u { written_range = key_range; }
}
#end

fn count(key: Key) {
  let ordered = ordered_of(key);
  atomicAdd(&counters[moved_digit(normalized(ordered), params.shift, params.mask)], 1u);
#if extra_count/digit
  atomicAdd(&extra_counters[digit_at(ordered, params.extra_shift, EXTRA_MASK)], 1u);
#end
#if normalization/range|own
  has_outlier |= is_outside(ordered, key_range);
#if nans/32|64
#import nans
  // Where values show the order of equal keys, NaNs are equal, whatever their bits. Codes do not know that.
  has_outlier |= is_nan_form(ordered);
#end
#end
}

fn count_chunk(column: u32, invocation: u32) {
  let range = chunk_range(column);
  let end = range.end;
  var at = range.begin + invocation;
  // LOADS loads in flight hide the memory's latency. The first ones are in flight while the workgroup
  // takes a sample and clears its counters.
  var keys: array<Key, LOADS>;
  var are_loaded = at + (LOADS - 1u) * WORKGROUP_SIZE < end;
  if are_loaded {
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      keys[i] = key_at(at + i * WORKGROUP_SIZE);
    }
  }
#if normalization/own
  sample_keys(column, invocation);
#end
#if extra_count/digit
  for (var d = invocation; d < EXTRA_DIGITS; d += WORKGROUP_SIZE) { atomicStore(&extra_counters[d], 0u); }
#end
#if normalization/own
  if invocation == 0u { atomicStore(&any_outlier, 0u); }
#end
  for (var d = invocation; d < params.digits; d += WORKGROUP_SIZE) { atomicStore(&counters[d], 0u); }
  workgroupBarrier();

  while are_loaded {
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      count(keys[i]);
    }
    at += LOADS * WORKGROUP_SIZE;
    are_loaded = at + (LOADS - 1u) * WORKGROUP_SIZE < end;
    if are_loaded {
      #unroll
      for (var i = 0u; i < LOADS; i++) {
        keys[i] = key_at(at + i * WORKGROUP_SIZE);
      }
    }
  }
  for (; at < end; at += WORKGROUP_SIZE) { count(key_at(at)); }
#if normalization/range
  report_outliers();
#end
#if normalization/own
  if has_outlier { atomicStore(&any_outlier, 1u); }
#end
  workgroupBarrier();

  for (var d = invocation; d < params.digits; d += WORKGROUP_SIZE) {
    var count = atomicLoad(&counters[d]);
#if normalization/own
    count += select(0u, atomicLoad(&any_outlier) * OUTLIER_MARK, d == 0u);
#end
    counts[column * params.column_stride + d * params.digit_stride] = count;
  }
#if extra_count/digit
  for (var d = invocation; d < EXTRA_DIGITS; d += WORKGROUP_SIZE) {
    extra_counts[column * EXTRA_DIGITS + d] = atomicLoad(&extra_counters[d]);
  }
#end
}

#if decimals/tested
#import decimals
#import outliers

// Notes whether some key of a chunk is no decimal.
fn test_decimals(column: u32, invocation: u32) {
  let decimals = chosen_decimals();
  let range = chunk_range(column);
  var at = range.begin + invocation;
  var keys: array<Key, LOADS>;
  for (; at + (LOADS - 1u) * WORKGROUP_SIZE < range.end; at += LOADS * WORKGROUP_SIZE) {
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      keys[i] = key_at(at + i * WORKGROUP_SIZE);
    }
    #unroll
    for (var i = 0u; i < LOADS; i++) {
      has_outlier |= !is_decimal(keys[i], decimals);
    }
  }
  for (; at < range.end; at += WORKGROUP_SIZE) { has_outlier |= !is_decimal(key_at(at), decimals); }
  report_outliers();
}
#end

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
#if decimals/to_forms
#import converted_decimals
  if are_decimals() {
    convert_keys(grid, invocation);
    return;
  }
#end
  let column = column_of(grid.workgroup);
  if column >= chunk_count() { return; }
#if low_cardinality/count
#import low_cardinality
  if has_low_cardinality() {
    count_distinct(column, invocation);
    return;
  }
#end
#if decimals/tested
  if are_decimals() {
    test_decimals(column, invocation);
    return;
  }
#end
  if !must_run() { return; }
#if compared/remapped
#import compared/remapped
  // A call for codes and one for keys: see compared.wgsl.
  if is_remapped() {
    compares_codes = true;
    count_chunk(column, invocation);
    return;
  }
#end
  count_chunk(column, invocation);
}
