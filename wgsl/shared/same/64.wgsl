// Which keys of two words are equal where that shows: see 32.wgsl.

#import key
#constant ORDER  // 0 unsigned, 1 signed, 2 float

// The high word of +infinity; its low word is zero.
const MAX_MAGNITUDE = 0x7ff00000u;

fn is_nan(key: Key) -> bool {
  let magnitude = key.y & 0x7fffffffu;
  return (magnitude > MAX_MAGNITUDE) | ((magnitude == MAX_MAGNITUDE) & (key.x != 0u));
}

fn is_same(a: Key, b: Key) -> bool {
  return all(a == b) | ((ORDER == 2u) & is_nan(a) & is_nan(b));
}
