// Which bytes of a text lie within quotes: those after an odd number of quotes. Two quotes that stand for one
// do not change that.

const QUOTE = 34u;

// 0x80 in each byte of a word that follows an odd number of quotes, its own counted, and 0 in the others.
//
// `quotes`: 0x80 in each byte that is a quote, the first one in the lowest bits. `inside`: whether the word
// begins within quotes.
fn within_quotes(quotes: u32, inside: bool) -> u32 {
  let pairs = quotes ^ (quotes << 8u);
  return (pairs ^ (pairs << 16u)) ^ select(0u, 0x80808080u, inside);
}
