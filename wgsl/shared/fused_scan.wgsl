// Where a column's keys of a digit start, from the counts themselves: for few columns, each of which adds up the others'
// counts sooner than a dispatch more would. Needs totals_kept or totals_dropped, and the kernel's `params`.

@group(0) @binding(2) var<storage, read> counts: array<u32>;   // DIGITS a column

struct DigitStart {
  within: u32,   // the digit's keys, those of the columns before
  total: u32,    // keys of the digit
}

fn digit_start(digit: u32, column: u32) -> DigitStart {
  var start = DigitStart(0u, 0u);
  if digit >= DIGITS { return start; }
  var i = 0u;
  for (; i + 4u <= params.columns; i += 4u) {
    let c0 = counts[i * DIGITS + digit];
    let c1 = counts[(i + 1u) * DIGITS + digit];
    let c2 = counts[(i + 2u) * DIGITS + digit];
    let c3 = counts[(i + 3u) * DIGITS + digit];
    start.within += select(0u, c0, i < column) + select(0u, c1, i + 1u < column) + select(0u, c2, i + 2u < column) +
      select(0u, c3, i + 3u < column);
    start.total += c0 + c1 + c2 + c3;
  }
  for (; i < params.columns; i++) {
    let count = counts[i * DIGITS + digit];
    start.within += select(0u, count, i < column);
    start.total += count;
  }
  if column == 0u { keep_total(digit, start.total); }
  return start;
}
