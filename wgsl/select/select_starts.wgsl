// Finds where the first keys of each segment go: at most `top` of each, one segment after the other. A
// workgroup has a chunk of the segments. It adds up the lengths before its chunk itself, so that one dispatch
// is enough.

#import first_source/listed
#import workgroup_scan
#constant WORKGROUP_SIZE
#constant PARAMS  // number of the binding

struct StartsParams {
  key_count: u32,
  segments: u32,
  top: u32,       // the most keys of a segment
  capacity: u32,  // the most keys of all segments: no start is past it
  chunk: u32,     // segments per workgroup
}

@group(0) @binding(0) var<storage, read_write> starts: array<u32>;   // one more than there are segments
@group(0) @binding(PARAMS) var<uniform> params: StartsParams;

fn first_keys(segment: u32) -> u32 {
  if segment >= params.segments { return 0u; }
  let range = segment_of(segment, params.key_count, 0u);
  return min(params.top, range.y - range.x);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let begin = workgroup.x * params.chunk;
  let end = min(begin + params.chunk, params.segments);
  var sum = 0u;
  for (var segment = invocation; segment < begin; segment += WORKGROUP_SIZE) { sum += first_keys(segment); }
  inclusive_sum(sum, invocation);
  var start = scan_sums[WORKGROUP_SIZE - 1u];
  for (var tile = begin; tile < end; tile += WORKGROUP_SIZE) {
    workgroupBarrier();
    let segment = tile + invocation;
    let count = first_keys(segment);
    let after = inclusive_sum(count, invocation);
    if segment < end { starts[segment] = min(start + after - count, params.capacity); }
    start += scan_sums[WORKGROUP_SIZE - 1u];
  }
  if invocation == 0u && end == params.segments { starts[end] = min(start, params.capacity); }
}
