// Which keys a compaction keeps: those up to a bound, or the first of every run of equal keys.

#import key
#import order
#import same
#import compact_keys
#constant BOUNDED  // 1 to keep those up to a bound

fn is_kept(i: u32, key: Key) -> bool {
  if BOUNDED == 1u {
    return !precedes(key_of(params.bound_low, params.bound_high), to_ordered(key));
  }
  return (params.begin + i == 0u) || !is_same(key_at(i - 1u), key);
}
