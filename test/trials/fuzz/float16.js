/** 16-bit floats (IEEE 754 binary16) by a table of all of them, as not every Node has a Float16Array. */

/** @typedef {import("./types.js").Keys} Keys */

/** The number of each bit pattern. */
const numbers = Float64Array.from({ length: 2 ** 16 }, (_, bits) => {
  const sign = bits >= 2 ** 15 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) % 32, bits % 1024];
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction / 2 ** 24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
});

/**
 * The bits of the f16 that is nearest to a number; of two, the even one; of a NaN, those of one.
 *
 * @param {number} number
 */
function bitsOf(number) {
  if (Number.isNaN(number)) return 0x7e00;
  const size = Math.abs(number);
  let [low, high] = [0, 0x7c00]; // 0 and infinity
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < size) low = middle + 1;
    else high = middle;
  }
  const nearer = low > 0 && low < 0x7c00 ? size - numbers[low - 1] - (numbers[low] - size) : 1;
  const isLower = nearer < 0 || (nearer === 0 && low % 2 === 1);
  return (isLower ? low - 1 : low) + (number < 0 || Object.is(number, -0) ? 2 ** 15 : 0);
}

/** The bits of f16 keys: a sorter takes them as a Uint16Array. Whoever compares them takes `numbersOf`. */
export class Float16Keys extends Uint16Array {
  /** @param {number[]} values */
  static fromNumbers(values) {
    return Float16Keys.from(values, (value) => bitsOf(value));
  }

  /** @override */
  sort() {
    const order = Float64Array.from(this, (bits) => numbers[bits]).sort(); // it loses the bits of NaNs
    const nans = this.filter((bits) => Number.isNaN(numbers[bits]));
    this.set(order.subarray(0, order.length - nans.length).map((number) => bitsOf(number)));
    this.set(nans, this.length - nans.length);
    return this;
  }
}

/**
 * Keys as numbers: of f16 keys, which are bits, what they mean; other keys as they are.
 *
 * @param {Keys} keys
 */
export const numbersOf = (keys) =>
  keys instanceof Float16Keys ? Float32Array.from(keys, (bits) => numbers[bits]) : keys;
