/** How many bytes two pieces of the text have in common, of at most `most`. */
export function commonBytes(a: usize, b: usize, most: usize): usize {
  let at: usize = 0;
  for (; at + 16 <= most; at += 16) {
    const differing = i8x16.bitmask(i8x16.eq(v128.load(a + at), v128.load(b + at))) ^ 0xffff;
    if (differing !== 0) return at + <usize>ctz(differing);
  }
  for (; at < most; at += 8) {
    const differing = load<u64>(a + at) ^ load<u64>(b + at);
    if (differing !== 0) return min<usize>(most, at + (<usize>ctz(differing) >> 3));
  }
  return most;
}
