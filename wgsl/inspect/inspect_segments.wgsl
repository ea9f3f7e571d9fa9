// After a segmented sort, one dispatch counts the neighbours that are in the wrong order because a segment
// begins between them. If inspect.wgsl has counted as many, every segment is in order. An invocation looks at
// every stride-th offset.

#import inspect_params
#import inspected_order
#constant WORKGROUP_SIZE
#constant OFFSETS  // number of the binding

@group(0) @binding(1) var<storage, read_write> findings: array<atomic<u32>>;  // one word
@group(0) @binding(OFFSETS) var<storage, read> offsets: array<u32>;        // as many as `neighbours` says

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  var count = 0u;
  for (var i = global.x; i < params.neighbours; i += params.stride) {
    let at = offsets[i];
    // Empty segments begin where the next one does.
    let repeats = i > 0u && offsets[max(i, 1u) - 1u] == at;
    if at == 0u || at >= params.key_count || repeats { continue; }
    let form = form_of(key_at(at - 1u));
    count += select(0u, 1u, is_inversion(at - 1u, form));
  }
  if count > 0u { atomicAdd(&findings[0], count); }
}
