import { keyOps, mix } from "./order.js";
import { constant, type Dispatch } from "./twin.js";

/** The twin of wgsl/inspect.wgsl. */
export function inspect(dispatch: Dispatch): void {
  const { bindings, params, constants, keyBits, uses } = dispatch;
  const ops = keyOps(keyBits, constants);
  const [keys, totals] = bindings as [Uint32Array, Uint32Array];
  const [keyCount, , begin, neighbours] = params as [number, number, number, number];
  const words = constant(dispatch, "VALUE_WORDS");
  const values = bindings[constants.VALUES ?? 0]!;
  const valueWord = (i: number, word: number) =>
    uses.includes("inspect_index") ? begin + i : values[i * words + word]!;
  const mask = BigInt(constant(dispatch, "MASK_LOW")) | (BigInt(constant(dispatch, "MASK_HIGH")) << 32n);
  const add = (word: number, value: number) => {
    totals[word] = totals[word]! + value;
  };
  const or = (word: number, bits: bigint) => {
    totals[word]! |= Number(bits & 0xffff_ffffn);
    totals[word + 1]! |= Number(bits >> 32n);
  };
  const all = (1n << BigInt(Math.max(32, keyBits))) - 1n;
  for (let i = 0; i < keyCount; i++) {
    const key = ops.read(keys, i);
    const image = ops.toOrdered(key);
    for (const [word, seed] of [0x9e3779b9, 0x7f4a7c15].entries()) {
      let hash = ops.hash(key, seed);
      for (let part = 0; part < words; part++) hash = mix(hash ^ valueWord(i, part));
      add(word, hash);
    }
    add(4, 1);
    or(5, image);
    or(7, ~image & all);
    if (i >= neighbours) continue;
    const before = image & mask;
    const after = ops.toOrdered(ops.read(keys, i + 1)) & mask;
    const unstable = constants.STABLE === 1 && after === before && valueWord(i + 1, 0) <= valueWord(i, 0);
    if (after < before || unstable) {
      add(2, 1);
      totals[3] = Math.max(totals[3]!, ~(begin + i) >>> 0);
    }
  }
}
