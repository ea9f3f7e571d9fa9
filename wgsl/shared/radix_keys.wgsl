// How the kernels of a radix sort read keys. The first move reads raw keys, as the caller stores them, and
// the last move writes raw keys (radix_output.wgsl). In between, keys are in their ordered form.

#import key
#import order
#constant RAW_INPUT  // 1 if the input holds raw keys, 0 if it holds their ordered form

@group(0) @binding(0) var<storage, read> input: array<Stored>;

// The index of key `at` in the binding, which is of all keys or of a window.
fn bound_at(at: u32) -> u32 {
#if input_window/window
#import radix_pass
  return at - params.input_begin;
#else
  return at;
#end
}

// Reads key `at` of the input as it is stored.
fn key_at(at: u32) -> Key {
  return unpack(input[stored_at(bound_at(at))], at);
}

// The ordered form of a key that `key_at` has read.
fn ordered_of(key: Key) -> Key {
  if RAW_INPUT == 1u { return to_ordered(key); }
  return key;
}
