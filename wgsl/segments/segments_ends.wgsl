// The segments at both ends of a window, and the keys that are sorted with it, as segments_plan.wgsl has found
// them.

// For each window, the numbers of offsets that are not past its first key and its last key; the first key that
// is sorted with it, and the key after the last one. It has at most TILE keys from the window's first one on.
@group(0) @binding(1) var<storage, read> ends: array<vec4u>;
