#if segments_input/apart
// The keys to sort are in a buffer that the sort does not write, or have fewer than 32 bits.

#import key
#import order
#constant INPUT  // number of the binding

@group(0) @binding(INPUT) var<storage, read> input: array<Stored>;

// The ordered form of key `at`.
fn input_at(at: u32) -> Key {
  return to_ordered(unpack(input[stored_at(at)], at));
}

#elif segments_input/in_place
// The keys to sort are in the even buffer.

#import key
#import segments_keys

// The ordered form of key `at`.
fn input_at(at: u32) -> Key {
  return ordered_in(at, false);
}

#end
