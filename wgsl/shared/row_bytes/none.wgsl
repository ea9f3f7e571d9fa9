// No key is compared byte by byte.

#import row_string

fn bytes_word(key: u32, start: u32, to: u32, passed: u32) -> vec2u {
  return vec2u();
}

fn compare_bytes(key: u32, starts_of: vec2u, ends_of: vec2u) -> i32 {
  return 0;
}

fn bytes_in_common(key: u32, starts_of: vec2u, ends_of: vec2u, passed: u32, most: u32) -> InCommon {
  return InCommon(0u, false);
}
