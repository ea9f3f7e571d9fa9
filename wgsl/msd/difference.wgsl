// The bits in which the keys of a workgroup differ from one key, such as the first of all.

#import key
#enable subgroups

// Bits of the low word, and of the high word. Of a short key, `add_difference` puts its only word in both.
var<workgroup> differing: array<atomic<u32>, 2>;

// All invocations of the workgroup call both, with a barrier between them, and one before `differing` is read.
fn clear_difference(invocation: u32) {
  if invocation < 2u { atomicStore(&differing[invocation], 0u); }
}

fn add_difference(difference: Key) {
  let low = subgroupOr(word_at(difference, 0u));
  let high = subgroupOr(word_at(difference, 1u));
  if subgroupElect() {
    atomicOr(&differing[0], low);
    atomicOr(&differing[1], high);
  }
}
