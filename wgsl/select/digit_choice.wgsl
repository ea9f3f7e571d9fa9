// One workgroup finds the digit of the k-th key from the counts of each digit value. Digits have
// up to 8 bits. Counters are in workgroup memory.

#import key
#constant WORKGROUP_SIZE
#constant COPIES  // of each counter: many keys share their first digits, and additions to one wait for others

const COUNTERS = 256u;
const GROUP = 16u;  // counters that are added up first

// The copies of a counter follow each other. Their sum replaces the first of them.
var<workgroup> counters: array<atomic<u32>, COUNTERS * COPIES>;
var<workgroup> group_sums: array<u32, COUNTERS / GROUP>;
var<workgroup> chosen: vec3u;
var<private> own_copy: u32;

fn clear_counters(invocation: u32) {
  own_copy = invocation % COPIES;
  for (var i = invocation; i < COUNTERS * COPIES; i += WORKGROUP_SIZE) { atomicStore(&counters[i], 0u); }
  workgroupBarrier();
}

// The lowest bit of the digit that ends at bit `end`; it is at least `begin`, and in the same word.
fn digit_shift(begin: u32, end: u32) -> u32 {
  return max(select(begin, max(begin, 32u), end > 32u), max(end, 8u) - 8u);
}

// The bits of a compared form that the chosen digits tell: which ones, and what they are.
struct ChosenBits {
  known_low: u32,
  known_high: u32,
  low: u32,
  high: u32,
}

// A mask of bits `begin` to `end` - 1, as far as they are in the word whose lowest bit is `first`.
fn field_word(begin: u32, end: u32, first: u32) -> u32 {
  let low = clamp(begin, first, first + 32u) - first;
  let high = clamp(end, first, first + 32u) - first;
  if low >= high { return 0u; }
  return (0xffffffffu >> (32u - (high - low))) << low;
}

fn has_chosen_bits(form: Key, bits: ChosenBits) -> bool {
  return all(masked(form, bits.known_low, bits.known_high) == key_of(bits.low, bits.high));
}

// The bits with those of one digit more.
fn with_digit(bits: ChosenBits, digit: u32, shift: u32, mask: u32) -> ChosenBits {
  var more = bits;
  if shift < 32u {
    more.known_low |= mask << shift;
    more.low |= digit << shift;
  } else {
    more.known_high |= mask << (shift - 32u);
    more.high |= digit << (shift - 32u);
  }
  return more;
}

// Equal digits that follow each other. They are added at once: additions to one counter wait for each other.
struct DigitRun {
  digit: u32,  // COUNTERS for forms that are not counted
  length: u32,
}

fn count_run(run: DigitRun) {
  if run.digit < COUNTERS { atomicAdd(&counters[run.digit * COPIES + own_copy], run.length); }
}

// The run that the next form belongs to. A run that it ends is counted.
fn run_with(run: DigitRun, form: Key, is_counted: bool, shift: u32, mask: u32) -> DigitRun {
  let digit = select(COUNTERS, (word_at(form, shift >> 5u) >> (shift & 31u)) & mask, is_counted);
  if digit == run.digit { return DigitRun(digit, run.length + 1u); }
  count_run(run);
  return DigitRun(digit, 1u);
}

fn count_of(digit: u32) -> u32 {
  return atomicLoad(&counters[digit * COPIES]);
}

// Returns the digit value of the key with rank `top_keys`, counted from 1; how many keys have smaller values;
// and how many have this one. All invocations must call it, after they have counted.
fn choose_digit(top_keys: u32, invocation: u32) -> vec3u {
  workgroupBarrier();
  for (var digit = invocation; COPIES > 1u && digit < COUNTERS; digit += WORKGROUP_SIZE) {
    var sum = 0u;
    for (var i = 0u; i < COPIES; i++) { sum += atomicLoad(&counters[digit * COPIES + i]); }
    atomicStore(&counters[digit * COPIES], sum);
  }
  if COPIES > 1u { workgroupBarrier(); }
  for (var group = invocation; group < COUNTERS / GROUP; group += WORKGROUP_SIZE) {
    var sum = 0u;
    for (var i = 0u; i < GROUP; i++) { sum += count_of(group * GROUP + i); }
    group_sums[group] = sum;
  }
  workgroupBarrier();
  for (var digit = invocation; digit < COUNTERS; digit += WORKGROUP_SIZE) {
    // Fixed numbers of loads do not wait for each other.
    var before = 0u;
    for (var group = 0u; group < COUNTERS / GROUP; group++) {
      before += select(0u, group_sums[group], group < digit / GROUP);
    }
    for (var i = 0u; i < GROUP; i++) {
      let other = digit / GROUP * GROUP + i;
      before += select(0u, count_of(other), other < digit);
    }
    let equal = count_of(digit);
    if before < top_keys && before + equal >= top_keys { chosen = vec3u(digit, before, equal); }
  }
  return workgroupUniformLoad(&chosen);
}
