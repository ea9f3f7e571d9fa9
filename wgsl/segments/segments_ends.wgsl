// The segments at both ends of a window, and the keys that are sorted with it, as segments_plan.wgsl has found
// them.

// For each window: how many offsets are at most the place of its first key, and of its last key; the first key
// that is sorted with it, and the key after the last one, which is at most TILE keys after the window's first.
@group(0) @binding(1) var<storage, read> ends: array<vec4u>;
