import type { DataType, Float, Int } from "apache-arrow";
import type { Column, ColumnOf } from "./column.js";
import type { Argsort, Codes, ColumnCodes } from "./key_codes.js";
import { rankBytes } from "./rank_bytes.js";
import { IntervalUnit, TypeId } from "./type_ids.js";

/** Whether a table can be sorted by columns of a type. */
export function isSortable(type: DataType): boolean {
  const { typeId } = type as { typeId: number };
  if (typeId === TypeId.dictionary)
    return isSortable((type as DataType & { dictionary: DataType }).dictionary);
  if (typeId === TypeId.interval)
    return (type as unknown as { unit: number }).unit === IntervalUnit.yearMonth;
  const nested: readonly number[] = [
    ...[TypeId.list, TypeId.largeList, TypeId.fixedSizeList, TypeId.struct, TypeId.map, TypeId.union],
  ];
  return !nested.includes(typeId);
}

/**
 * Numbers the values of a column in their order: numbers, times and booleans by their value, all NaNs as
 * equal and after all numbers, -0 before +0; strings and binary values by their bytes.
 */
export async function codesOf(column: Column, argsort: Argsort): Promise<ColumnCodes> {
  const { valid } = column;
  switch (column.kind) {
    case "null":
      return { codes: [], valid: new Uint8Array(column.length) };
    case "bool":
      return { codes: [{ bits: 1, low: Uint32Array.from(column.values) }], valid };
    case "bytes":
      return { codes: narrowed([await rankBytes(column, argsort)], valid), valid };
    case "fixed":
      return { codes: await codesOfFixed(column, argsort), valid };
    case "dictionary":
      return codesOfDictionary(column, argsort);
    default:
      throw new TypeError(`a ${column.kind} column has no order`);
  }
}

async function codesOfDictionary(
  { indices, dictionary, valid, length }: ColumnOf<"dictionary">,
  argsort: Argsort,
): Promise<ColumnCodes> {
  const values = await codesOf(dictionary, argsort);
  const mapped = (of: Uint32Array) => {
    const codes = new Uint32Array(length);
    for (let row = 0; row < length; row++) codes[row] = of[indices[row]!] ?? 0;
    return codes;
  };
  const codes = values.codes.map(({ bits, low, high }) => ({
    bits,
    low: mapped(low),
    high: high && mapped(high),
  }));
  if (!values.valid) return { codes, valid };
  const both = new Uint8Array(length);
  for (let row = 0; row < length; row++) both[row] = (valid?.[row] ?? 1) & (values.valid[indices[row]!] ?? 0);
  return { codes, valid: both };
}

async function codesOfFixed(column: ColumnOf<"fixed">, argsort: Argsort): Promise<Codes[]> {
  const { type, width, values, valid, length } = column;
  const { typeId } = type as { typeId: number };
  if (typeId === TypeId.fixedSizeBinary) {
    const offsets = new Uint32Array(length + 1);
    for (let row = 0; row <= length; row++) offsets[row] = row * width;
    return narrowed([await rankBytes({ offsets, values, valid, length }, argsort)], valid);
  }
  if (typeId === TypeId.float) return narrowed([floatCodes((type as Float).precision, values)], valid);
  const isSigned = typeId !== TypeId.int || (type as Int).isSigned;
  if (width <= 4) return narrowed([smallCodes(width, isSigned, values)], valid);
  // Words from the most significant one. The sign decides first, so its bit is turned around.
  const words = new Uint32Array(values.buffer);
  const perRow = width / 4;
  const word = (place: number, flip: number) => {
    const taken = new Uint32Array(length);
    for (let row = 0; row < length; row++) taken[row] = words[row * perRow + place]! ^ flip;
    return taken;
  };
  const pairs: Codes[] = [];
  for (let place = perRow - 2; place >= 0; place -= 2) {
    const flip = isSigned && place === perRow - 2 ? 0x8000_0000 : 0;
    pairs.push({ bits: 64, high: word(place + 1, flip), low: word(place, 0) });
  }
  return narrowed(pairs, valid);
}

