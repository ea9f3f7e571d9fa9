#if segment_input/apart
// A segment's keys come from another buffer than they go to.

#import key
#import order
#import local_values
#import msd_tile
#constant INPUT      // number of the binding
#constant RAW_INPUT  // 1 if the input holds raw keys, 0 if it holds their ordered form

@group(0) @binding(INPUT) var<storage, read> input: array<Key>;

// Key `at` in its ordered form, and what moves with it.
fn entry_at(at: u32) -> Entry {
  let key = input[at];
  if RAW_INPUT == 1u { return Entry(to_ordered(key), value_at(at)); }
  return Entry(key, value_at(at));
}

#elif segment_input/in_place
// A segment's keys come from the buffer that they go to.

#import written_keys/all
#import local_values
#import msd_tile

// Key `at` in its ordered form, and what moves with it.
fn entry_at(at: u32) -> Entry {
  return Entry(output[at], value_at(at));
}

#elif segment_input/numbered
// A segment's keys, of one word each, come with their indices in the input of the sort: see
// element.wgsl.

#import msd_tile
#constant INPUT  // number of the binding

@group(0) @binding(INPUT) var<storage, read> input: array<vec2u>;

// Key `at` in its ordered form, and its index in the input of the sort.
fn entry_at(at: u32) -> Entry {
  let element = input[at];
  return Entry(element.x, element.y);
}

#end
