#if selected_from/candidates
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

#elif selected_from/segment
// Keys are selected from a range of the input.

#import key

@group(0) @binding(0) var<storage, read> keys: array<Stored>;

// The first key of the range.
alias Source = u32;

fn source_key(source: Source, i: u32) -> Key {
  let at = source + i;
  return unpack(keys[stored_at(at)], at);
}

#end
