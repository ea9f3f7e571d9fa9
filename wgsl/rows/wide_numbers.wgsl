// Numbers of 64 bits as two words, the lower one first.

// The product of two words.
fn product(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let left = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let right = (a & 0xffffu) * (b >> 16u) + (left & 0xffffu);
  return vec2u((right << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u));
}

fn sum(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + u32(low < a.x));
}
