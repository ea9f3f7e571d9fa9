/**
 * Sorts arrays by one library in a web page, and compares each with `TypedArray.prototype.sort`: for
 * scripts/peers.js, which bundles it with the file of a library as "peer".
 */
// @ts-expect-error: scripts/peers.js names it
import { open, types } from "peer";

/** @typedef {import("./buffers.js").Keys} Keys */

const SIZES = [1, 2, 255, 1000, 1024, 4097, 65_536];
const LIMIT_MS = 60_000;

const CLASSES = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
};

/**
 * A hash of 32 bits by multiplications and shifts: that of M. Wellons' "lowbias32".
 *
 * @param {number} i
 */
function mixed(i) {
  let x = i + 1;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Arrays that show what a sort gets wrong, by the words of their keys. The last word is the upper one. */
/** @type {Record<string, (i: number) => number>} */
const KINDS = {
  uniform: mixed,
  "few values": (i) => mixed(i) & 0xe000_0000,
  "all ones": () => 0xffff_ffff,
  "zeros and all ones": (i) => (i % 3 === 0 ? 0 : 0xffff_ffff),
  specials: (i) => [0x7fc0_0000, 0xffc0_0000, 0x7f80_0000, 0xff80_0000, 0, 0x8000_0000, 1, mixed(i)][i % 8],
};
/** @type {Record<string, (keys: Keys) => Keys>} */
const ORDERED = { reversed: (keys) => keys.sort().reverse() };

/**
 * @param {keyof typeof CLASSES} type
 * @param {string} kind
 * @param {number} size
 */
function keysOf(type, kind, size) {
  const keys = new CLASSES[type](size);
  const words = new Uint32Array(keys.buffer).map((_, i) => (KINDS[kind] ?? mixed)(i));
  new Uint32Array(keys.buffer).set(words);
  return ORDERED[kind]?.(keys) ?? keys;
}

/**
 * Whether two arrays hold the same keys in the same order. All NaNs are the same, 0 and -0 are not.
 *
 * @param {Keys} a
 * @param {Keys} b
 */
const isSame = (a, b) => a.length === b.length && [...a].every((key, i) => Object.is(key, b[i]));

const late = () =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no result after ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });

async function runAll() {
  const { sort, adapter } = await open();
  /** @type {import("./table.js").Result[]} */
  const results = [];
  for (const type of types) {
    for (const kind of [...Object.keys(KINDS), ...Object.keys(ORDERED)]) {
      for (const size of SIZES) {
        const keys = keysOf(type, kind, size);
        const expected = keys.slice().sort();
        const outcome = await Promise.race([sort(keys, type), late()]).then(
          (sorted) => (isSame(sorted, expected) ? "right" : "wrong"),
          (error) => `error: ${error.message}`,
        );
        results.push({ type, kind, size, outcome });
      }
    }
  }
  return { types, adapter, results };
}

runAll()
  .catch((error) => ({ failed: String(error?.stack ?? error) }))
  .then((result) => {
    Object.assign(globalThis, { result });
  });
