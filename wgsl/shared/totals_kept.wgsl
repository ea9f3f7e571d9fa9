// The first column leaves the digits' totals behind, for a kernel that follows. Needs the constant TOTALS, the binding.

@group(0) @binding(TOTALS) var<storage, read_write> totals: array<u32>;   // keys of each digit

fn keep_total(digit: u32, total: u32) {
  totals[digit] = total;
}
