import { readParams } from "../core/shaders/kernels.js";
import type { Dispatch } from "./cpu_kernel.js";
import { keyOps } from "./order.js";

/** The CPU version of wgsl/select_count.wgsl. */
export function selectCount({ bindings, params, constants, keyBits }: Dispatch): void {
  const [keys, totals] = bindings as [Uint32Array, Uint32Array];
  const { keyCount, shift, aboveLow, aboveHigh, prefixLow, prefixHigh } = readParams("select_count", params);
  const ops = keyOps(keyBits, constants);
  const above = [aboveLow, aboveHigh] as const;
  const prefix = [prefixLow, prefixHigh] as const;
  const words = keyBits === 64 ? ([0, 1] as const) : ([0] as const);
  for (let i = 0; i < keyCount; i++) {
    const ordered = ops.toOrdered(ops.read(keys, i));
    const isKnown = words.every((word) => (ops.word(ordered, word) & above[word]) >>> 0 === prefix[word]);
    if (isKnown) totals[ops.digit(ordered, shift, totals.length - 1)]!++;
  }
}
