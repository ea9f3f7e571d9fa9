#if low_cardinality_fill/counted
// Writes the sorted keys from the count of each value, if the keys have few distinct values.

#import radix_output
#import written_keys
#import subgroup_scan
#import msd_local_params
#import low_cardinality
#import status
#import condition/if_fits
#constant MAX_DISTINCT
#constant WORKGROUP_SIZE  // at least MAX_DISTINCT

const MIN_FILLERS = 512u;

// The place after the last key of each value, and the number of keys after the last value.
var<workgroup> distinct_ends: array<u32, MAX_DISTINCT>;

fn fills_distinct() -> bool {
  return status[0] == LOW_CARDINALITY;
}

// How many of the workgroups write. As many as there may be segments would take a quarter of the sort for their
// sums. MIN_FILLERS are meant to keep a GPU busy.
fn fillers(workgroups: u32) -> u32 {
  return min(workgroups, max(params.segments / 8u, MIN_FILLERS));
}

// Writes the share of workgroup `worker`, if it is one of those that write. All invocations of the workgroup
// must call it.
fn fill_distinct(worker: u32, workgroups: u32, invocation: u32) {
  let workers = fillers(workgroups);
  if worker >= workers { return; }
  var total = 0u;
  if invocation < MAX_DISTINCT { total = atomicLoad(&distinct_keys.totals[invocation]); }
  let before = exclusive_sum(total, invocation);
  if invocation < MAX_DISTINCT { distinct_ends[invocation] = before + total; }
  workgroupBarrier();

  // Shares begin at whole lines of the memory.
  let share = ((params.key_count + workers - 1u) / workers + 31u) & ~31u;
  let end = min((worker + 1u) * share, params.key_count);
  var at = worker * share + invocation;
  if at >= end { return; }
  var number = 0u;
  for (var step = MAX_DISTINCT / 2u; step > 0u; step /= 2u) {
    if distinct_ends[number + step - 1u] <= at { number += step; }
  }
  var key = output_of(distinct_keys.keys[number]);
  var key_end = distinct_ends[number];
  for (; at < end; at += WORKGROUP_SIZE) {
    if key_end <= at {
      for (; number < MAX_DISTINCT - 1u && distinct_ends[number] <= at; number++) {}
      key = output_of(distinct_keys.keys[number]);
      key_end = distinct_ends[number];
    }
    write_key(at, key);
  }
}

#else
// For a local sort that no count of values comes before.

fn fills_distinct() -> bool {
  return false;
}

fn fill_distinct(worker: u32, workgroups: u32, invocation: u32) {
}

#end
