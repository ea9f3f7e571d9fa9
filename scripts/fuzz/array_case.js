/** Sorts of typed arrays by a sorter: `sort`, `argsort` and `sortPairs`. */
import { distributionNames, keyCount, makeKeys } from "./keys.js";
import { bytesDiffer, gather, keysDiffer, orderOf } from "./oracle.js";
import { bytesIn, bytesOf, keysIn, typeNames, types } from "./types.js";

export function makeArrayCase(random, { device }) {
  const type = random.pick(typeNames);
  const distribution = random.pick(distributionNames);
  const most = random.chance(0.05) ? (device === "cpu" ? 200_000 : 1_100_000) : 20_000;
  const keys = makeKeys(random, type, keyCount(random, most), distribution);
  const call = random.pick(["sort", "argsort", "sortPairs"]);
  return {
    kind: "array",
    type,
    itemBytes: bytesOf(type),
    distribution,
    inputs: [bytesIn(keys)],
    call,
    valueWords: 1 + random.below(5),
    descending: random.chance(0.4),
    bits:
      types[type].low === 0n && call !== "sort" && random.chance(0.2) ? makeBits(random, type) : undefined,
    inPlace: random.chance(0.3),
    verify: !random.chance(0.1),
  };
}

function makeBits(random, type) {
  const begin = random.below(8 * bytesOf(type));
  return { begin, end: begin + 1 + random.below(8 * bytesOf(type) - begin) };
}

export async function runArrayCase(spec, { sorter }) {
  const { type, call, descending, bits, verify, valueWords, inPlace } = spec;
  const keys = keysIn(spec.inputs[0], type);
  const original = keys.slice();
  const options = { descending, verify, ...(bits && { bits }) };
  const items = itemsToOrder(original, spec);
  const order = orderOf(items, { descending });
  const expected = keysIn(gather({ bytes: bytesIn(original), itemBytes: spec.itemBytes }, order), type);
  if (call === "argsort") {
    const indices = await sorter.argsort(keys, options);
    return bytesDiffer(bytesIn(indices), bytesIn(order), 4, "index") ?? unchanged(keys, original);
  }
  if (call === "sort") {
    const sorted = await sorter.sort(keys, inPlace ? { ...options, into: keys } : options);
    return keysDiffer(sorted, expected, original) ?? (inPlace ? undefined : unchanged(keys, original));
  }
  const values = Uint32Array.from({ length: keys.length * valueWords }, (_, i) => Math.imul(i, 0x9e3779b1));
  const wanted = gather({ bytes: bytesIn(values), itemBytes: 4 * valueWords }, order);
  const sorted = await sorter.sortPairs(
    keys,
    values,
    inPlace ? { ...options, into: { keys, values } } : options,
  );
  return (
    bytesDiffer(bytesIn(sorted.keys), bytesIn(expected), spec.itemBytes, "key") ??
    bytesDiffer(bytesIn(sorted.values), wanted, 4 * valueWords, "value")
  );
}

/** What decides the order: the keys, or some of their bits. */
function itemsToOrder(keys, { type, bits, itemBytes }) {
  const field = [{ offset: 0, type }];
  if (!bits) return { bytes: bytesIn(keys), itemBytes, fields: field };
  const mask = (1n << BigInt(bits.end - bits.begin)) - 1n;
  const parts = keys.map((key) => {
    const part = (BigInt(key) >> BigInt(bits.begin)) & mask;
    return itemBytes === 8 ? part : Number(part);
  });
  return { bytes: bytesIn(parts), itemBytes, fields: field };
}

const unchanged = (keys, original) =>
  Buffer.compare(bytesIn(keys), bytesIn(original)) === 0 ? undefined : "the input array has changed";
