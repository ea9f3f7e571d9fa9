/** Random items, which are keys or records, in one or several inputs. */
import { distributionNames, keyCount, makeKeys } from "./keys.js";
import { gather, orderOf } from "./oracle.js";
import { bytesIn, bytesOf, typeNames } from "./types.js";

/**
 * @typedef {import("../random.js").Random} Random
 * @typedef {import("./spec.js").Field} Field
 * @typedef {import("./spec.js").Items} Items
 */

/**
 * @param {Random} random
 * @param {number} most
 * @param {boolean} isLarge
 * @returns {Items}
 */
export function makeItems(random, most, isLarge) {
  return random.chance(0.25) ? makeRecords(random, most, isLarge) : makeKeysOf(random, most, isLarge);
}

/**
 * @param {Random} random
 * @param {number} most
 * @param {boolean} isLarge
 * @returns {Items}
 */
function makeKeysOf(random, most, isLarge) {
  const type = random.pick(typeNames);
  const distribution = random.pick(distributionNames);
  const inputs = counts(random, most, isLarge).map((count) =>
    bytesIn(makeKeys(random, type, count, distribution)),
  );
  return { type, itemBytes: bytesOf(type), fields: [{ offset: 0, type }], distribution, inputs };
}

/**
 * Records of up to 40 bytes with up to three keys; without keys, all of the record is the key.
 *
 * @param {Random} random
 * @param {number} most
 * @param {boolean} isLarge
 * @returns {Items}
 */
function makeRecords(random, most, isLarge) {
  const recordBytes = 1 + random.below(40);
  const keys = Array.from({ length: random.below(4) }, () => makeField(random, recordBytes));
  const big = random.chance(0.3);
  const distribution = random.pick(["uniform", "few", "constant", "special"]);
  const shorter = Math.ceil(most / (isLarge ? 10 : 2));
  const inputs = counts(random, shorter, isLarge).map((count) => {
    const bytes = bytesIn(
      makeKeys(random, "u8", count * recordBytes, distribution === "few" ? "few" : "uniform"),
    );
    for (const { offset, type } of keys) {
      if (type) setColumn(bytes, recordBytes, offset, makeKeys(random, type, count, distribution), big);
    }
    return bytes;
  });
  const fields = keys.length > 0 ? keys.map((key) => ({ ...key, big })) : [{ offset: 0, bytes: recordBytes }];
  return { recordBytes, itemBytes: recordBytes, keys, bigKeys: big, fields, distribution, inputs };
}

/**
 * @param {Random} random
 * @param {number} recordBytes
 * @returns {Field}
 */
function makeField(random, recordBytes) {
  const type = random.pick(typeNames);
  if (random.chance(0.6) && bytesOf(type) <= recordBytes) {
    return { offset: random.below(recordBytes - bytesOf(type) + 1), type };
  }
  const offset = random.below(recordBytes);
  return { offset, bytes: 1 + random.below(recordBytes - offset) };
}

/**
 * @param {Uint8Array} bytes
 * @param {number} recordBytes
 * @param {number} offset
 * @param {import("./types.js").Keys} keys
 * @param {boolean} big
 */
function setColumn(bytes, recordBytes, offset, keys, big) {
  const [numbers, size] = [bytesIn(keys), keys.BYTES_PER_ELEMENT];
  for (let i = 0; i < keys.length; i++) {
    const at = i * recordBytes + offset;
    bytes.set(numbers.subarray(i * size, (i + 1) * size), at);
    if (big) bytes.subarray(at, at + size).reverse();
  }
}

/**
 * @param {Random} random
 * @param {number} most
 * @param {boolean} isLarge
 */
function counts(random, most, isLarge) {
  const inputs = random.chance(0.25) ? 2 + random.below(4) : 1;
  const each = Math.floor(most / inputs);
  return Array.from({ length: inputs }, () =>
    isLarge ? Math.floor(each * (0.5 + 0.5 * random.unit())) : keyCount(random, each),
  );
}

/**
 * The items of one input in the order that a merge expects.
 *
 * @param {Uint8Array} bytes
 * @param {Pick<import("./spec.js").Spec, "itemBytes" | "fields" | "descending">} spec
 */
export function sortedItems(bytes, { itemBytes, fields, descending }) {
  const items = { bytes, itemBytes, fields };
  return gather(items, orderOf(items, { descending }));
}
