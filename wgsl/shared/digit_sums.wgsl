// Adds up the counts of a digit value over the columns.

#import digit
#import radix_pass

@group(0) @binding(2) var<storage, read> counts: array<u32>;   // column by column, DIGITS per column

struct DigitSum {
  within: u32,  // keys with the digit value in earlier columns
  total: u32,   // keys with the digit value in all columns
}

fn sum_columns(digit: u32, column: u32) -> DigitSum {
  var sum = DigitSum(0u, 0u);
  if digit >= DIGITS { return sum; }
  var i = 0u;
  for (; i + 4u <= params.columns; i += 4u) {
    let c0 = counts[i * DIGITS + digit];
    let c1 = counts[(i + 1u) * DIGITS + digit];
    let c2 = counts[(i + 2u) * DIGITS + digit];
    let c3 = counts[(i + 3u) * DIGITS + digit];
    sum.within += select(0u, c0, i < column) + select(0u, c1, i + 1u < column) +
      select(0u, c2, i + 2u < column) + select(0u, c3, i + 3u < column);
    sum.total += c0 + c1 + c2 + c3;
  }
  for (; i < params.columns; i++) {
    let count = counts[i * DIGITS + digit];
    sum.within += select(0u, count, i < column);
    sum.total += count;
  }
  return sum;
}
