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

#if first_output/parts
// What is selected of each part of a segment has room for `top` keys.

// The place of the first key of a part, and how many are selected.
fn place_of(segment: u32, part: u32, top: u32, length: u32) -> vec2u {
  return vec2u(part * top, min(top, length));
}

fn tell_selected(key_count: u32, top_keys: u32, last: Key, known_low: u32, known_high: u32) {}

#elif first_output/selection
// The keys of one segment are selected, and which these are is told as selection.wgsl describes it.

#import selection
#constant SELECTION  // number of the binding

@group(0) @binding(SELECTION) var<storage, read_write> selection: Selection;

// The place of the first key, and how many are selected.
fn place_of(segment: u32, part: u32, top: u32, length: u32) -> vec2u {
  return vec2u(0u, min(top, length));
}

// `last` has the known bits of the last selected key. Nobody has counted all keys that equal it.
fn tell_selected(key_count: u32, top_keys: u32, last: Key, known_low: u32, known_high: u32) {
  selection = Selection(
    top_keys, 0u, key_count, top_keys, 0u, 0u, top_keys, known_low, known_high, word_at(last, 0u),
    word_at(last, 1u) & known_high, 0u,
  );
}

#elif first_output/starts
// What is selected of each segment follows what is selected of the one before it.

#constant STARTS  // number of the binding

@group(0) @binding(STARTS) var<storage, read> starts: array<u32>;   // one more than there are segments

// The place of the first key of a segment, and how many are selected: never more than its place has room for.
fn place_of(segment: u32, part: u32, top: u32, length: u32) -> vec2u {
  let end = starts[segment + 1u];
  let begin = min(starts[segment], end);
  return vec2u(begin, min(min(top, length), end - begin));
}

fn tell_selected(key_count: u32, top_keys: u32, last: Key, known_low: u32, known_high: u32) {}

#end
