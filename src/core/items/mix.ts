/**
 * Mixes the bits of a word with the finalizer of MurmurHash3 (A. Appleby, public domain): a bijection of
 * 32-bit words in which every input bit affects every output bit. wgsl/shared/mix32.wgsl computes the same
 * function.
 */
export function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
