// One dispatch counts the rows that are still tied, and their groups, in each chunk of the order. A workgroup
// counts one chunk.

#import row_ties
#import grid
#constant WORKGROUP_SIZE

@group(0) @binding(3) var<storage, read_write> counts_by_chunk: array<u32>;         // tied rows of each chunk, then groups
@group(0) @binding(4) var<storage, read_write> goes_on: array<atomic<u32>>;  // [0]: 1 if a tied string goes on

const MORE_BYTES = 8u;

var<workgroup> tied: atomic<u32>;
var<workgroup> groups: atomic<u32>;
var<workgroup> more: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let chunk = linear_workgroup(grid);
  if chunk >= params.chunks { return; }
  if invocation == 0u {
    atomicStore(&tied, 0u);
    atomicStore(&groups, 0u);
    atomicStore(&more, 0u);
  }
  workgroupBarrier();
  let end = min((chunk + 1u) * CHUNK_ROWS, params.count);
  for (var place = chunk * CHUNK_ROWS + invocation; place < end; place += WORKGROUP_SIZE) {
    let counted = tie_counts(place);
    if counted == 0u { continue; }
    atomicAdd(&tied, 1u);
    atomicAdd(&groups, counted >> 16u);
    if ((word_in(place).x ^ params.flip) & 0xffu) == MORE_BYTES { atomicStore(&more, 1u); }
  }
  workgroupBarrier();
  if invocation == 0u {
    counts_by_chunk[chunk] = atomicLoad(&tied);
    counts_by_chunk[params.chunks + chunk] = atomicLoad(&groups);
    if atomicLoad(&more) == 1u { atomicStore(&goes_on[0], 1u); }
  }
}
