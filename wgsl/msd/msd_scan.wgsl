// The scan step of the second level of a sort by the most significant digit first. One dispatch replaces each
// segment's counts by exclusive prefix sums over its chunks, and writes where its own segments start. A
// workgroup scans one segment; an invocation scans the counts of one digit value. `status` becomes FALLBACK if
// one of the new segments does not fit a tile but must. src/core/sort/msd/msd.ts explains the order of the
// passes.

#import subgroup
#import status
#import grid
#constant WORKGROUP_SIZE  // at least the number of digit values
#constant PARAMS          // number of the binding
#if lists_long/yes
#constant LONG_SEGMENTS   // number of the binding
#end

struct MsdScanParams {
  key_count: u32,
  digits: u32,        // the number of digit values
  segment_keys: u32,  // the maximum number of keys of a segment that the local sort can sort
  longest: u32,       // and of one that a second local sort can sort, of larger tiles; the same without one
}

@group(0) @binding(0) var<storage, read_write> counts: array<u32>;         // column by column
@group(0) @binding(1) var<storage, read> first_chunks: array<u32>;         // see msd_plan.wgsl
@group(0) @binding(2) var<storage, read> starts: array<u32>;               // of the first level's segments
@group(0) @binding(3) var<storage, read_write> segment_starts: array<u32>; // of the new ones; then key_count
@group(0) @binding(4) var<storage, read_write> status: atomic<u32>;
@group(0) @binding(PARAMS) var<uniform> params: MsdScanParams;
#if lists_long/yes
struct LongSegments {
  count: atomic<u32>,  // msd_plan.wgsl has set it to 0
  numbers: array<u32>,
}

// The segments that are left to the second local sort.
@group(0) @binding(LONG_SEGMENTS) var<storage, read_write> long_segments: LongSegments;
#end

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) digit: u32) {
  start_subgroups(digit);
  let digits = params.digits;
  let is_counted = digit < digits;
  let segment = grid.workgroup.x;
  var sum = 0u;
  var chunk = first_chunks[segment];
  let end = select(chunk, first_chunks[segment + 1u], is_counted);
  // Four loads in flight hide the memory's latency.
  for (; chunk + 4u <= end; chunk += 4u) {
    let at = chunk * digits + digit;
    let c0 = counts[at];
    let c1 = counts[at + digits];
    let c2 = counts[at + 2u * digits];
    let c3 = counts[at + 3u * digits];
    counts[at] = sum;
    counts[at + digits] = sum + c0;
    counts[at + 2u * digits] = sum + c0 + c1;
    counts[at + 3u * digits] = sum + c0 + c1 + c2;
    sum += c0 + c1 + c2 + c3;
  }
  for (; chunk < end; chunk++) {
    let at = chunk * digits + digit;
    let count = counts[at];
    counts[at] = sum;
    sum += count;
  }
  if sum > params.longest && atomicLoad(&status) != EQUAL_SEGMENTS { atomicStore(&status, FALLBACK); }
  let number = segment * digits + digit;
#if lists_long/yes
  if sum > params.segment_keys && sum <= params.longest {
    let at = atomicAdd(&long_segments.count, 1u);
    long_segments.numbers[at] = number;
  }
#end
  let before = exclusive_sum(sum, digit);
  if is_counted { segment_starts[number] = starts[segment] + before; }
  if segment == grid.size.x - 1u && digit == 0u { segment_starts[grid.size.x * digits] = params.key_count; }
}
