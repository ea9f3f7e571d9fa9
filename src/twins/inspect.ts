import { keyOps } from "./order.js";
import type { Dispatch } from "./twin.js";

/** The twin of wgsl/inspect.wgsl. */
export function inspect({ bindings, params, constants, keyWords }: Dispatch): void {
  const ops = keyOps(keyWords, constants);
  const [keys, totals] = bindings as [Uint32Array, Uint32Array];
  const [keyCount] = params as [number];
  for (let i = 0; i < keyCount; i++) {
    const key = ops.read(keys, i);
    totals[4] = totals[4]! + 1;
    totals[0] = totals[0]! + ops.hash(key, 0x9e3779b9);
    totals[1] = totals[1]! + ops.hash(key, 0x7f4a7c15);
    if (i + 1 < keyCount && ops.toOrdered(ops.read(keys, i + 1)) < ops.toOrdered(key)) {
      totals[2] = totals[2]! + 1;
      totals[3] = Math.max(totals[3]!, ~i >>> 0);
    }
  }
}
