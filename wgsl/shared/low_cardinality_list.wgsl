#if low_cardinality_list/listed
// Lists the distinct values of the samples if there are at most MAX_DISTINCT. Samples of too many values mostly
// show that by their first half, as more slots of the table are taken than there may be values: that takes some
// microseconds less.

#import key
#import order
#import msd_samples
#import low_cardinality
#import status
#enable subgroups
#constant MAX_DISTINCT
#constant WORKGROUP_SIZE

const FINDS_DISTINCT = true;

// One more than the number of a sample that has the value of the slot; 0 for an empty slot. At first, whether
// the slot is taken.
var<workgroup> owners: array<atomic<u32>, DISTINCT_SLOTS>;
var<workgroup> distinct: array<Key, MAX_DISTINCT>;
// At first, how many slots are taken.
var<workgroup> distinct_count: atomic<u32>;
// The number of the last round in which some sample hit another value.
var<workgroup> last_search: atomic<u32>;
var<workgroup> goes_on: u32;

fn clear_table(invocation: u32) {
  for (var i = invocation; i < DISTINCT_SLOTS; i += WORKGROUP_SIZE) { atomicStore(&owners[i], 0u); }
  if invocation == 0u { atomicStore(&distinct_count, 0u); }
  workgroupBarrier();
}

// Whether the first half of the samples takes at most MAX_DISTINCT slots of the table. Distinct values may
// share a slot then, so only more slots than that tell something.
fn may_be_low_cardinality(keys: ptr<function, SampleKeys>, invocation: u32) -> bool {
  clear_table(invocation);
  for (var i = 0u; i < FIRST_ONES; i++) { atomicStore(&owners[distinct_slot((*keys)[i])], 1u); }
  workgroupBarrier();
  var taken = 0u;
  for (var i = invocation; i < DISTINCT_SLOTS; i += WORKGROUP_SIZE) { taken += atomicLoad(&owners[i]); }
  taken = subgroupAdd(taken);
  if subgroupElect() { atomicAdd(&distinct_count, taken); }
  workgroupBarrier();
  if invocation == 0u { goes_on = select(0u, 1u, atomicLoad(&distinct_count) <= MAX_DISTINCT); }
  return workgroupUniformLoad(&goes_on) == 1u;
}

// Returns what `status` becomes: LOW_CARDINALITY, or FALLBACK if the samples have too many distinct values.
// Only the first half of the samples need be loaded. All invocations must call it.
fn find_distinct(keys: ptr<function, SampleKeys>, invocation: u32) -> u32 {
  if !may_be_low_cardinality(keys, invocation) { return FALLBACK; }
  for (var i = FIRST_ONES; i < PER_INVOCATION; i++) { (*keys)[i] = sample_at(invocation + i * WORKGROUP_SIZE); }
  if invocation == 0u { atomicStore(&last_search, 0u); }
  clear_table(invocation);
  var slots: array<u32, PER_INVOCATION>;
  var is_placed: array<bool, PER_INVOCATION>;
  for (var i = 0u; i < PER_INVOCATION; i++) { slots[i] = distinct_slot((*keys)[i]); }
  // Samples of the same value are in the same slot in every round. A value passes at most MAX_DISTINCT others.
  for (var round = 1u; round <= MAX_DISTINCT + 1u; round++) {
    for (var i = 0u; i < PER_INVOCATION; i++) {
      // Any sample may win a slot, so the last one to store does.
      if !is_placed[i] && atomicLoad(&owners[slots[i]]) == 0u {
        atomicStore(&owners[slots[i]], 1u + invocation + i * WORKGROUP_SIZE);
      }
    }
    workgroupBarrier();
    for (var i = 0u; i < PER_INVOCATION; i++) {
      if is_placed[i] { continue; }
      let owner = atomicLoad(&owners[slots[i]]) - 1u;
      if owner == invocation + i * WORKGROUP_SIZE {
        let at = atomicAdd(&distinct_count, 1u);
        if at < MAX_DISTINCT { distinct[at] = (*keys)[i]; }
        is_placed[i] = true;
      } else if has_same_bits(sample_at(owner), (*keys)[i]) {
        is_placed[i] = true;
      } else {
        slots[i] = next_distinct_slot(slots[i]);
        atomicStore(&last_search, round);
      }
    }
    workgroupBarrier();
    if invocation == 0u {
      goes_on = select(0u, 1u, atomicLoad(&last_search) == round && atomicLoad(&distinct_count) <= MAX_DISTINCT);
    }
    if workgroupUniformLoad(&goes_on) == 0u { break; }
  }
  let count = atomicLoad(&distinct_count);
  if count > MAX_DISTINCT { return FALLBACK; }
  for (var i = invocation; i < count; i += WORKGROUP_SIZE) {
    var rank = 0u;
    for (var other = 0u; other < count; other++) {
      rank += select(0u, 1u, precedes(distinct[other], distinct[i]));
    }
    distinct_keys.keys[rank] = distinct[i];
  }
  for (var i = invocation; i < MAX_DISTINCT; i += WORKGROUP_SIZE) { atomicStore(&distinct_keys.totals[i], 0u); }
  if invocation == 0u { distinct_keys.count = count; }
  return LOW_CARDINALITY;
}

#else
// For a sort that does not count the keys of few distinct values.

#import msd_samples

const FINDS_DISTINCT = false;

fn find_distinct(keys: ptr<function, SampleKeys>, invocation: u32) -> u32 {
  return 0u;
}

#end
