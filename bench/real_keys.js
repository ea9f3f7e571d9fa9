/**
 * Keys as people have them, for bench/matrix.js: times, ids, places, depths and counts. Each kind has one
 * type. A kind's keys depend on their number and on the seed alone.
 *
 *     node bench/real_keys.js KIND COUNT SEED FILE    # writes keys of a kind, little-endian, to a file
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stream } from "../dist/testdata/random.js";

/**
 * @typedef {Uint32Array | Int32Array | BigUint64Array | BigInt64Array | Float32Array | Float64Array} Keys
 * @typedef {(count: number, seed: number) => Keys} Make
 */

/**
 * Keys by their index, of random numbers.
 *
 * @template T
 * @typedef {(at: (i: number) => number, seed: number) => (i: number) => T} KeyOf
 */

const YEAR_S = 365 * 86_400;
/** 2025-01-01 and a moment of October 2025, in milliseconds since 1970. */
const NEW_YEAR_MS = 1_735_689_600_000;
const OCTOBER_MS = 1_760_000_000_000;

/**
 * Random numbers from 0 to below 1, of 53 bits, one for each index.
 *
 * @param {number} seed
 * @param {number} number
 * @returns {(i: number) => number}
 */
function random(seed, number) {
  const words = stream(seed, number);
  return (i) => (words(2 * i) * 2 ** 21 + (words(2 * i + 1) >>> 11)) / 2 ** 53;
}

/**
 * Floats, or integers of up to 32 bits, by their index.
 *
 * @param {new (count: number) => T} array
 * @param {KeyOf<number>} keyOf
 * @returns {Make}
 * @template {Uint32Array | Int32Array | Float32Array | Float64Array} T
 */
const numbers = (array, keyOf) => (count, seed) => {
  const keys = new array(count);
  const key = keyOf(random(seed, 0), seed);
  for (let i = 0; i < count; i++) keys[i] = key(i);
  return keys;
};

/**
 * u64 keys by their index, each as its upper and its lower 32 bits.
 *
 * @param {KeyOf<[upper: number, lower: number]>} keyOf
 * @returns {Make}
 */
const pairs = (keyOf) => (count, seed) => {
  const words = new Uint32Array(2 * count);
  const key = keyOf(random(seed, 0), seed);
  for (let i = 0; i < count; i++) [words[2 * i + 1], words[2 * i]] = key(i);
  return new BigUint64Array(words.buffer);
};

/**
 * Whole numbers below 2^53 from `first` on, all of a range equally likely.
 *
 * @param {number} first
 * @param {number} range
 * @returns {KeyOf<number>}
 */
const within = (first, range) => (at) => (i) => first + Math.floor(at(i) * range);
/** @param {KeyOf<number>} keyOf */
const wide = (keyOf) =>
  pairs((at, seed) => {
    const key = keyOf(at, seed);
    return (i) => [Math.floor(key(i) / 2 ** 32), key(i) % 2 ** 32];
  });

/**
 * The numbers from `first` on, each once, in random order (R. Durstenfeld, "Algorithm 235", 1964).
 *
 * @param {number} first
 * @returns {Make}
 */
const shuffled = (first) => (count, seed) => {
  const keys = new Uint32Array(count).map((_, i) => first + i);
  const at = random(seed, 0);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(at(i) * (i + 1));
    [keys[i], keys[j]] = [keys[j], keys[i]];
  }
  return keys;
};

/**
 * Uniform keys, sorted in blocks, as lists that were sorted one by one.
 *
 * @param {number} length
 * @returns {Make}
 */
const inBlocks = (length) => (count, seed) => {
  const keys = numbers(Uint32Array, within(0, 2 ** 32))(count, seed);
  for (let i = 0; i < count; i += length) keys.subarray(i, i + length).sort();
  return keys;
};

/**
 * Ranks, of which the r-th is r^-exponent times as frequent as the first; those from 2^32 on are the greatest
 * key. By rejection (L. Devroye, "Non-uniform random variate generation", 1986, X.6.1).
 *
 * @param {number} exponent
 * @returns {KeyOf<number>}
 */
const zipf = (exponent) => (_, seed) => {
  const [first, second] = [stream(seed, 1), stream(seed, 2)];
  const share = 2 ** (exponent - 1);
  return (i) => {
    for (let attempt = 0; ; attempt++) {
      const u = (first(i + attempt * 2 ** 40) + 0.5) / 2 ** 32;
      const v = (second(i + attempt * 2 ** 40) + 0.5) / 2 ** 32;
      const rank = Math.floor(u ** (-1 / (exponent - 1)));
      const growth = Math.expm1((exponent - 1) * Math.log1p(1 / rank));
      if ((v * rank * growth) / (share - 1) <= (growth + 1) / share) return Math.min(rank, 2 ** 32 - 1);
    }
  };
};

