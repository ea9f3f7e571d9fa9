// Which keys of one word are equal where that shows: those with the same bits, and all NaNs. So -0 and +0
// differ.

#import key
#constant ORDER  // 0 unsigned, 1 signed, 2 float

// The bits of +infinity. Only NaNs have more, not counting the sign bit.
const MAX_MAGNITUDE = 0x7f800000u;

fn is_same(a: Key, b: Key) -> bool {
  // These operators do not branch, as || and && may.
  return (a == b) | ((ORDER == 2u) & (min(a & 0x7fffffffu, b & 0x7fffffffu) > MAX_MAGNITUDE));
}
