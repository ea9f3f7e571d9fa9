/**
 * Twins of wgsl/shared/key*.wgsl, order*.wgsl, mix.wgsl and hash*.wgsl. A key is a bigint here, so that all widths
 * are one piece of code.
 */

export interface KeyOps {
  readonly bits: number;
  read(words: Uint32Array, index: number): bigint;
  write(words: Uint32Array, index: number, key: bigint): void;
  toOrdered(key: bigint): bigint;
  fromOrdered(ordered: bigint): bigint;
  hash(key: bigint, seed: number): number;
}

/** For a pass whose `uses` names a key of so many bits, with its ORDER and DESCENDING constants. */
export function keyOps(bits: number, constants: Readonly<Record<string, number>>): KeyOps {
  const width = BigInt(bits);
  const all = (1n << width) - 1n;
  const sign = 1n << (width - 1n);
  const negativeNans = (1n << (bits === 32 ? 23n : 52n)) - 1n;
  const flip = constants.DESCENDING === 1 ? all : 0n;
  const order = constants.ORDER ?? 0;

  return {
    bits,
    read: (words, index) => {
      if (bits === 64) return BigInt(words[2 * index]!) | (BigInt(words[2 * index + 1]!) << 32n);
      const at = index * bits;
      return BigInt((words[at >>> 5]! >>> (at & 31)) & Number(all)) & all;
    },
    write: (words, index, key) => {
      if (bits === 64) {
        words[2 * index] = Number(key & 0xffff_ffffn);
        words[2 * index + 1] = Number(key >> 32n);
        return;
      }
      const at = index * bits;
      const kept = words[at >>> 5]! & ~(Number(all) << (at & 31));
      words[at >>> 5] = bits === 32 ? Number(key) : kept | (Number(key) << (at & 31));
    },
    toOrdered: (key) => {
      if (order === 1) return key ^ sign ^ flip;
      if (order === 2) return (((key ^ (key >= sign ? all : sign)) - negativeNans) & all) ^ flip;
      return key ^ flip;
    },
    fromOrdered: (ordered) => {
      const image = ordered ^ flip;
      if (order === 1) return image ^ sign;
      if (order === 2) {
        const flipped = (image + negativeNans) & all;
        return flipped ^ (flipped >= sign ? sign : all);
      }
      return image;
    },
    hash: (key, seed) => {
      const low = Number(key & 0xffff_ffffn);
      return bits < 64 ? mix(low ^ seed) : mix(low ^ mix(Number(key >> 32n) ^ seed));
    },
  };
}

/** MurmurHash3's finalizer, as in wgsl/shared/mix.wgsl. */
export function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
