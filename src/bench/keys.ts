import type { ElementType, KeyArray } from "../elements.js";

/**
 * `keyCount` uniformly random bit patterns of a type, the same for the same seed: xorshift32 (G. Marsaglia,
 * "Xorshift RNGs", 2003) with a multiplied output. Of floats about one in 256 (f32) is a NaN.
 */
export function randomKeys(type: ElementType, keyCount: number, seed: number): KeyArray {
  const words = new Uint32Array(Math.ceil((keyCount * type.bytes) / 4));
  let state = seed >>> 0 || 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = Math.imul(state, 0x9e3779b1);
  }
  return new type.array(words.buffer, 0, keyCount);
}
