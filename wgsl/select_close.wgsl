// After select_append.wgsl, one workgroup decides whether the bound is of use, and appends keys that equal it.
// They equal it in all bits, so it need not have read them. If the sort that follows does not know the number
// of candidates, keys that go last fill the rest of the room; after a refusal, all of it. It leaves both totals
// zero.

#import key
#import order
#import selection
#import decided_selection
#constant WORKGROUP_SIZE

struct CloseParams {
  room: u32,    // the most keys that can be selected
  filled: u32,  // the room to fill, or 0
}

@group(0) @binding(0) var<storage, read_write> totals: array<u32>;   // keys before the bound; equal ones
@group(0) @binding(1) var<storage, read_write> selection: Selection;
@group(0) @binding(2) var<storage, read_write> output: array<Key>;
@group(0) @binding(3) var<uniform> params: CloseParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let next = decided_selection(selection, totals[0], totals[1], params.room);
  storageBarrier(); // all have read `selection` and `totals`
  let bound = from_ordered(key_of(next.prefix_low, next.prefix_high));
  for (var i = next.before + invocation; i < next.selected; i += WORKGROUP_SIZE) { output[i] = bound; }
  let last = from_ordered(MAX_ORDERED);
  for (var i = next.selected + invocation; i < params.filled; i += WORKGROUP_SIZE) { output[i] = last; }
  if invocation == 0u {
    selection = next;
    totals[0] = 0u;
    totals[1] = 0u;
  }
}
