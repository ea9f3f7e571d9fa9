import { readParams } from "../core/shaders/kernels.js";
import { constant, type Dispatch } from "./cpu_kernel.js";
import { type Bits, isSame, keyOps } from "./order.js";

/** The CPU version of wgsl/compact_count.wgsl. */
export function compactCount(dispatch: Dispatch): void {
  const counts = dispatch.bindings[1]!;
  const { firstChunk } = readParams("compact_count", dispatch.params);
  counts.fill(0, firstChunk, firstChunk + dispatch.grid[0]);
  forEachKept(dispatch, (_, chunk) => {
    counts[firstChunk + chunk]!++;
  });
}

/** The CPU version of wgsl/compact_move.wgsl. */
export function compactMove(dispatch: Dispatch): void {
  const [, output, starts] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { firstChunk, outputBegin, outputKeys } = readParams("compact_move", dispatch.params);
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  // An output key takes whole words.
  const wide = keyOps(Math.max(32, dispatch.keyBits), {});
  const places = new Map<number, number>();
  forEachKept(dispatch, (key, chunk) => {
    const place = places.get(chunk) ?? starts[firstChunk + chunk]!;
    places.set(chunk, place + 1);
    const at = place - outputBegin;
    if (at < 0 || at >= outputKeys) return;
    wide.write(output, at, constant(dispatch, "RAW_OUTPUT") === 1 ? key : ops.toOrdered(key));
  });
}

/** Calls back for each key that is kept, with the number of its chunk in the window. */
function forEachKept(dispatch: Dispatch, take: (key: Bits, chunk: number) => void): void {
  const { bindings, params, constants, keyBits, grid } = dispatch;
  const { keyCount, begin, lead, chunk, boundLow, boundHigh } = readParams("compact_count", params);
  const keys = bindings[0]!;
  const ops = keyOps(keyBits, constants);
  const same = isSame(keyBits, constants);
  const bound = ops.of(boundLow, boundHigh);
  const isKept = (i: number, key: Bits) =>
    constants.BOUNDED === 1
      ? ops.toOrdered(key) <= bound
      : begin + i === 0 || !same(ops.read(keys, lead + i - 1), key);
  const end = Math.min(keyCount, grid[0] * chunk);
  for (let i = 0; i < end; i++) {
    const key = ops.read(keys, lead + i);
    if (isKept(i, key)) take(key, Math.floor(i / chunk));
  }
}
