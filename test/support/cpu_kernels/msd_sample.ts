import { mix } from "../../../src/core/items/mix.js";
import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { keyOps } from "../../../src/demos/cpu/order.js";
import { rangeOf, topOf, writeRange } from "./key_range.js";
import { distinctKeys, listDistinct } from "./low_cardinality.js";
import { Status } from "./status.js";

/** What `status` is to be if all segments fit: see wgsl/msd/msd_plan.wgsl. */
export function statusIfFit(dispatch: Dispatch, status: Uint32Array): number {
  if (!dispatch.variants.after) return Status.FITS;
  return dispatch.bindings[constant(dispatch, "OUTLIERS")]![0] === 0 ? status[0]! : Status.FALLBACK;
}

/** The place of a sample: see wgsl/msd/msd_sample.wgsl. */
export function randomPlace(number: number, keyCount: number): number {
  return Number((BigInt(mix(number)) * BigInt(keyCount)) >> 32n);
}

/** The CPU version of wgsl/msd/msd_sample.wgsl. */
export function msdSample(dispatch: Dispatch): void {
  const { keyBits: bits, constants } = dispatch;
  const [input, found, status, outliers] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { keyCount, topBits, allBits, longest, squares, unused } = readParams("msd_sample", dispatch.params);
  const samples = constant(dispatch, "SAMPLES");
  const ops = keyOps(bits, constants);
  const isRaw = constant(dispatch, "RAW_INPUT") === 1;
  const keys = Array.from({ length: samples }, (_, i) => {
    const key = ops.read(input, randomPlace(i, keyCount));
    return BigInt(isRaw ? ops.toOrdered(key) : key);
  });
  const first = keys.slice(0, samples / 2);
  const range = rangeOf(first, dispatch, bits);
  writeRange(found, range, bits);
  const topOfKey = topOf(range, bits);

  const [timesTop, timesBin] = [new Map<number, number>(), new Map<number, number>()];
  const add = (times: Map<number, number>, at: number) => times.set(at, (times.get(at) ?? 0) + 1);
  for (const key of first) {
    const top = topOfKey(bits === 64 ? key : Number(key));
    add(timesTop, top >>> (32 - topBits));
    add(timesBin, mix(top >>> (32 - allBits)) % samples);
  }
  const sum = [...timesBin.values()].reduce((total, times) => total + times ** 2, 0);
  const isEven = Math.max(...timesTop.values()) <= longest && sum <= squares;
  const fits = first.some((key) => key !== first[0]) && isEven;
  status[0] = range.unused >= unused ? Status.EQUAL_SEGMENTS : fits ? Status.FITS : Status.FALLBACK;
  outliers[0] = 0;
  const distinct = distinctKeys(dispatch);
  if (distinct && !fits && listDistinct(distinct, keys)) status[0] = Status.LOW_CARDINALITY;
}
