// A pass writes the keys that it moves.

#import key

@group(0) @binding(1) var<storage, read_write> output: array<Key>;

// `place` is an index into the bound window of the output.
fn write_key(place: u32, key: Key) {
  output[place] = key;
}