/**
 * @param {number} a
 * @param {number} b
 */
const gaussian = (a, b) => Math.sqrt(-2 * Math.log1p(-a)) * Math.cos(2 * Math.PI * b);

/**
 * The bits of a 16-bit number, with a zero above each.
 *
 * @param {number} number
 */
function spaced(number) {
  let bits = number;
  for (const { shift, mask } of [
    { shift: 8, mask: 0x00ff00ff },
    { shift: 4, mask: 0x0f0f0f0f },
    { shift: 2, mask: 0x33333333 },
    { shift: 1, mask: 0x55555555 },
  ]) {
    bits = (bits | (bits << shift)) & mask;
  }
  return bits;
}

/**
 * Morton codes of points in 64 heaps, as those of objects on a map: the bits of x and y in turns.
 *
 * @type {KeyOf<number>}
 */
function morton(at, seed) {
  const [centre, aside] = [random(seed, 1), random(seed, 2)];
  /**
   * @param {number} heap
   * @param {number} i
   */
  const coordinate = (heap, i) => {
    const middle = 32_768 + 8000 * gaussian(centre(2 * heap), centre(2 * heap + 1));
    return Math.min(65_535, Math.max(0, Math.floor(middle + 600 * gaussian(aside(2 * i), aside(2 * i + 1)))));
  };
  return (i) => {
    const heap = Math.floor(at(i) * 64);
    return (spaced(coordinate(heap, 2 * i)) | (spaced(coordinate(heap + 64, 2 * i + 1)) << 1)) >>> 0;
  };
}

/**
 * The upper halves of UUIDs of version 7 of ten minutes: 48 bits of milliseconds, 4 of the version, 12 random.
 *
 * @type {KeyOf<[upper: number, lower: number]>}
 */
function uuid7(at, seed) {
  const low = stream(seed, 1);
  return (i) => {
    const ms = OCTOBER_MS + Math.floor(at(i) * 600_000);
    return [Math.floor(ms / 2 ** 16), ((ms % 2 ** 16) * 2 ** 16 + 0x7000 + (low(i) >>> 20)) >>> 0];
  };
}

/**
 * An edge of a graph of a million vertices: the number of one in the upper word, that of another in the lower.
 *
 * @type {KeyOf<[upper: number, lower: number]>}
 */
function edges(at, seed) {
  const other = random(seed, 1);
  return (i) => [Math.floor(1e6 * at(i)), Math.floor(1e6 * other(i))];
}

/**
 * A visit: its user, of whom the r-th comes r^-1.2 times as often as the first, in the upper word, and its
 * second of a year in the lower.
 *
 * @type {KeyOf<[upper: number, lower: number]>}
 */
function visits(at, seed) {
  const user = zipf(1.2)(at, seed);
  return (i) => [user(i), NEW_YEAR_MS / 1000 + Math.floor(at(i) * YEAR_S)];
}

/**
 * Amounts in cents: log-normal, of a median of 30.
 *
 * @type {KeyOf<number>}
 */
const amounts = (at, seed) => {
  const other = random(seed, 1);
  return (i) => Math.round(3000 * Math.exp(1.5 * gaussian(at(i), other(i))));
};

/**
 * Differences between neighbours of a series: normal, 0 on average.
 *
 * @type {KeyOf<number>}
 */
const differences = (at, seed) => {
  const other = random(seed, 1);
  return (i) => Math.round(1000 * gaussian(at(i), other(i)));
};

/**
 * Balances of accounts in cents: the same amounts, a third of them below 0.
 *
 * @type {Make}
 */
const balances = (count, seed) => {
  const [cents, sign] = [amounts(random(seed, 0), seed), random(seed, 2)];
  return new BigInt64Array(count).map((_, i) => BigInt(sign(i) < 1 / 3 ? -cents(i) : cents(i)));
};

/**
 * Prices: the same amounts as floats.
 *
 * @type {KeyOf<number>}
 */
const prices = (at, seed) => {
  const cents = amounts(at, seed);
  return (i) => cents(i) / 100;
};

/**
 * Temperatures in tenths of a degree: normal, 15 on average.
 *
 * @type {KeyOf<number>}
 */
