// One dispatch lists the rows that are still tied, in their order, with the number of their group. It also puts
// the rows that were sorted by further words into their places in the order of all rows. A workgroup goes
// through one chunk of the order, and an invocation owns ROWS_PER_INVOCATION consecutive places of it.

#import row_ties
#import workgroup_scan
#import grid
#constant WORKGROUP_SIZE
#constant ROWS_PER_INVOCATION

@group(0) @binding(3) var<storage, read> tie_starts: array<u32>;                // tied rows before each chunk, then groups
@group(0) @binding(4) var<storage, read_write> next_ties: array<vec4u>;    // place, row, group, unused
@group(0) @binding(5) var<storage, read_write> permutation: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  let first = min((chunk * WORKGROUP_SIZE + invocation) * ROWS_PER_INVOCATION, params.count);
  let end = min(first + ROWS_PER_INVOCATION, params.count);
  var counts = 0u;
  for (var place = first; place < end; place++) { counts += tie_counts(place); }
  let before = inclusive_sum(counts, invocation) - counts;
  var to = tie_starts[chunk] + (before & 0xffffu);
  var group = tie_starts[params.chunks + chunk] + (before >> 16u);
  for (var place = first; place < end; place++) {
    let own = tie_in(place);
    permutation[own.x] = own.y;
    let tie = tie_counts(place);
    if tie == 0u { continue; }
    group += tie >> 16u;
    next_ties[to] = vec4u(own, group, 0u);
    to += 1u;
  }
}
