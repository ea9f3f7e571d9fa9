// Keys are selected from candidates, which an earlier pass has copied, or from the whole input.

#import key

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read> candidates: array<Key>;

// Whether they are selected from the whole input.
alias Source = bool;

fn source_key(from_all: Source, i: u32) -> Key {
  if from_all { return unpack(keys[stored_at(i)], i); }
  return candidates[i];
}
