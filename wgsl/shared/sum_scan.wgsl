#if sum_scan/known
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

#elif sum_scan/plain
// Exclusive prefix sums over the invocations of a workgroup, on any device (W. D. Hillis and G. L. Steele,
// "Data parallel algorithms", 1986). No sum is subtracted from another, so that f32 keep their order of
// addition, and a NaN or an infinity does not reach the sums before it.

#import summand
#constant WORKGROUP_SIZE

var<workgroup> inclusive_sums: array<Sum, WORKGROUP_SIZE>;

struct Sums {
  before: Sum,  // of the values of all invocations before this one
  all: Sum,     // of the values of all invocations
}

// All invocations of the workgroup must call it. Between two calls there must be a barrier.
fn sums_of(value: Sum, invocation: u32) -> Sums {
  var sum = value;
  inclusive_sums[invocation] = sum;
  workgroupBarrier();
  for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
    if invocation >= distance { sum += inclusive_sums[invocation - distance]; }
    workgroupBarrier();
    inclusive_sums[invocation] = sum;
    workgroupBarrier();
  }
  var sums = Sums(Sum(), inclusive_sums[WORKGROUP_SIZE - 1u]);
  if invocation > 0u { sums.before = inclusive_sums[invocation - 1u]; }
  return sums;
}

#end
