#if written_keys/all
// A pass writes the keys that it moves.

#import key

@group(0) @binding(1) var<storage, read_write> output: array<Key>;

// `place` is an index into the bound window of the output.
fn write_key(place: u32, key: Key) {
  output[place] = key;
}

#else
// The last pass of a sort that drops its keys, and returns values or indices, writes no keys, and binds no
// buffer for them.

#import key

fn write_key(place: u32, key: Key) {}

#end
