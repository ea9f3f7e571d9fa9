// Between two counts of a radix select, one workgroup goes a digit further: it finds the digit value of the
// k-th key, and decides whether the keys that may be among the first k are few enough. If so, nothing more is
// counted. It leaves `totals` zero. Without a sample, the first such dispatch begins the selection instead.
// Nobody reads anything back.

#import selection
#import key_total
#import workgroup_scan
#constant WORKGROUP_SIZE
#constant PARAMS  // number of the binding

struct NextParams {
  key_count: u32,    // all keys, or the most that there may be
  head: u32,         // the most keys that are requested
  room: u32,         // the most keys that can be selected; at least `head`
  digits: u32,       // values of the counted digit; 0 to begin
  shift: u32,        // the digit's lowest bit
  total_words: u32,  // words in `totals`
  count_at: u32,     // the word of the count that the device knows
}

@group(0) @binding(0) var<storage, read_write> totals: array<u32>;
@group(0) @binding(1) var<storage, read_write> selection: Selection;
@group(0) @binding(PARAMS) var<uniform> params: NextParams;

fn decide(next: Selection) {
  var decided = next;
  let fits_room = next.before + next.equal <= params.room;
  decided.taken = select(next.top_keys - next.before, next.equal, fits_room);
  decided.selected = next.before + decided.taken;
  decided.counting = select(1u, 0u, fits_room);
  selection = decided;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let known = selection;
  let piece = (params.digits + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let begin = min(invocation * piece, params.digits);
  let end = min(begin + piece, params.digits);
  var sum = 0u;
  for (var digit = begin; digit < end; digit++) { sum += totals[digit]; }
  let after = inclusive_sum(sum, invocation);
  storageBarrier(); // all have read `selection`

  if params.digits == 0u {
    if invocation == 0u {
      let keys = key_total(params.key_count, params.count_at);
      decide(Selection(0u, 1u, keys, min(params.head, keys), 0u, keys, 0u, 0u, 0u, 0u, 0u, 0u));
    }
  } else if known.counting == 1u && known.before + after - sum < known.top_keys &&
    known.before + after >= known.top_keys {
    // The k-th key has a digit value of this invocation.
    var next = known;
    next.before = known.before + after - sum;
    var digit = begin;
    for (; next.before + totals[digit] < known.top_keys; digit++) { next.before += totals[digit]; }
    next.equal = totals[digit];
    let bits = params.shift & 31u;
    if params.shift < 32u {
      next.known_low |= (params.digits - 1u) << bits;
      next.prefix_low |= digit << bits;
    } else {
      next.known_high |= (params.digits - 1u) << bits;
      next.prefix_high |= digit << bits;
    }
    decide(next);
  }
  if params.digits == 0u {
    for (var i = invocation; i < params.total_words; i += WORKGROUP_SIZE) { totals[i] = 0u; }
  } else {
    for (var digit = begin; digit < end; digit++) { totals[digit] = 0u; }
  }
}
