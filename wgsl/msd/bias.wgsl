// A smaller bias for signed keys near 0, in the moves of a fallback. The ordered form of a signed key is the
// key plus a bias, the sign bit (order.wgsl). So keys near 0, such as sound, differences and balances, differ
// in all of their topmost bits: -1 becomes 7fffffff, and 0 80000000. If all keys are at least -2^n and less
// than 2^n, a bias of 2^n leaves only the n + 1 lowest bits to sort by, and moves by the others are skipped
// (differing_bits.wgsl). n is at least the bits of a digit: the lowest digit, which is counted before n is
// known, is then the same by either bias.
//
// n is the number of bits of the largest distance: that of a key from 0 on is the key, and that of another key
// is its complement.

#import key

#if bias/32
#import order/32
const SIGN_BIT = 31u;
const SIGN_FORM: Key = 0x80000000u;

fn has_sign_bit(form: Key) -> bool {
  return form >= SIGN_FORM;
}

fn used_form_bits(form: Key) -> u32 {
  return 32u - countLeadingZeros(form);
}
#end

#if bias/64
#import order/64
const SIGN_BIT = 63u;
const SIGN_FORM = Key(0u, 0x80000000u);

fn has_sign_bit(form: Key) -> bool {
  return form.y >= 0x80000000u;
}

fn used_form_bits(form: Key) -> u32 {
  return select(64u - countLeadingZeros(form.y), 32u - countLeadingZeros(form.x), form.y == 0u);
}
#end

#if bias/32|64
#constant DIGIT_BITS

// The bits in which the distance of a key differs from that of the first one, and the sign bit if their signs
// differ. The keys are in their ordered form by the sign bit, whose other bits are the distance of a key from 0
// on, and the complement of the distance of another key.
fn difference_of(ordered: Key, first: Key) -> Key {
  let difference = ordered ^ first;
  return select(difference, ~difference | SIGN_FORM, has_sign_bit(difference));
}

// Such bits of some keys. If signs differ, those of the first key's distance are added: these are then all bits
// that are 1 in the distance of some key.
fn with_first_distance(differences: Key, first: Key) -> Key {
  let distance = select(~first & ~SIGN_FORM, first & ~SIGN_FORM, has_sign_bit(first));
  return select(differences, differences | distance, has_sign_bit(differences));
}

// The number of the bit that is the bias for keys with such bits.
fn bias_bit(differences: Key) -> u32 {
  let usual = SIGN_BIT;
  return select(usual, max(used_form_bits(differences & ~SIGN_FORM), DIGIT_BITS), has_sign_bit(differences));
}

// The bits to sort by, with that bias. The others below it are 0 in all distances, so that they are the same in
// all keys of one sign, and the bias tells the sign.
fn bits_to_sort_by(differences: Key) -> Key {
  let own = differences & ~SIGN_FORM;
  return select(own, own | shift_up(key_of(1u, 0u), bias_bit(differences)), has_sign_bit(differences));
}

fn set_bias(differences: Key) {
  bias = shift_up(key_of(1u, 0u), bias_bit(differences));
}

// Whether that bias is another one than the sign bit.
fn has_own_bias() -> bool {
  return any(bias != SIGN_FORM);
}

// Whether a kernel that makes all moves has stored keys with that bias.
var<private> is_stored = false;

// Whether the keys in memory have another bias. To test it takes less than to rebias each key.
fn must_rebias() -> bool {
  return has_own_bias() && !is_stored;
}

// The form in which a key moves, of its ordered form by the sign bit.
fn moved_form(ordered: Key) -> Key {
  return with_bias(ordered ^ FLIP ^ SIGN_FORM) ^ FLIP;
}

// Must be called after each move.
fn note_stored_bias() {
  is_stored = true;
}
#else
#import compared

// Other keys have no bias.

fn difference_of(ordered: Key, first: Key) -> Key {
  return compared(ordered) ^ first;
}

fn with_first_distance(differences: Key, first: Key) -> Key {
  return differences;
}

fn bits_to_sort_by(differences: Key) -> Key {
  return differences;
}

fn set_bias(differences: Key) {}

fn has_own_bias() -> bool {
  return false;
}

fn must_rebias() -> bool {
  return false;
}

fn moved_form(ordered: Key) -> Key {
  return ordered;
}

fn note_stored_bias() {}
#end
