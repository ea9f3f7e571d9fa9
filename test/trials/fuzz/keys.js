import { numbersOf } from "./float16.js";
import { bytesOf, types } from "./types.js";

/**
 * @typedef {import("../random.js").Random} Random
 * @typedef {import("./types.js").Keys} Keys
 * @typedef {import("./types.js").TypeName} TypeName
 */

/**
 * Numbers of keys on both sides of what code likes to be wrong about.
 *
 * @param {Random} random
 * @param {number} most
 */
export function keyCount(random, most) {
  /** @param {number} n */
  const near = (n) => Math.max(0, n + random.below(3) - 1);
  const powers = Array.from({ length: 21 }, (_, i) => 2 ** i).filter((n) => n <= most);
  const count = random.chance(0.15)
    ? random.below(4)
    : random.chance(0.6)
      ? near(random.pick(powers) * random.pick([1, 1, 1, 3]))
      : Math.floor(most ** random.unit());
  return Math.min(count, most);
}

/**
 * How keys of a type are made: a function of the index, which returns a number or a BigInt.
 *
 * @type {Record<string, (random: Random, type: TypeName) => () => number | bigint>}
 */
const makers = {
  uniform: (random, type) => () => anyBits(random, type),
  few: (random, type) => {
    const values = Array.from({ length: 1 + random.below(5) }, () => anyBits(random, type));
    return () => random.pick(values);
  },
  constant: (random, type) => {
    const value = anyBits(random, type);
    return () => value;
  },
  narrow: (random, type) => {
    const shift = random.below(8 * bytesOf(type));
    return () => fromBits((((1n << 8n) - 1n) & BigInt(random.u32())) << BigInt(shift), type);
  },
  /** Two fields of a key differ, and in one of a thousand keys all of its bits. */
  fields: (random, type) => {
    const width = 8 * bytesOf(type);
    const field = () => ((1n << BigInt(1 + random.below(width / 2))) - 1n) << BigInt(random.below(width));
    const [base, fields] = [BigInt(anyBits(random, type)), field() | field()];
    return () => {
      const other = BigInt(anyBits(random, type));
      return fromBits(base ^ (random.chance(0.001) ? other : other & fields), type);
    };
  },
  /** Decimals of some places, many of them equal, and perhaps a few other keys. */
  decimals: (random, type) => {
    const power = 10 ** random.below(5);
    const most = 2 ** random.below(34);
    const [equal, negative, other] = [random.unit(), random.pick([0, 0.5]), random.pick([0, 0, 0.001])];
    return () => {
      if (random.chance(other)) return anyBits(random, type);
      const whole = random.chance(equal) ? 7 : Math.floor(most * random.unit());
      return decimalBits(random.chance(negative) ? -whole : whole, power, type);
    };
  },
  extremes: (random, type) => () => random.pick(extremesOf(type)),
  special: (random, type) => () =>
    random.chance(0.7) ? random.pick(extremesOf(type)) : anyBits(random, type),
};
export const distributionNames = [...Object.keys(makers), "sorted", "reversed", "nearly sorted"];

/**
 * Keys of a distribution. Floats keep the bits of their NaNs, as they are written as bits.
 *
 * @param {Random} random
 * @param {TypeName} type
 * @param {number} count
 * @param {string} distribution
 */
export function makeKeys(random, type, count, distribution) {
  /** @type {Record<number, number | bigint> & { buffer: ArrayBufferLike }} */
  const bits = bitArray(type, count);
  const make = (makers[distribution] ?? makers.uniform)(random, type);
  for (let i = 0; i < count; i++) bits[i] = make();
  const keys = new types[type].array(bits.buffer);
  if (distribution.endsWith("sorted")) keys.sort();
  if (distribution === "reversed") keys.sort().reverse();
  if (distribution === "nearly sorted" && count > 0) bits[random.below(count)] = anyBits(random, type);
  return keys;
}

/** @type {Record<number, new (count: number) => Uint8Array | Uint16Array | Uint32Array | BigUint64Array>} */
const bitArrays = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };
/**
 * @param {TypeName} type
 * @param {number} count
 */
const bitArray = (type, count) => new bitArrays[bytesOf(type)](count);

/**
 * @param {Random} random
 * @param {TypeName} type
 */
function anyBits(random, type) {
  if (bytesOf(type) < 8) return random.u32();
  return (BigInt(random.u32()) << 32n) | BigInt(random.u32());
}

/**
 * @param {bigint} bits
 * @param {TypeName} type
 */
const fromBits = (bits, type) =>
  bytesOf(type) < 8 ? Number(BigInt.asUintN(32, bits)) : BigInt.asUintN(64, bits);

/**
 * The bits of the f32 or f64 nearest to a decimal; of another type, the lowest bits of the whole number.
 *
 * @param {number} whole
 * @param {number} power
 * @param {TypeName} type
 */
function decimalBits(whole, power, type) {
  if (type === "f64") return new BigUint64Array(Float64Array.of(whole / power).buffer)[0];
  if (type === "f32") return new Uint32Array(Float32Array.of(whole / power).buffer)[0];
  return fromBits(BigInt(whole), type);
}

/**
 * Bits at the ends of the order and around zero; for floats also NaNs of both signs with payloads.
 *
 * @param {TypeName} type
 */
function extremesOf(type) {
  const width = BigInt(8 * bytesOf(type));
  const top = 1n << (width - 1n);
  const all = (1n << width) - 1n;
  const integers = [0n, 1n, top - 1n, top, top + 1n, all - 1n, all];
  return [...integers, ...(types[type].float ? specialFloats(type) : [])].map((bits) => fromBits(bits, type));
}

/** @param {TypeName} type */
function specialFloats(type) {
  /** @type {Record<string, [bigint, bigint, bigint]>} */
  const bits = {
    f16: [0x7c00n, 0x7e00n, 1n << 15n],
    f32: [0x7f800000n, 0x7fc00000n, 1n << 31n],
    f64: [0x7ff0000000000000n, 0x7ff8000000000000n, 1n << 63n],
  };
  const [infinity, quiet, sign] = bits[type];
  const positive = [0n, infinity, quiet, quiet | 0x1234n, infinity | 1n, infinity - 1n];
  return positive.flatMap((bits) => [bits, bits | sign]);
}

/**
 * The same keys without -0, which NumPy takes for equal to 0.
 *
 * @param {Keys} keys
 */
export function withoutNegativeZero(keys) {
  const numbers = numbersOf(keys);
  for (let i = 0; i < keys.length; i++) if (Object.is(numbers[i], -0)) keys[i] = 0;
  return keys;
}
