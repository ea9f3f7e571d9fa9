// Finds how wide the subgroups are that a device runs kernels with. Drivers choose a size for each kernel, and
// narrower ones for kernels that need many registers. So this kernel holds as many words in registers as those
// that rank keys do, and is compiled for several numbers of them.

#import subgroup/any
#enable subgroups
#constant WORKGROUP_SIZE
#constant SUBGROUP_SIZE
#constant WORDS  // that an invocation holds in registers

struct SubgroupSizesParams {
  words: u32,  // in `input`
}

@group(0) @binding(0) var<storage, read_write> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sizes: array<u32>;  // of each workgroup; at most SUBGROUP_SIZE
@group(0) @binding(2) var<uniform> params: SubgroupSizesParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let turns = start_subgroups(invocation);
  var words: array<u32, WORDS>;
  #unroll
  for (var i = 0u; i < WORDS; i++) {
    words[i] = input[(invocation + i * WORKGROUP_SIZE) % params.words];
  }
  var sum = 0u;
  #unroll
  for (var i = 0u; i < WORDS; i++) {
    let lanes = subgroupBallot((words[i] & 1u) != 0u);
    words[i] = value_of_lane(words[i] ^ lanes.x, 0u, turn_of(invocation));
    sum += words[i];
  }
  #unroll
  for (var i = 0u; i < WORDS; i++) {
    sum ^= words[i] * sum;
  }
  // The sums are of no use, but the driver does not know that.
  if sum == params.words { input[0] = sum; }
  if invocation == 0u { sizes[workgroup.x] = SUBGROUP_SIZE / turns; }
}
