/** Sorts of typed arrays by a sorter: all of its calls, with whole arrays, segments and first keys. */
import { distributionNames, keyCount, makeKeys } from "./keys.js";
import { bytesDiffer, gather, keysDiffer, orderOf } from "./oracle.js";
import { bytesIn, bytesOf, keysIn, typeNames, types } from "./types.js";

/**
 * @typedef {import("../random.js").Random} Random
 * @typedef {import("./spec.js").Context} Context
 * @typedef {import("./spec.js").KeySpec} KeySpec
 * @typedef {import("./types.js").Keys} Keys
 * @typedef {import("./types.js").TypeName} TypeName
 * @typedef {{ bytes: Uint8Array, itemBytes: number, fields: import("./spec.js").Field[] }} Items
 */

/** @type {("sort" | "argsort" | "sortPairs" | "unique")[]} */
const CALLS = ["sort", "argsort", "sortPairs", "unique"];

/**
 * @param {Random} random
 * @param {Context} context
 * @returns {KeySpec}
 */
export function makeArrayCase(random, { device }) {
  const type = random.pick(typeNames);
  const distribution = random.pick(distributionNames);
  const most = random.chance(0.05) ? (device === "cpu" ? 200_000 : 1_100_000) : 20_000;
  const keys = makeKeys(random, type, keyCount(random, most), distribution);
  const call = random.pick(CALLS);
  const isUnique = call === "unique";
  const part = isUnique ? "whole" : random.pick(["whole", "whole", "segments", "top"]);
  return {
    kind: "array",
    type,
    itemBytes: bytesOf(type),
    fields: [{ offset: 0, type }],
    distribution,
    inputs: [bytesIn(keys)],
    call,
    valueWords: 1 + random.below(5),
    descending: random.chance(0.4),
    bits:
      types[type].low === 0n && (call === "argsort" || call === "sortPairs") && random.chance(0.2)
        ? makeBits(random, type)
        : undefined,
    counts: isUnique && random.chance(0.5),
    segments: part === "segments" ? makeLengths(random, keys.length) : undefined,
    top: part === "top" ? random.below(random.chance(0.5) ? 50 : keys.length + 2) : undefined,
    sorted: part === "top" && random.chance(0.3) ? false : undefined,
    inPlace: part !== "top" && !isUnique && random.chance(0.3),
    verify: !random.chance(0.1),
  };
}

/**
 * @param {Random} random
 * @param {TypeName} type
 */
function makeBits(random, type) {
  const begin = random.below(8 * bytesOf(type));
  return { begin, end: begin + 1 + random.below(8 * bytesOf(type) - begin) };
}

/**
 * Lengths of segments: some are empty, most are short, a few are long.
 *
 * @param {Random} random
 * @param {number} count
 */
function makeLengths(random, count) {
  const longest = random.pick([1, 3, 40, 600, count + 1]);
  const lengths = [];
  for (let left = count; left > 0 && lengths.length < 5000; ) {
    const length = random.chance(0.2) ? 0 : random.below(random.chance(0.1) ? 4000 : longest + 1);
    lengths.push(Math.min(left, length));
    left -= lengths.at(-1);
  }
  return lengths;
}

/**
 * Where so many segments begin, and where the last of them ends: all keys are in one.
 *
 * @param {number[]} lengths
 * @param {number} count
 */
function offsetsOf(lengths, count) {
  const offsets = [0];
  for (const length of lengths) offsets.push(Math.min(count, offsets.at(-1) + length));
  offsets.push(count);
  return Uint32Array.from(offsets);
}

/**
 * The same indices segment by segment, each in its order.
 *
 * @param {Uint32Array} order
 * @param {Uint32Array} offsets
 */
function bySegment(order, offsets) {
  const next = offsets.slice();
  const segmentOf = new Uint32Array(order.length);
  for (let s = 0; s + 1 < offsets.length; s++) segmentOf.fill(s, offsets[s], offsets[s + 1]);
  const result = new Uint32Array(order.length);
  for (const i of order) result[next[segmentOf[i]]++] = i;
  return result;
}

/**
 * @param {KeySpec} spec
 * @param {Context} context
 * @returns {Promise<string | undefined>}
 */
export async function runArrayCase(spec, { sorter }) {
  const { type, call, descending = false, bits, inPlace, top, sorted, itemBytes } = spec;
  const verify = spec.verify === true;
  const keys = keysIn(spec.inputs[0], type);
  const original = keys.slice();
  const segments = spec.segments && offsetsOf(spec.segments, keys.length);
  const options = {
    descending,
    verify,
    ...typeOption(type),
    ...(bits && { bits }),
    ...(segments && { segments }),
    ...(top !== undefined && { top }),
    ...(sorted !== undefined && { sorted }),
  };
  const items = itemsToOrder(original, spec);
  const whole = orderOf(items, { descending }).subarray(0, top);
  const order = segments ? bySegment(whole, segments) : whole;
  const expected = keysIn(gather({ bytes: bytesIn(original), itemBytes }, order), type);
  switch (call) {
    case "unique":
      return await uniqueProblem(sorter, keys, original, spec, items);
    case "argsort": {
      const indices = await sorter.argsort(keys, options);
      const [got, wanted] = sorted === false ? [indices.sort(), order.slice().sort()] : [indices, order];
      return bytesDiffer(bytesIn(got), bytesIn(wanted), 4, "index") ?? unchanged(keys, original);
    }
    case "sort": {
      const result = await sorter.sort(keys, inPlace ? { ...options, into: keys } : options);
      const got = sorted === false ? inOrder(result, spec) : keysIn(bytesIn(result), type);
      return keysDiffer(got, expected, original) ?? (inPlace ? undefined : unchanged(keys, original));
    }
    default:
      return await pairsProblem(sorter, keys, { spec, options, order, expected });
  }
}

