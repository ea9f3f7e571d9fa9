// After select_append.wgsl, one workgroup decides whether the bound is of use, and appends keys that equal it.
// They equal it in all bits, so it need not have read them. If the sort that follows does not know the number
// of candidates, keys that go after the bound fill the rest of the room. They are not equal and not far from
// it, or a sort by the most significant digit first would have one long segment of them, and no bits that all
// keys share. After a refusal, keys that go last fill all of the room. It leaves both totals zero.

#import key
#import order
#import key_after
#import selection
#import decided_selection
#import mix32
#constant WORKGROUP_SIZE

struct CloseParams {
  room: u32,    // the most keys that can be selected
  filled: u32,  // the room to fill, or 0
}

@group(0) @binding(0) var<storage, read_write> totals: array<u32>;   // keys before the bound; equal ones
@group(0) @binding(1) var<storage, read_write> selection: Selection;
@group(0) @binding(2) var<storage, read_write> output: array<Key>;
@group(0) @binding(3) var<uniform> params: CloseParams;

// Candidates that are sampled. Half of them or more differ from the bound in the topmost bit in which any does,
// unless they are far from evenly spread.
const BOUND_SAMPLES = 32u;

var<workgroup> differing: array<atomic<u32>, 2>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let next = decided_selection(selection, totals[0], totals[1], params.room);
  if invocation < 2u { atomicStore(&differing[invocation], 0u); }
  storageBarrier(); // all have read `selection` and `totals`
  let bound = key_of(next.prefix_low, next.prefix_high);
  if params.filled > 0u {
    workgroupBarrier();
    for (var i = invocation; i < BOUND_SAMPLES && next.before > 0u; i += WORKGROUP_SIZE) {
      let difference = to_ordered(output[sample_place(i, BOUND_SAMPLES, next.before)]) ^ bound;
      atomicOr(&differing[0], word_at(difference, 0u));
      atomicOr(&differing[1], word_at(difference, 1u));
    }
    workgroupBarrier();
    let lacking = lacking_bit(bound, key_of(atomicLoad(&differing[0]), atomicLoad(&differing[1])));
    for (var i = next.selected + invocation; i < params.filled; i += WORKGROUP_SIZE) {
      output[i] = from_ordered(select(key_after(bound, lacking, i), MAX_ORDERED, next.refused == 1u));
    }
  }
  let raw_bound = from_ordered(bound);
  for (var i = next.before + invocation; i < next.selected; i += WORKGROUP_SIZE) { output[i] = raw_bound; }
  if invocation == 0u {
    selection = next;
    totals[0] = 0u;
    totals[1] = 0u;
  }
}
