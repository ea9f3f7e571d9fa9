// Exclusive prefix sums over the invocations of a workgroup, by subgroup operations. Invocations must be
// numbered subgroup by subgroup, SUBGROUP_SIZE in each.

#import summand
#enable subgroups
#constant WORKGROUP_SIZE  // a multiple of SUBGROUP_SIZE
#constant SUBGROUP_SIZE

const SUBGROUPS_ADDED = WORKGROUP_SIZE / SUBGROUP_SIZE;

var<workgroup> sums_of_subgroups: array<Sum, SUBGROUPS_ADDED>;

struct Sums {
  before: Sum,
  all: Sum,
}

fn sums_of(value: Sum, invocation: u32) -> Sums {
  let subgroup = invocation / SUBGROUP_SIZE;
  let within = subgroupExclusiveAdd(value);
  if invocation % SUBGROUP_SIZE == SUBGROUP_SIZE - 1u { sums_of_subgroups[subgroup] = within + value; }
  workgroupBarrier();
  var sums = Sums();
  for (var i = 0u; i < SUBGROUPS_ADDED; i++) {
    if i == subgroup { sums.before = sums.all; }
    sums.all += sums_of_subgroups[i];
  }
  sums.before += within;
  return sums;
}
