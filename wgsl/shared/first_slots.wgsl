// Keys that one workgroup sorts in its memory, by a bitonic network whose comparators all put the lesser key
// first (D. E. Knuth, "The Art of Computer Programming", volume 3, exercise 5.3.4-16). So there may be any
// number of keys: a comparator whose upper slot is past the last one does nothing.

#import key
#import order
#import compared
#constant WORKGROUP_SIZE
#constant ROOM    // keys that fit the memory, a power of two
#constant SORTS   // 0 if keys are not sorted here
#constant STABLE  // 1 if the order of equal keys shows

const SLOTS = select(1u, ROOM, SORTS == 1u);
// Equal keys that cannot be told apart need no origin.
const ORIGINS = select(1u, SLOTS, STABLE == 1u);

// The keys in their ordered form.
var<workgroup> slots: array<Key, SLOTS>;
// Where each of them was.
var<workgroup> origins: array<u32, ORIGINS>;

fn put_slot(slot: u32, ordered: Key, origin: u32) {
  slots[slot] = ordered;
  if STABLE == 1u { origins[slot] = origin; }
}

fn origin_of(slot: u32) -> u32 {
  if STABLE == 1u { return origins[slot]; }
  return 0u;
}

// Puts the lesser of two keys first, by the bits that are set in a mask.
fn exchange(a: u32, b: u32, low: u32, high: u32) {
  let key_a = slots[a];
  let key_b = slots[b];
  let form_a = masked(compared(key_a), low, high);
  let form_b = masked(compared(key_b), low, high);
  var swaps = precedes(form_b, form_a);
  if STABLE == 1u && all(form_a == form_b) { swaps = origins[b] < origins[a]; }
  if !swaps { return; }
  slots[a] = key_b;
  slots[b] = key_a;
  if STABLE == 1u {
    let origin = origins[a];
    origins[a] = origins[b];
    origins[b] = origin;
  }
}

// Sorts the first `count` slots. All invocations of the workgroup must call it.
fn sort_slots(count: u32, low: u32, high: u32, invocation: u32) {
  for (var run = 1u; run < count; run *= 2u) {
    workgroupBarrier();
    // Each key of the left run and its mirror image in the right one.
    for (var pair = invocation; pair / run * 2u * run + run < count; pair += WORKGROUP_SIZE) {
      let begin = pair / run * 2u * run;
      let other = begin + 2u * run - 1u - pair % run;
      if other < count { exchange(begin + pair % run, other, low, high); }
    }
    for (var distance = run / 2u; distance > 0u; distance /= 2u) {
      workgroupBarrier();
      for (var pair = invocation; pair / distance * 2u * distance + distance < count; pair += WORKGROUP_SIZE) {
        let a = pair / distance * 2u * distance + pair % distance;
        if a + distance < count { exchange(a, a + distance, low, high); }
      }
    }
  }
  workgroupBarrier();
}