const temperatures = (at, seed) => {
  const other = random(seed, 1);
  return (i) => Math.round(150 + 80 * gaussian(at(i), other(i))) / 10;
};

/**
 * Categories, of which the r-th comes r^-1.2 times as often as the first, up to 65,535.
 *
 * @type {KeyOf<number>}
 */
const categories = (at, seed) => {
  const rank = zipf(1.2)(at, seed);
  return (i) => Math.min(rank(i), 65_535);
};

/**
 * A pixel of a picture of 1920 times 1080: its column in the upper half word, and its row in the lower.
 *
 * @type {KeyOf<number>}
 */
function pixels(at, seed) {
  const other = random(seed, 1);
  return (i) => Math.floor(1920 * at(i)) * 2 ** 16 + Math.floor(1080 * other(i));
}

/**
 * A moment of seven days, in days: nine times as many from 8 to 20 o'clock as at night.
 *
 * @type {KeyOf<number>}
 */
const busyByDay = (at) => (i) => {
  const moment = 7 * at(i);
  const day = Math.floor(moment);
  const part = moment - day;
  if (part < 0.2 / 3) return day + part / 0.2;
  if (part < 0.2 / 3 + 0.9) return day + 1 / 3 + (part - 0.2 / 3) / 1.8;
  return day + 1 - (1 - part) / 0.2;
};

/**
 * Such moments in whole units of time.
 *
 * @param {number} first
 * @param {number} day
 * @returns {KeyOf<number>}
 */
const inDays = (first, day) => (at, seed) => {
  const moment = busyByDay(at, seed);
  return (i) => first + Math.floor(moment(i) * day);
};

/** Their names, types, and `make(count, seed)`, which returns the keys. */
export const realKeys = [
  { name: "us-of-a-day", type: "u64", make: wide(within(OCTOBER_MS * 1000, 86_400_000_000)) },
  { name: "us-of-a-week", type: "u64", make: wide(inDays(OCTOBER_MS * 1000, 86_400_000_000)) },
  { name: "ms-of-a-week", type: "u32", make: numbers(Uint32Array, inDays(0, 86_400_000)) },
  { name: "ms-of-a-year", type: "u64", make: wide(within(NEW_YEAR_MS, YEAR_S * 1000)) },
  { name: "uuid7", type: "u64", make: pairs(uuid7) },
  { name: "edges", type: "u64", make: pairs(edges) },
  { name: "visits", type: "u64", make: pairs(visits) },
  { name: "amounts", type: "u64", make: wide(amounts) },
  { name: "differences", type: "i32", make: numbers(Int32Array, differences) },
  { name: "balances", type: "i64", make: balances },
  { name: "categories", type: "u32", make: numbers(Uint32Array, categories) },
  { name: "pixels", type: "u32", make: numbers(Uint32Array, pixels) },
  { name: "s-of-a-year", type: "u32", make: numbers(Uint32Array, within(NEW_YEAR_MS / 1000, YEAR_S)) },
  { name: "ids", type: "u32", make: shuffled(1_000_000) },
  { name: "dense", type: "u32", make: shuffled(0) },
  { name: "cells", type: "u32", make: numbers(Uint32Array, within(0, 4096)) },
  { name: "blocks", type: "u32", make: inBlocks(2 ** 14) },
  { name: "morton", type: "u32", make: numbers(Uint32Array, morton) },
  { name: "zipf-1.1", type: "u32", make: numbers(Uint32Array, zipf(1.1)) },
  { name: "zipf-1.3", type: "u32", make: numbers(Uint32Array, zipf(1.3)) },
  { name: "depth", type: "f32", make: numbers(Float32Array, (at) => (i) => 1 / (0.1 + 100 * at(i))) },
  {
    name: "latitude",
    type: "f64",
    make: numbers(Float64Array, (at) => (i) => (Math.asin(2 * at(i) - 1) * 180) / Math.PI),
  },
  { name: "longitude", type: "f64", make: numbers(Float64Array, (at) => (i) => 360 * at(i) - 180) },
  { name: "price", type: "f64", make: numbers(Float64Array, prices) },
  { name: "temperature", type: "f64", make: numbers(Float64Array, temperatures) },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kind, count, seed, file = ""] = process.argv.slice(2);
  const known = realKeys.find(({ name }) => name === kind);
  if (!known) throw new Error(`no kind is named ${kind}: ${realKeys.map(({ name }) => name).join(", ")}`);
  writeFileSync(file, known.make(Number(count), Number(seed)));
}
