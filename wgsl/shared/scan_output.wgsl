#if scan_output/apart
// The sums go to another buffer.

#import summand
#constant OUTPUT  // number of the binding

@group(0) @binding(0) var<storage, read> elements: array<Sum>;
@group(0) @binding(OUTPUT) var<storage, read_write> sums_before: array<Sum>;

fn write_sum(i: u32, sum: Sum) {
  sums_before[i] = sum;
}

#elif scan_output/in_place
// The sums replace the elements.

#import summand

@group(0) @binding(0) var<storage, read_write> elements: array<Sum>;

fn write_sum(i: u32, sum: Sum) {
  elements[i] = sum;
}

#else
// No sums are written.

#import summand

@group(0) @binding(0) var<storage, read> elements: array<Sum>;

fn write_sum(i: u32, sum: Sum) {}

#end
