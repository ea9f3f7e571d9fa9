// A smaller bias for signed keys near 0, in the moves of a fallback. The ordered form of a signed key is the
// key plus a bias, the sign bit (order.wgsl). So keys near 0 differ in all of their topmost bits: -1 becomes
// 7fffffff, and 0 80000000. If all keys are at least -2^n and less than 2^n, a bias of 2^n leaves only the
// n + 1 lowest bits to sort by, and moves by the others are skipped (differing_bits.wgsl). So do sound,
// differences and balances move. n is at least the bits of a digit: the lowest digit, which is counted before n
// is known, is then the same by either bias.

#import key
#constant DIGIT_BITS

#if bias/32
#import order/32
const SIGN_BIT = 31u;
const SIGN_FORM: Key = 0x80000000u;

fn is_signed(form: Key) -> bool {
  return form >= SIGN_FORM;
}

fn used_form_bits(form: Key) -> u32 {
  return 32u - countLeadingZeros(form);
}

fn minus_bias(biased: Key, bias: Key) -> Key {
  return biased - bias;
}
#elif bias/64
#import order/64
const SIGN_BIT = 63u;
const SIGN_FORM = Key(0u, 0x80000000u);

fn is_signed(form: Key) -> bool {
  return form.y >= 0x80000000u;
}

fn used_form_bits(form: Key) -> u32 {
  return select(64u - countLeadingZeros(form.y), 32u - countLeadingZeros(form.x), form.y == 0u);
}

fn minus_bias(biased: Key, bias: Key) -> Key {
  return Key(biased.x - bias.x, biased.y - bias.y - select(0u, 1u, biased.x < bias.x));
}
#end

// The bits in which an ordered form differs from the first one. Of two keys with different signs, these are the
// sign bit and those in which one differs from the complement of the other.
fn signed_difference(ordered: Key, first: Key) -> Key {
  let difference = ordered ^ first;
  return select(difference, ~difference | SIGN_FORM, is_signed(difference));
}

// Such bits of some keys. If keys have different signs, the bits of the first key's distance from 0 are added:
// the others are then 0 in the distances of all keys from 0.
fn with_first_distance(differences: Key, first: Key) -> Key {
  let distance = select(~first & ~SIGN_FORM, first & ~SIGN_FORM, is_signed(first));
  return select(differences, differences | distance, is_signed(differences));
}

// The number of the bit that is the bias for keys with such bits.
fn bias_bit(differences: Key) -> u32 {
  let usual = SIGN_BIT;
  return select(usual, max(used_form_bits(differences & ~SIGN_FORM), DIGIT_BITS), is_signed(differences));
}

// The bits in which keys differ, by that bias.
fn biased_differences(differences: Key) -> Key {
  let own = differences & ~SIGN_FORM;
  return select(own, own | shift_up(key_of(1u, 0u), bias_bit(differences)), is_signed(differences));
}

fn set_bias(differences: Key) {
  bias = shift_up(key_of(1u, 0u), bias_bit(differences));
}

// Whether that bias is another one than the sign bit.
fn has_own_bias() -> bool {
  return any(bias != SIGN_FORM);
}

// The bias of the keys in memory, of a kernel that makes all moves.
var<private> stored_bias: Key = SIGN_FORM;

// Whether that is not the bias by which keys move. To test it takes less than to rebias each key.
fn must_rebias() -> bool {
  return any(bias != stored_bias);
}

fn moved_form(stored: Key) -> Key {
  return with_bias(minus_bias(stored ^ FLIP, stored_bias)) ^ FLIP;
}

// Must be called after each move.
fn note_stored_bias() {
  stored_bias = bias;
}
