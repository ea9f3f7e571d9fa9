#if same/32
// Which keys of one word are equal where that shows: those with the same bits, and all NaNs. So -0 and +0
// differ.

#import key
#constant KEY_BITS  // 8, 16 or 32
#constant ORDER     // 0 unsigned, 1 signed, 2 float

// The bits of +infinity. Only NaNs have more, not counting the sign bit.
const MAX_MAGNITUDE = select(0x7f800000u, 0x7c00u, KEY_BITS == 16u);
const MAGNITUDE_BITS = 0x7fffffffu >> (32u - KEY_BITS);

fn is_same(a: Key, b: Key) -> bool {
  // These operators do not branch, as || and && may.
  return (a == b) | ((ORDER == 2u) & (min(a & MAGNITUDE_BITS, b & MAGNITUDE_BITS) > MAX_MAGNITUDE));
}

#elif same/64
// Which keys of two words are equal where that shows: see above.

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

#end
