// Finds a byte in words of text. Byte 0 of a text is the lowest byte of its first word.

// Returns 0x80 in each byte of a word that is `byte`, and 0 in the others. No carry leaves a byte, so each mark
// is right (S. E. Anderson, "Bit Twiddling Hacks", finding a zero byte exactly).
fn marks_of(word: u32, byte: u32) -> u32 {
  let others = word ^ (byte * 0x01010101u);
  return ~(((others & 0x7f7f7f7fu) + 0x7f7f7f7fu) | others | 0x7f7f7f7fu);
}
