// One workgroup counts keys by digits, from the most significant one down, and each time goes on with those
// that have the digit value of the k-th key, until few enough are left.

#import key
#import order
#import compared
#import digit_choice
#import selected_from
#constant WORKGROUP_SIZE

// This many loads in flight hide the memory's latency.
const LOADS = 8u;

// What is compared of a key.
fn form_of(key: Key) -> Key {
  return compared(to_ordered(key));
}

struct DigitSelection {
  bits: ChosenBits,  // the bits of the k-th key, as far as they are known
  before: u32,       // keys that go before it by these bits
  equal: u32,        // keys that have them
}

// Selects from `count` keys by the digits between two bits, until at most `room` keys go before the k-th key
// or may be equal to it, or all bits are known. All invocations must call it.
fn select_by_digits(
  source: Source,
  count: u32,
  top_keys: u32,
  room: u32,
  bits_begin: u32,
  bits_end: u32,
  invocation: u32,
) -> DigitSelection {
  var bits = ChosenBits(0u, 0u, 0u, 0u);
  var before = 0u;
  var equal = count;
  for (var end = bits_end; before + equal > room && end > bits_begin;) {
    let shift = digit_shift(bits_begin, end);
    let mask = (1u << (end - shift)) - 1u;
    clear_counters(invocation);
    for (var first = invocation; first < count; first += LOADS * WORKGROUP_SIZE) {
      var held: array<Key, LOADS>;
      for (var k = 0u; k < LOADS; k++) {
        held[k] = source_key(source, min(first + k * WORKGROUP_SIZE, count - 1u));
      }
      var run = DigitRun(COUNTERS, 0u);
      for (var k = 0u; k < LOADS; k++) {
        let form = form_of(held[k]);
        let is_counted = first + k * WORKGROUP_SIZE < count && has_chosen_bits(form, bits);
        run = run_with(run, form, is_counted, shift, mask);
      }
      count_run(run);
    }
    let choice = choose_digit(top_keys - before, invocation);
    before += choice.y;
    equal = choice.z;
    bits = with_digit(bits, choice.x, shift, mask);
    end = shift;
  }
  return DigitSelection(bits, before, equal);
}
