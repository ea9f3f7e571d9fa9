// The bits in which keys of a sample differ, as each workgroup of a count pass finds them for itself.

#import key
#import radix_pass
#import radix_keys
#import sample_place
#enable subgroups
#constant WORKGROUP_SIZE
#constant LOOKED_AT  // keys of the sample; a power of two, 2 or more

fn looked_at(number: u32) -> Key {
  return ordered_of(key_at(sample_place(number, LOOKED_AT, params.key_count)));
}

// The bits in which some key of the sample differs from the first: of the low word and of the high word.
var<workgroup> sample_differs: array<atomic<u32>, 2>;

// All invocations must call it.
fn sample_difference(first: Key, invocation: u32) -> vec2u {
  var difference = first ^ first;
  for (var i = invocation; i < LOOKED_AT; i += WORKGROUP_SIZE) { difference |= looked_at(i) ^ first; }
  if invocation < 2u { atomicStore(&sample_differs[invocation], 0u); }
  // The only word of a short key is both its low and its high word.
  let low = subgroupOr(word_at(difference, 0u));
  let high = subgroupOr(word_at(difference, 1u));
  workgroupBarrier();
  if subgroupElect() {
    atomicOr(&sample_differs[0], low);
    atomicOr(&sample_differs[1], high);
  }
  workgroupBarrier();
  return vec2u(atomicLoad(&sample_differs[0]), atomicLoad(&sample_differs[1]));
}
