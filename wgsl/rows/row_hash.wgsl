// Two hashes of a row, whose sums tell whether rows were changed: of its length, and of four bytes at a time.

#import mix32

fn begun_hash(length: u32) -> vec2u {
  return vec2u(length ^ 0x9e3779b9u, length ^ 0x7f4a7c15u);
}

fn hash_with(hash: vec2u, bytes: u32) -> vec2u {
  return vec2u(mix32(hash.x ^ bytes), mix32(hash.y + bytes));
}
