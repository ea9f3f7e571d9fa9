// How the kernels of a scan and of a compaction by flags cut their elements into chunks.
// src/core/primitives/scan_plan.ts explains their order.

#import key_total
#constant PARAMS  // number of the binding

struct ScanParams {
  element_count: u32,  // elements in the window, at most
  begin: u32,          // elements before the window
  chunk: u32,          // elements per chunk; a workgroup owns a chunk
  first_chunk: u32,    // chunks before the window
  chunks: u32,         // chunks of all windows
  count_at: u32,       // the word of the count that the device knows
  total_at: u32,       // the word of the total in what is bound of its buffer
  output_begin: u32,   // elements before the bound window of the output of a compaction
  output_count: u32,   // elements in that window
}

@group(0) @binding(PARAMS) var<uniform> params: ScanParams;

// The elements of a chunk, counted from the begin of the window.
struct Chunk {
  number: u32,  // of all windows
  begin: u32,
  end: u32,     // the begin, or less, if the device counts no elements here
}

fn chunk_of(workgroup: u32) -> Chunk {
  let window_end = params.begin + params.element_count;
  let elements = max(key_total(window_end, params.count_at), params.begin) - params.begin;
  let begin = workgroup * params.chunk;
  return Chunk(params.first_chunk + workgroup, begin, min(begin + params.chunk, elements));
}

// Sums of u32 are modulo 2^32. Flags are counted that are not 0.
#if summand/f32
alias Sum = f32;
#elif summand/u32|flag
alias Sum = u32;
#end

// What an element of a buffer adds to a sum.
fn summand(element: Sum) -> Sum {
#if summand/flag
  return select(0u, 1u, element != 0u);
#else
  return element;
#end
}

struct Sums {
  before: Sum,  // of the values of all invocations before this one
  all: Sum,     // of the values of all invocations
}

#if sum_scan/known
// Exclusive prefix sums over the invocations of a workgroup, by subgroup operations. Invocations must be
// numbered subgroup by subgroup, SUBGROUP_SIZE in each.

#enable subgroups
#constant WORKGROUP_SIZE  // a multiple of SUBGROUP_SIZE
#constant SUBGROUP_SIZE

const SUBGROUPS_ADDED = WORKGROUP_SIZE / SUBGROUP_SIZE;

var<workgroup> sums_of_subgroups: array<Sum, SUBGROUPS_ADDED>;

fn sums_of(value: Sum, invocation: u32) -> Sums {
  let subgroup = invocation / SUBGROUP_SIZE;
  let within = subgroupExclusiveAdd(value);
  if invocation % SUBGROUP_SIZE == SUBGROUP_SIZE - 1u { sums_of_subgroups[subgroup] = within + value; }
  workgroupBarrier();
  var sums = Sums();
  for (var i = 0u; i < SUBGROUPS_ADDED; i++) {
    if i == subgroup { sums.before = sums.all; }
    sums.all += sums_of_subgroups[i];
  }
  sums.before += within;
  return sums;
}

#elif sum_scan/plain
// Exclusive prefix sums over the invocations of a workgroup, on any device (W. D. Hillis and G. L. Steele,
// "Data parallel algorithms", 1986). No sum is subtracted from another, so that f32 keep their order of
// addition, and a NaN or an infinity does not reach the sums before it.

#constant WORKGROUP_SIZE

var<workgroup> inclusive_sums: array<Sum, WORKGROUP_SIZE>;

// All invocations of the workgroup must call it. Between two calls there must be a barrier.
fn sums_of(value: Sum, invocation: u32) -> Sums {
  var sum = value;
  inclusive_sums[invocation] = sum;
  workgroupBarrier();
  for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
    if invocation >= distance { sum += inclusive_sums[invocation - distance]; }
    workgroupBarrier();
    inclusive_sums[invocation] = sum;
    workgroupBarrier();
  }
  var sums = Sums(Sum(), inclusive_sums[WORKGROUP_SIZE - 1u]);
  if invocation > 0u { sums.before = inclusive_sums[invocation - 1u]; }
  return sums;
}

#end
