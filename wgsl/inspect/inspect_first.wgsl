// After the first keys of segments were selected, one workgroup per segment checks them. They must be all keys
// of the segment that go before the last of them, and enough of those that equal it: the first ones in the
// input, if their order shows. It compares how many there are on both sides, and sums of two hashes of each key
// with its place. inspect.wgsl tells whether they are in order.

#import key
#import order
#import compared
#import hash
#import mix32
#import grid
#import first_source/listed
#import inspected_value
#constant WORKGROUP_SIZE
#constant MASK_LOW   // the bits of the compared form that are sorted by: in its low word
#constant MASK_HIGH  // and in its high word
#constant STABLE     // 1 if the values are the places of the keys in the input
#constant PARAMS     // number of the binding

struct FirstInspection {
  key_count: u32,
  segments: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read> firsts: array<Stored>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;   // one more than there are segments
@group(0) @binding(3) var<storage, read_write> findings: array<atomic<u32>>;  // wrong segments; all
@group(0) @binding(PARAMS) var<uniform> params: FirstInspection;

var<workgroup> bounds: array<Key, WORKGROUP_SIZE>;
// One more than the place in the input of the last selected key that equals the bound.
var<workgroup> last_place: atomic<u32>;
// The selected keys minus the expected ones: their number, and both sums of hashes.
var<workgroup> more: array<atomic<u32>, 3>;
// Keys that equal the last one: selected, and all.
var<workgroup> equals: array<atomic<u32>, 2>;

fn form_of(key: Key) -> Key {
  return masked(compared(to_ordered(key)), MASK_LOW, MASK_HIGH);
}

fn first_at(i: u32) -> Key {
  return unpack(firsts[stored_at(i)], i);
}

fn hashes_of(key: Key, place: u32) -> vec2u {
  let both = vec2u(hash(key, 0x9e3779b9u), hash(key, 0x7f4a7c15u));
  if STABLE == 0u { return both; }
  return vec2u(mix32(both.x ^ place), mix32(both.y ^ place));
}

fn add(count: u32, hashes: vec2u) {
  atomicAdd(&more[0], count);
  atomicAdd(&more[1], hashes.x);
  atomicAdd(&more[2], hashes.y);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  let segment = linear_workgroup(grid);
  if segment >= params.segments { return; }
  let range = segment_of(segment, params.key_count, 0u);
  let begin = starts[segment];
  let end = starts[segment + 1u];
  if invocation < 3u { atomicStore(&more[invocation], 0u); }
  if invocation < 2u { atomicStore(&equals[invocation], 0u); }
  if invocation == 0u { atomicStore(&last_place, 0u); }

  var last = Key();
  for (var i = begin + invocation; i < end; i += WORKGROUP_SIZE) { last = last_of(last, form_of(first_at(i))); }
  bounds[invocation] = last;
  for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if invocation < half { bounds[invocation] = last_of(bounds[invocation], bounds[invocation + half]); }
  }
  workgroupBarrier();
  let bound = bounds[0];

  var count = 0u;
  var hashes = vec2u();
  for (var i = begin + invocation; i < end; i += WORKGROUP_SIZE) {
    let key = first_at(i);
    let is_equal = all(form_of(key) == bound);
    if is_equal {
      atomicAdd(&equals[0], 1u);
      if STABLE == 1u { atomicMax(&last_place, value_word(i, 0u) + 1u); }
    }
    if STABLE == 1u || !is_equal {
      count += 1u;
      hashes += hashes_of(key, value_word(i, 0u));
    }
  }
  add(count, hashes);
  workgroupBarrier();

  let places = atomicLoad(&last_place);
  count = 0u;
  hashes = vec2u();
  var equal = 0u;
  for (var i = range.x + invocation; end > begin && i < range.y; i += WORKGROUP_SIZE) {
    let key = unpack(keys[stored_at(i)], i);
    let form = form_of(key);
    let is_equal = all(form == bound);
    equal += select(0u, 1u, is_equal);
    if precedes(form, bound) || (STABLE == 1u && is_equal && i < places) {
      count += 1u;
      hashes += hashes_of(key, i);
    }
  }
  atomicAdd(&equals[1], equal);
  add(0u - count, vec2u() - hashes);
  workgroupBarrier();
  if invocation == 0u {
    let differs = (atomicLoad(&more[0]) | atomicLoad(&more[1]) | atomicLoad(&more[2])) != 0u;
    let is_wrong = differs || atomicLoad(&equals[0]) > atomicLoad(&equals[1]);
    atomicAdd(&findings[0], select(0u, 1u, is_wrong));
    atomicAdd(&findings[1], 1u);
  }
}
