#if long_count/cleared
// Sets the number of long segments to 0, before msd_scan.wgsl lists them: see long_segments/listed.wgsl.

#constant LONG_SEGMENTS  // number of the binding

@group(0) @binding(LONG_SEGMENTS) var<storage, read_write> long_segments: array<u32>;

fn clear_long_count() {
  long_segments[0] = 0u;
}

#else
// For a sort that lists no long segments.

fn clear_long_count() {}

#end
