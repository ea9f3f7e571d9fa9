// The sums replace the elements.

#import summand

@group(0) @binding(0) var<storage, read_write> elements: array<Sum>;

fn write_sum(i: u32, sum: Sum) {
  elements[i] = sum;
}
