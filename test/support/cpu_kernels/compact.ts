import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, keyOps } from "../../../src/demos/cpu/order.js";
import { isSame } from "./nans.js";

/** No chunk after it keeps a key. */
const NONE = 0xffff_ffff;

/** The CPU version of wgsl/compact/compact_count.wgsl. */
export function compactCount(dispatch: Dispatch): void {
  const chunks = dispatch.bindings[1]!;
  const { firstChunk } = readParams("compact_count", dispatch.params);
  for (let i = firstChunk; i < firstChunk + dispatch.grid[0]; i++) chunks.set([0, NONE], 2 * i);
  forEachKept(dispatch, (_, chunk, i) => {
    const at = 2 * (firstChunk + chunk);
    chunks[at]!++;
    chunks[at + 1] = Math.min(chunks[at + 1]!, i);
  });
}

/** The CPU version of wgsl/compact/compact_scan.wgsl. */
export function compactScan({ bindings, params }: Dispatch): void {
  const [found, total] = bindings as [Uint32Array, Uint32Array];
  scanChunks(found, readParams("compact_scan", params).chunks, total);
}

function scanChunks(found: Uint32Array, chunks: number, total: Uint32Array): void {
  let place = 0;
  for (let i = 0; i < chunks; i++) {
    const count = found[2 * i]!;
    found[2 * i] = place;
    place += count;
  }
  found.set([place, NONE], 2 * chunks);
  total[0] = place;
  for (let i = chunks - 1; i >= 0; i--) found[2 * i + 1] = Math.min(found[2 * i + 1]!, found[2 * i + 3]!);
}

/** The CPU version of wgsl/compact/compact_move.wgsl and compact_register_move.wgsl. */
export function compactMove(dispatch: Dispatch): void {
  const [, output, found] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const chunks = dispatch.variants.chunk_place === "summed" ? summedChunks(dispatch, found) : found;
  const { firstChunk, outputBegin, outputKeys, allKeys } = readParams("compact_move", dispatch.params);
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  // An output key takes whole words.
  const wide = keyOps(Math.max(32, dispatch.keyBits), {});
  const lengths =
    dispatch.variants.written_lengths === "all"
      ? dispatch.bindings[constant(dispatch, "LENGTHS")]
      : undefined;
  const writeLength = (at: number, length: number) => {
    if (lengths && at >= 0 && at < outputKeys) lengths[at] = length;
  };
  const total = keyTotal(dispatch, allKeys);
  /** Of each chunk: the next key's place, and the index of the last key. */
  const states = new Map<number, { place: number; last: number }>();
  forEachKept(dispatch, (key, chunk, i) => {
    const number = firstChunk + chunk;
    const state = states.get(chunk) ?? { place: chunks[2 * number]!, last: i };
    const at = state.place - outputBegin;
    if (at >= 0 && at < outputKeys) {
      wide.write(output, at, constant(dispatch, "RAW_OUTPUT") === 1 ? key : ops.toOrdered(key));
    }
    if (state.last < i) writeLength(at - 1, i - state.last);
    states.set(chunk, { place: state.place + 1, last: i });
    const isLast = state.place + 1 === chunks[2 * (number + 1)]!;
    if (isLast) writeLength(at, Math.min(chunks[2 * (number + 1) + 1]!, total) - i);
  });
}

/** The chunks as a scan leaves them; it writes the number of all keys that are kept too. */
function summedChunks(dispatch: Dispatch, found: Uint32Array): Uint32Array {
  const { keyCount, chunk } = readParams("compact_count", dispatch.params);
  const count = Math.max(1, Math.ceil(keyCount / chunk));
  const chunks = new Uint32Array(2 * (count + 1));
  chunks.set(found.subarray(0, 2 * count));
  scanChunks(chunks, count, dispatch.bindings[constant(dispatch, "TOTAL")]!);
  return chunks;
}

/** The number of keys: what the device reads, at most `planned`. */
function keyTotal(dispatch: Dispatch, planned: number): number {
  if (dispatch.variants.key_total !== "counted") return planned;
  const { countAt } = readParams("compact_count", dispatch.params);
  return Math.min(planned, dispatch.bindings[constant(dispatch, "COUNT")]![countAt]!);
}

/** Calls back for each key that is kept, with the number of its chunk in the window. */
function forEachKept(dispatch: Dispatch, take: (key: Bits, chunk: number, i: number) => void): void {
  const { bindings, params, constants, keyBits, grid } = dispatch;
  const { keyCount, begin, lead, chunk } = readParams("compact_count", params);
  const keys = bindings[0]!;
  const ops = keyOps(keyBits, constants);
  const same = isSame(keyBits, constants);
  const isKept = (i: number, key: Bits) => begin + i === 0 || !same(ops.read(keys, lead + i - 1), key);
  const end = Math.min(grid[0] * chunk, Math.max(0, keyTotal(dispatch, begin + keyCount) - begin));
  for (let i = 0; i < end; i++) {
    const key = ops.read(keys, lead + i);
    if (isKept(i, key)) take(key, Math.floor(i / chunk), begin + i);
  }
}
