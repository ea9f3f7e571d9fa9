// Adds up the counts of a digit value over some chunks.

#import digit
#constant LOADS  // counts that are loaded at once

@group(0) @binding(2) var<storage, read> counts: array<u32>;   // chunk by chunk, DIGITS per chunk

struct DigitSum {
  within: u32,  // keys with the digit value in chunks before a certain one
  total: u32,   // keys with the digit value in all of the chunks
}

// Adds up the counts of the chunks from `first` up to, but not including, `end`: those before `chunk`, and all.
fn sum_counts(digit: u32, first: u32, end: u32, chunk: u32) -> DigitSum {
  var sum = DigitSum();
  // All loads of a turn are in flight at once, to hide the memory's latency. Those past the end count nothing.
  for (var i = first; i < end; i += LOADS) {
    var own: array<u32, LOADS>;
    #unroll
    for (var j = 0u; j < LOADS; j++) {
      own[j] = counts[min(i + j, end - 1u) * DIGITS + digit];
    }
    #unroll
    for (var j = 0u; j < LOADS; j++) {
      sum.within += select(0u, own[j], i + j < min(end, chunk));
      sum.total += select(0u, own[j], i + j < end);
    }
  }
  return sum;
}
