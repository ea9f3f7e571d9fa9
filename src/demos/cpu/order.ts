import { mix } from "../../core/items/mix.js";

/** The bits of a key or of its ordered form, as an unsigned integer: a bigint for keys of 64 bits. */
export type Bits = number | bigint;

/** The arithmetic of wgsl/shared/{key,order,mix32}.wgsl and wgsl/inspect/hash.wgsl, for one width. */
export interface KeyOps {
  readonly bits: number;
  /** The bits of a low word and a high word; narrow bits have only the low one. */
  of(low: number, high: number): Bits;
  read(words: Uint32Array, index: number): Bits;
  write(words: Uint32Array, index: number, key: Bits): void;
  toOrdered(key: Bits): Bits;
  fromOrdered(ordered: Bits): Bits;
  hash(key: Bits, seed: number): number;
  /** A word of the bits: 0 is the low one, 1 the high one. */
  word(bits: Bits, index: 0 | 1): number;
  /** A digit of at most 16 bits. */
  digit(bits: Bits, shift: number, mask: number): number;
  /** Bits `begin` to `end` - 1, shifted down. */
  field(bits: Bits, begin: number, end: number): Bits;
}

/**
 * The operations on keys of a width.
 *
 * @param bits 8, 16, 32 or 64.
 * @param constants the program's: ORDER (0 unsigned, 1 signed, 2 float) and DESCENDING (1 or 0) are used.
 */
export function keyOps(bits: number, constants: Readonly<Record<string, number>>): KeyOps {
  const { ORDER = 0, DESCENDING = 0 } = constants;
  return (
    bits === 64 ? wideOps(ORDER, DESCENDING === 1) : narrowOps(bits, ORDER, DESCENDING === 1)
  ) as KeyOps;
}

/**
 * The operations on keys of up to 32 bits. Bitwise operators give signed numbers; `>>> 0` makes them
 * unsigned.
 */
function narrowOps(bits: number, order: number, descending: boolean) {
  const all = 2 ** bits - 1;
  const sign = 2 ** (bits - 1);
  const negativeNans = bits === 16 ? 0x03ff : 0x007f_ffff;
  const flip = descending ? all : 0;
  return {
    bits,
    of: (low: number) => low,
    read: (words: Uint32Array, index: number) => {
      const at = index * bits;
      return ((words[at >>> 5]! >>> (at & 31)) & all) >>> 0;
    },
    write: (words: Uint32Array, index: number, key: number) => {
      const at = index * bits;
      words[at >>> 5] = (words[at >>> 5]! & ~(all << (at & 31))) | (key << (at & 31));
    },
    toOrdered: (key: number) => {
      if (order === 1) return (key ^ sign ^ flip) >>> 0;
      if (order === 2) return ((((key ^ (key >= sign ? all : sign)) - negativeNans) & all) ^ flip) >>> 0;
      return (key ^ flip) >>> 0;
    },
    fromOrdered: (ordered: number) => {
      const ascending = (ordered ^ flip) >>> 0;
      if (order === 1) return (ascending ^ sign) >>> 0;
      if (order === 2) {
        const flipped = ((ascending + negativeNans) & all) >>> 0;
        return (flipped ^ (flipped >= sign ? sign : all)) >>> 0;
      }
      return ascending;
    },
    hash: (key: number, seed: number) => mix(key ^ seed),
    word: (key: number, index: 0 | 1) => (index === 0 ? key : 0),
    digit: (key: number, shift: number, mask: number) => (key >>> shift) & mask,
    field: (key: number, begin: number, end: number) => Math.floor(key / 2 ** begin) % 2 ** (end - begin),
  };
}

/** A key of 64 bits, and its words in the same memory: arithmetic of bigints takes several times as long. */
const wide = new BigUint64Array(1);
const halves = new Uint32Array(wide.buffer);

function low(key: bigint): number {
  wide[0] = key;
  return halves[0]!;
}

function high(key: bigint): number {
  wide[0] = key;
  return halves[1]!;
}

function wideOf(low: number, high: number): bigint {
  halves[0] = low;
  halves[1] = high;
  return wide[0]!;
}

function wideOps(order: number, descending: boolean) {
  const all = (1n << 64n) - 1n;
  const sign = 1n << 63n;
  const negativeNans = (1n << 52n) - 1n;
  const flip = descending ? all : 0n;
  return {
    bits: 64,
    of: wideOf,
    read: (words: Uint32Array, index: number) => wideOf(words[2 * index]!, words[2 * index + 1]!),
    write: (words: Uint32Array, index: number, key: bigint) => {
      words[2 * index] = low(key);
      words[2 * index + 1] = high(key);
    },
    toOrdered: (key: bigint) => {
      if (order === 1) return key ^ sign ^ flip;
      if (order === 2) return (((key ^ (key >= sign ? all : sign)) - negativeNans) & all) ^ flip;
      return key ^ flip;
    },
    fromOrdered: (ordered: bigint) => {
      const ascending = ordered ^ flip;
      if (order === 1) return ascending ^ sign;
      if (order === 2) {
        const flipped = (ascending + negativeNans) & all;
        return flipped ^ (flipped >= sign ? sign : all);
      }
      return ascending;
    },
    hash: (key: bigint, seed: number) => mix(low(key) ^ mix(high(key) ^ seed)),
    word: (key: bigint, index: 0 | 1) => (index === 0 ? low(key) : high(key)),
    digit: (key: bigint, shift: number, mask: number) => {
      if (shift >= 32) return (high(key) >>> (shift - 32)) & mask;
      return ((low(key) >>> shift) | ((high(key) << 1) << (31 - shift))) & mask;
    },
    field: (key: bigint, begin: number, end: number) =>
      (key >> BigInt(begin)) & ((1n << BigInt(end - begin)) - 1n),
  };
}
