// Decimals of few places, such as prices, become whole numbers before the stable passes move them. These differ in
// few bits, so that most moves are skipped (differing_bits.wgsl). A decimal is the float of two words nearest
// to a whole number over a power of ten, as A. Afroozeh, L. Kuffó and P. Boncz compress floats ("ALP: Adaptive
// Lossless floating-Point Compression", 2023). msd_remap_plan.wgsl chooses the power by samples, msd_count.wgsl
// tests all keys, and converted_decimals.wgsl converts them.

#import key
#import order
#import mix32
#import status

struct Decimals {
  power: u32,         // of ten, up to 1,000
  reciprocal: vec2u,  // of the power: 64 bits, rounded down, the low word first; the topmost bit is set
  bias: u32,          // the form of 0
}

// The words of `status` that have them, where the table of a remap begins otherwise.
const DECIMALS_BEGIN = 4u;
// Forms are less than this, so that a negative one, modulo 2^32, is not.
const FORMS = 1u << 30u;
// The least exponent of a decimal of three places, and the first one that is too large.
const LEAST_EXPONENT = 1013u;
const EXPONENTS_END = 1053u;

fn exponent_of(key: Key) -> u32 {
  return (key.y >> 20u) & 0x7ffu;
}

// The product of the fraction of a key, a number of 53 bits, with a power of ten, of which no bit is lost.
fn scaled(key: Key, power: u32) -> Key {
  let low = (key.x & 0xffffu) * power;
  let middle = (key.x >> 16u) * power + (low >> 16u);
  let high = ((key.y & 0xfffffu) | 0x100000u) * power + (middle >> 16u);
  return Key((middle << 16u) | (low & 0xffffu), high);
}

// Twice the product of a key with the power of ten, rounded down.
fn doubled(product: Key, exponent: u32) -> Key {
  return shift_down(product, 1074u - exponent);
}

// The form of a key: the whole number nearest to its product with the power, and the bias. -0 has the form before
// that of 0. What it is of another key than a decimal does not matter.
fn form_of(key: Key, decimals: Decimals) -> u32 {
  let exponent = exponent_of(key);
  let whole = (doubled(scaled(key, decimals.power), exponent).x + 1u) >> 1u;
  return (select(whole, 0u, exponent < LEAST_EXPONENT) ^ (0u - (key.y >> 31u))) + decimals.bias;
}

// Whether a key is the float nearest to a decimal that has a form.
fn is_decimal(key: Key, decimals: Decimals) -> bool {
  let form = form_of(key, decimals);
  let exponent = exponent_of(key);
  let product = scaled(key, decimals.power);
  let twice = doubled(product, exponent);
  let nearest = shift_up(Key((twice.x + 1u) >> 1u, 0u), 1075u - exponent);
  // The float's distance from the decimal is less than half of that from the next float.
  let low = product.x + (decimals.power >> 1u);
  let high = product.y + select(0u, 1u, low < product.x) - select(0u, 1u, low < nearest.x);
  let is_nearest = (high == nearest.y) & (low - nearest.x < decimals.power);
  let is_in_range = (exponent >= LEAST_EXPONENT) & (exponent < EXPONENTS_END) & (twice.y == 0u);
  let is_zero = ((key.y << 1u) | key.x) == 0u;
  return (form < FORMS) & (is_zero | (is_in_range & is_nearest));
}

// The float nearest to the decimal of a form. The product with the reciprocal is less than the quotient by a share
// of 2^-64 at most, and no quotient is as near to the middle of two floats.
fn key_of_form(form: u32, decimals: Decimals) -> Key {
  let signed = form - decimals.bias;
  let sign = signed & 0x80000000u;
  let whole = signed ^ (0u - (sign >> 31u));
  let zeros = countLeadingZeros(whole);
  let factor = whole << (zeros & 31u);
  let carried = high_product(factor, decimals.reciprocal.x);
  let middle = factor * decimals.reciprocal.y + carried;
  let top = high_product(factor, decimals.reciprocal.y) + select(0u, 1u, middle < carried);
  // The topmost 64 bits of the product from the first that is set, rounded to 53.
  let missing = 1u - (top >> 31u);
  let begin = shift_up(Key(middle, top), missing);
  let low = (begin.x | select(0u, (factor * decimals.reciprocal.x) >> 31u, missing == 1u)) + 0x400u;
  let carry = select(0u, 1u, low < 0x400u);
  let high = begin.y + carry;
  let power_bits = 32u - countLeadingZeros(decimals.power - 1u);
  let exponent = 1055u - missing + select(0u, carry, high == 0u) - zeros - power_bits;
  let fraction = Key((high << 21u) | (low >> 11u), sign | (exponent << 20u) | ((high >> 11u) & 0xfffffu));
  return select(fraction, Key(0u, sign), whole == 0u);
}

fn chosen_decimals() -> Decimals {
  const AT = DECIMALS_BEGIN;
  return Decimals(status_word(AT), vec2u(status_word(AT + 1u), status_word(AT + 2u)), status_word(AT + 3u));
}
