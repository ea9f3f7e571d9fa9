// After select_append.wgsl, one workgroup decides whether the bound holds, and appends keys that equal it.
// They equal it in all bits, so it need not have read them. If the sort that follows does not know the number
// of candidates, keys that go after the bound fill the rest of the room. They are not equal and not far from
// it, or a sort by the most significant digit first would have one long segment of them, and no bits that all
// keys share. If the bound does not hold, keys that go last fill all of the room. It leaves both totals zero.

#import key
#import order
#import selection
#import decided_selection
#import mix32
#constant WORKGROUP_SIZE

#if key_after/32
// Keys of one word that go after a bound, and are spread over the digit values next to those of the keys before
// it.

// A bit that a bound lacks: the next one below the topmost bit in which keys before the bound differ from it.
// The bound then is in the third quarter of the values that share the bits above, and the fourth quarter is
// free. If the bound has that bit, the lowest one that it lacks above the topmost. 0 if there is none.
fn lacking_bit(bound: Key, differing: Key) -> Key {
  let zeros = countLeadingZeros(differing);
  let below = select(0xffffffffu >> (zeros & 31u), 0u, zeros == 32u);
  let next = (below ^ (below >> 1u)) >> 1u;
  if next != 0u && (bound & next) == 0u { return next; }
  let filled = bound | below;
  return ~filled & (filled + 1u);
}

// An ordered form after `bound`, by the seed: with the bit that the bound lacks, and random bits below it.
// There is none after the greatest form but that itself.
fn key_after(bound: Key, lacking: Key, seed: u32) -> Key {
  if lacking == 0u { return MAX_ORDERED; }
  let lower = lacking - 1u;
  return ((bound | lacking) & ~lower) | (mix32(seed) & lower);
}
#elif key_after/64
// Keys of two words that go after a bound: see above.

// All bits up to the topmost one of a word.
fn bits_up_to(word: u32) -> u32 {
  let zeros = countLeadingZeros(word);
  return select(0xffffffffu >> (zeros & 31u), 0u, zeros == 32u);
}

fn half(word: vec2u) -> vec2u {
  return vec2u((word.x >> 1u) | (word.y << 31u), word.y >> 1u);
}

fn lacking_bit(bound: Key, differing: Key) -> Key {
  let below = vec2u(select(bits_up_to(differing.x), 0xffffffffu, differing.y != 0u), bits_up_to(differing.y));
  let next = half(below ^ half(below));
  if any(next != vec2u()) && all((bound & next) == vec2u()) { return next; }
  let filled = bound | below;
  let carry = select(0u, 1u, filled.x == 0xffffffffu);
  return ~filled & vec2u(filled.x + 1u, filled.y + carry);
}

fn key_after(bound: Key, lacking: Key, seed: u32) -> Key {
  if all(lacking == vec2u()) { return MAX_ORDERED; }
  let lower = vec2u(lacking.x - 1u, lacking.y - select(0u, 1u, lacking.x == 0u));
  return ((bound | lacking) & ~lower) | (vec2u(mix32(seed), mix32(~seed)) & lower);
}
#end

struct CloseParams {
  room: u32,    // the most keys that can be selected
  filled: u32,  // the room to fill, or 0
}

@group(0) @binding(0) var<storage, read_write> totals: array<u32>;   // keys before the bound; equal ones
@group(0) @binding(1) var<storage, read_write> selection: Selection;
@group(0) @binding(2) var<storage, read_write> output: array<Key>;
@group(0) @binding(3) var<uniform> params: CloseParams;

// Candidates that are sampled. Half of them or more differ from the bound in the topmost bit in which any does,
// unless they are far from evenly spread.
const BOUND_SAMPLES = 32u;

var<workgroup> differing: array<atomic<u32>, 2>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let next = decided_selection(selection, totals[0], totals[1], params.room);
  if invocation < 2u { atomicStore(&differing[invocation], 0u); }
  storageBarrier(); // all have read `selection` and `totals`
  let bound = key_of(next.prefix_low, next.prefix_high);
  if params.filled > 0u {
    workgroupBarrier();
    for (var i = invocation; i < BOUND_SAMPLES && next.before > 0u; i += WORKGROUP_SIZE) {
      let difference = to_ordered(output[sample_place(i, BOUND_SAMPLES, next.before)]) ^ bound;
      atomicOr(&differing[0], word_at(difference, 0u));
      atomicOr(&differing[1], word_at(difference, 1u));
    }
    workgroupBarrier();
    let lacking = lacking_bit(bound, key_of(atomicLoad(&differing[0]), atomicLoad(&differing[1])));
    for (var i = next.selected + invocation; i < params.filled; i += WORKGROUP_SIZE) {
      output[i] = from_ordered(select(key_after(bound, lacking, i), MAX_ORDERED, next.fell_back == 1u));
    }
  }
  let raw_bound = from_ordered(bound);
  for (var i = next.before + invocation; i < next.selected; i += WORKGROUP_SIZE) { output[i] = raw_bound; }
  if invocation == 0u {
    selection = next;
    totals[0] = 0u;
    totals[1] = 0u;
  }
}
