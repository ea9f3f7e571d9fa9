// A segment's keys, of one word each, come with their indices in the input of the sort: see
// element/numbered.wgsl.

#import msd_tile
#constant INPUT  // number of the binding

@group(0) @binding(INPUT) var<storage, read> input: array<vec2u>;

// Key `at` in its ordered form, and its index in the input of the sort.
fn entry_at(at: u32) -> Entry {
  let element = input[at];
  return Entry(element.x, element.y);
}
