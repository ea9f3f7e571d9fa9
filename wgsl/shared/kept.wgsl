// Which keys a compaction keeps: the first of every run of equal keys.

#import key
#import same
#import compact_keys

// The key before key `i` of the window. The first of all keys has none; then this is the key itself.
fn key_before(i: u32) -> Key {
  let at = max(params.lead + i, 1u) - 1u;
  return unpack(keys[stored_at(at)], at);
}

fn is_kept(i: u32, key: Key, before: Key) -> bool {
  // These operators do not branch, as || may.
  return (params.begin + i == 0u) | !is_same(before, key);
}
