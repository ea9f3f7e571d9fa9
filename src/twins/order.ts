/**
 * Twins of wgsl/shared/key*.wgsl, order*.wgsl, mix.wgsl and hash*.wgsl. A key is a bigint here, one word or
 * two, so that both widths are one piece of code.
 */

export interface KeyOps {
  readonly words: number;
  read(words: Uint32Array, index: number): bigint;
  write(words: Uint32Array, index: number, key: bigint): void;
  toOrdered(key: bigint): bigint;
  fromOrdered(ordered: bigint): bigint;
  hash(key: bigint, seed: number): number;
}

/** For a pass whose `uses` names key32 or key64, with its ORDER and DESCENDING constants. */
export function keyOps(words: number, constants: Readonly<Record<string, number>>): KeyOps {
  const bits = BigInt(32 * words);
  const all = (1n << bits) - 1n;
  const sign = 1n << (bits - 1n);
  const negativeNans = (1n << (words === 1 ? 23n : 52n)) - 1n;
  const flip = constants.DESCENDING === 1 ? all : 0n;
  const order = constants.ORDER ?? 0;

  return {
    words,
    read: (array, index) =>
      words === 1
        ? BigInt(array[index]!)
        : BigInt(array[2 * index]!) | (BigInt(array[2 * index + 1]!) << 32n),
    write: (array, index, key) => {
      array[words * index] = Number(key & 0xffff_ffffn);
      if (words === 2) array[2 * index + 1] = Number(key >> 32n);
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
      return words === 1 ? mix(low ^ seed) : mix(low ^ mix(Number(key >> 32n) ^ seed));
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