/**
 * @param {Context["sorter"]} sorter
 * @param {Keys} keys
 * @param {{ spec: KeySpec, options: object, order: Uint32Array, expected: Keys }} sort
 */
async function pairsProblem(sorter, keys, { spec, options, order, expected }) {
  const { valueWords = 1, inPlace, itemBytes, type } = spec;
  const valueBytes = 4 * valueWords;
  const values = Uint32Array.from({ length: keys.length * valueWords }, (_, i) => Math.imul(i, 0x9e3779b1));
  const input = { bytes: bytesIn(values.slice()), itemBytes: valueBytes };
  const into = inPlace ? { into: { keys, values } } : {};
  const result = await sorter.sortPairs(keys, values, { ...options, ...into });
  let [gotKeys, gotValues] = [result.keys, bytesIn(result.values)];
  let wantedOrder = order;
  if (spec.sorted === false) {
    // The value of index 0 is 0, and all first words of values differ.
    const indexOf = new Map(Array.from(order, (i) => [values[i * valueWords], i]));
    const found = Uint32Array.from(
      { length: order.length },
      (_, i) => indexOf.get(result.values[i * valueWords]) ?? Number.NaN,
    );
    const places = found.map((_, i) => i).sort((a, b) => found[a] - found[b]);
    gotKeys = keysIn(gather({ bytes: bytesIn(gotKeys), itemBytes }, places), type);
    gotValues = gather({ bytes: gotValues, itemBytes: valueBytes }, places);
    wantedOrder = order.slice().sort();
  }
  const all = { bytes: spec.inputs[0], itemBytes };
  const wantedKeys = spec.sorted === false ? keysIn(gather(all, wantedOrder), type) : expected;
  return (
    bytesDiffer(bytesIn(gotKeys), bytesIn(wantedKeys), itemBytes, "key") ??
    bytesDiffer(gotValues, gather(input, wantedOrder), valueBytes, "value")
  );
}

/**
 * @param {Context["sorter"]} sorter
 * @param {Keys} keys
 * @param {Keys} original
 * @param {KeySpec} spec
 * @param {Items} items
 */
async function uniqueProblem(sorter, keys, original, spec, items) {
  const { type, itemBytes, descending = false, counts = false } = spec;
  const options = { descending, verify: spec.verify === true, counts, ...typeOption(type) };
  const result = await sorter.unique(keys, options);
  const order = orderOf(items, { descending });
  const distinct = orderOf(items, { descending, unique: true });
  const expected = keysIn(gather({ bytes: bytesIn(original), itemBytes }, distinct), type);
  const problem =
    keysDiffer(keysIn(bytesIn(result.keys), type), expected, original) ?? unchanged(keys, original);
  if (problem || !counts) return problem;
  const isFirst = new Set(distinct);
  const wanted = [];
  for (const i of order) {
    if (isFirst.has(i)) wanted.push(0);
    wanted[wanted.length - 1]++;
  }
  return bytesDiffer(
    bytesIn(/** @type {Uint32Array} */ (result.counts)),
    bytesIn(Uint32Array.from(wanted)),
    4,
    "count",
  );
}

/**
 * Keys that may come in any order, in order.
 *
 * @param {Keys} keys
 * @param {KeySpec} spec
 */
function inOrder(keys, { type, itemBytes, descending }) {
  const items = { bytes: bytesIn(keys), itemBytes, fields: [{ offset: 0, type }] };
  return keysIn(gather(items, orderOf(items, { descending })), type);
}

/**
 * What decides the order: the keys, or some of their bits.
 *
 * @param {Keys} keys
 * @param {KeySpec} spec
 * @returns {Items}
 */
function itemsToOrder(keys, { type, bits, itemBytes }) {
  const field = [{ offset: 0, type }];
  if (!bits) return { bytes: bytesIn(keys), itemBytes, fields: field };
  const mask = (1n << BigInt(bits.end - bits.begin)) - 1n;
  const parts = keys.slice();
  /** @type {Record<number, number | bigint>} */
  const numbers = parts;
  keys.forEach((key, i) => {
    const part = (BigInt(key) >> BigInt(bits.begin)) & mask;
    numbers[i] = itemBytes === 8 ? part : Number(part);
  });
  return { bytes: bytesIn(parts), itemBytes, fields: field };
}

/**
 * The bits of f16 keys are in a Uint16Array, which is of u16 keys otherwise.
 *
 * @param {TypeName} type
 */
const typeOption = (type) => (type === "f16" ? { type } : {});

/**
 * @param {Keys} keys
 * @param {Keys} original
 */
const unchanged = (keys, original) =>
  Buffer.compare(bytesIn(keys), bytesIn(original)) === 0 ? undefined : "the input array has changed";
