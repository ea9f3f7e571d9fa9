// Between counting the selected keys of each chunk and copying them, one workgroup replaces both rows of counts
// by exclusive prefix sums, and each row's last word by its sum. After a sample, it also decides whether its
// bound holds.

#import selection
#import decided_selection
#import scan_row
#constant WORKGROUP_SIZE

struct ScanParams {
  chunks: u32,
  room: u32,        // the most keys that can be selected
  decides: u32,     // 1 after a sample
  only_after_fallback: u32,  // 1 to do nothing if the bound of the sample holds
}

@group(0) @binding(1) var<storage, read_write> selection: Selection;
@group(0) @binding(2) var<uniform> params: ScanParams;

var<workgroup> must_run: u32;

// Scans the counts of all chunks from a word on, and stores their sum after them. Returns it in the last
// invocation.
fn scan_counts(row: u32, invocation: u32) -> u32 {
  let sum = scan_row(row, params.chunks, invocation);
  if invocation == WORKGROUP_SIZE - 1u { counts[row + params.chunks] = sum; }
  return sum;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u { must_run = select(1u, selection.fell_back, params.only_after_fallback == 1u); }
  if workgroupUniformLoad(&must_run) == 0u { return; }
  let before = scan_counts(0u, invocation);
  workgroupBarrier();
  let equal = scan_counts(params.chunks + 1u, invocation);
  if params.decides == 0u || invocation != WORKGROUP_SIZE - 1u { return; }
  selection = decided_selection(selection, before, equal, params.room);
}