function smallCodes(width: number, isSigned: boolean, { buffer }: Uint8Array): Codes {
  const arrays = isSigned ? [Int8Array, Int16Array, Int32Array] : [Uint8Array, Uint16Array, Uint32Array];
  const values = new arrays[Math.log2(width)]!(buffer as ArrayBuffer);
  const low = new Uint32Array(values.length);
  const flip = isSigned ? 0x8000_0000 : 0;
  for (let row = 0; row < low.length; row++) low[row] = values[row]! ^ flip;
  return { bits: 32, low };
}

/**
 * A float is in order as an integer once its sign bit, or all bits of a negative number, are turned around.
 */
function floatCodes(precision: number, { buffer }: Uint8Array): Codes {
  if (precision === 2) {
    const words = new Uint32Array(buffer);
    const low = new Uint32Array(words.length / 2);
    const high = new Uint32Array(words.length / 2);
    for (let row = 0; row < low.length; row++) {
      const [l, h] = [words[2 * row]!, words[2 * row + 1]!];
      const magnitude = h & 0x7fff_ffff;
      const isNotANumber = magnitude > 0x7ff0_0000 || (magnitude === 0x7ff0_0000 && l !== 0);
      const flip = h >> 31;
      low[row] = isNotANumber ? 0xffff_ffff : l ^ flip;
      high[row] = isNotANumber ? 0xffff_ffff : h ^ (flip | 0x8000_0000);
    }
    return { bits: 64, low, high };
  }
  const isHalf = precision === 0;
  const words = isHalf ? new Uint16Array(buffer) : new Uint32Array(buffer);
  const infinity = isHalf ? 0x7c00_0000 : 0x7f80_0000;
  const low = new Uint32Array(words.length);
  for (let row = 0; row < low.length; row++) {
    const word = isHalf ? words[row]! << 16 : words[row]! | 0;
    const isNotANumber = (word & 0x7fff_ffff) > infinity;
    low[row] = isNotANumber ? 0xffff_ffff : word ^ ((word >> 31) | 0x8000_0000);
  }
  return { bits: 32, low };
}

/**
 * Subtracts the least code from all, so that codes have few bits: more of them then fit into one key. If the
 * most significant codes are all the same, the next ones are narrowed, too.
 */
function narrowed(codes: readonly Codes[], valid: Uint8Array | undefined): Codes[] {
  const [first, ...others] = codes;
  if (!first) return [];
  const narrow = subtractLeast(first, valid);
  return narrow.bits === 0 ? narrowed(others, valid) : [narrow, ...others];
}

function subtractLeast({ low, high }: Codes, valid: Uint8Array | undefined): Codes {
  let [leastHigh, leastLow, mostHigh, mostLow] = [0xffff_ffff, 0xffff_ffff, 0, 0];
  for (let row = 0; row < low.length; row++) {
    if (valid && valid[row] === 0) continue;
    const l = low[row]!;
    const h = high ? high[row]! : 0;
    if (h < leastHigh || (h === leastHigh && l < leastLow)) [leastHigh, leastLow] = [h, l];
    if (h > mostHigh || (h === mostHigh && l > mostLow)) [mostHigh, mostLow] = [h, l];
  }
  const rangeLow = (mostLow - leastLow) >>> 0;
  const rangeHigh = (mostHigh - leastHigh - Number(mostLow < leastLow)) >>> 0;
  if (mostHigh < leastHigh) return { bits: 0, low }; // no row has a value
  const bits = rangeHigh > 0 ? 64 - Math.clz32(rangeHigh) : 32 - Math.clz32(rangeLow);
  for (let row = 0; row < low.length; row++) {
    const l = low[row]!;
    low[row] = l - leastLow;
    if (high) high[row] = high[row]! - leastHigh - Number(l < leastLow);
  }
  return bits > 32 ? { bits, low, high } : { bits, low };
}
