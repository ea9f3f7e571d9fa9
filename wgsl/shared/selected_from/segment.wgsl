// Keys are selected from a range of the input.

#import key

@group(0) @binding(0) var<storage, read> keys: array<Stored>;

// The first key of the range.
alias Source = u32;

fn source_key(source: Source, i: u32) -> Key {
  let at = source + i;
  return unpack(keys[stored_at(at)], at);
}
