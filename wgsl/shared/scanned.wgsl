// Where a column's keys of a digit start, where a scan kernel has added up the counts. Needs the kernel's `params`.

@group(0) @binding(2) var<storage, read> counts: array<u32>;   // where a column's keys start within the digit
@group(0) @binding(3) var<storage, read> totals: array<u32>;   // keys of each digit

struct DigitStart {
  within: u32,   // the digit's keys, those of the columns before
  total: u32,    // keys of the digit
}

fn digit_start(digit: u32, column: u32) -> DigitStart {
  if digit >= DIGITS { return DigitStart(0u, 0u); }
  return DigitStart(counts[digit * params.columns + column], totals[digit]);
}
