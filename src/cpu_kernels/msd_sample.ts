import { mix } from "../core/items/mix.js";
import { readParams } from "../core/shaders/kernels.js";
import { constant, type Dispatch } from "./cpu_kernel.js";
import { fewKeys, listFew } from "./few_keys.js";
import { ARE_SPREAD } from "./msd_spread.js";
import { type Bits, keyOps } from "./order.js";
import { samplePlace } from "./select.js";

/**
 * The topmost bits that keys share, as wgsl/msd_sample.wgsl or a count has found them: see
 * wgsl/shared/shared_bits/.
 */
interface SharedBits {
  readonly count: number;
  readonly mask: bigint;
  readonly value: bigint;
}

function readShared(words: Uint32Array, bits: number): SharedBits {
  const [count = 0, ...keys] = words;
  const key = (at: number) =>
    bits === 64 ? BigInt(keys[2 * at + 1]!) | (BigInt(keys[2 * at + 2]!) << 32n) : BigInt(keys[at]!);
  return { count, mask: key(0), value: key(1) };
}

/** Rotates a key towards its topmost bit. */
function rotate(key: Bits, count: number, bits: number): Bits {
  const up = BigInt(count % bits);
  const turned = BigInt.asUintN(bits, (BigInt(key) << up) | (BigInt(key) >> (BigInt(bits) - up)));
  return bits === 64 ? turned : Number(turned);
}

/** The topmost bits that keys share. */
function bitsShared(keys: readonly bigint[], bits: number): SharedBits {
  const difference = keys.reduce((all, key) => all | (key ^ keys[0]!), 0n);
  const count = bits - (difference === 0n ? 0 : difference.toString(2).length);
  const mask = ((1n << BigInt(count)) - 1n) << BigInt(bits - count);
  return { count, mask, value: keys[0]! & mask };
}

function writeShared(words: Uint32Array, { count, mask, value }: SharedBits, bits: number): void {
  const word = (key: bigint) => [Number(key & 0xffff_ffffn), Number(key >> 32n)];
  words.set(bits === 64 ? [count, 0, ...word(mask), ...word(value)] : [count, Number(mask), Number(value)]);
}

/** What a count pass finds in its own sample, and writes for later passes: see wgsl/shared/first_look/. */
export function firstLook(
  { variants, constants, bindings }: Dispatch,
  bits: number,
  keyCount: number,
  orderedAt: (at: number) => Bits,
) {
  if (!variants.first_look?.startsWith("taken_")) return undefined;
  const samples = constants.LOOKED_AT!;
  const keys = Array.from({ length: samples }, (_, i) =>
    BigInt(orderedAt(samplePlace(i, samples, keyCount))),
  );
  const areEqual = keys.every((key) => key === keys[0]);
  const shared = areEqual ? { count: 0, mask: 0n, value: 0n } : bitsShared(keys, bits);
  writeShared(bindings[constants.LOOKED_BITS!]!, shared, bits);
  return {
    rotated: (ordered: Bits) => rotate(ordered, shared.count, bits),
    isOutlier: (ordered: Bits) => (BigInt(ordered) & shared.mask) !== shared.value,
  };
}

/**
 * How the keys of a pass are rotated when it reads them, or back when it writes them: see
 * wgsl/shared/rotation/.
 */
export function rotation({ variants, constants, bindings }: Dispatch, bits: number) {
  if (!variants.rotation?.startsWith("shared_")) {
    return { rotated: (ordered: Bits) => ordered, unrotated: (moved: Bits) => moved };
  }
  const { count } = readShared(bindings[constants.SHARED_BITS!]!, bits);
  return {
    rotated: (ordered: Bits) => rotate(ordered, count, bits),
    unrotated: (moved: Bits) => rotate(moved, bits - count, bits),
  };
}

/** Whether a key lacks the shared bits. */
export function outlierTest(words: Uint32Array, bits: number): (ordered: Bits) => boolean {
  const { mask, value } = readShared(words, bits);
  return (ordered) => (BigInt(ordered) & mask) !== value;
}

/** Whether a sort has been given up after its sample: see wgsl/shared/refused/. */
export function isRefused(dispatch: Dispatch, fits: Uint32Array): boolean {
  const { refused } = dispatch.variants;
  if (refused === "never") return false;
  if (refused === "unless_spread") return fits[0] !== ARE_SPREAD;
  return fits[0] !== 1 || dispatch.bindings[constant(dispatch, "OUTLIERS")]![0] !== 0;
}

/** What `fits` becomes then. */
export function fitsIfRefused(dispatch: Dispatch, fits: Uint32Array): number {
  if (dispatch.variants.refused === "unless_spread") return fits[0]!;
  return dispatch.bindings[constant(dispatch, "OUTLIERS")]![0] === 0 ? fits[0]! : 0;
}

/** The place of a sample: see wgsl/shared/msd_samples.wgsl. */
export function randomPlace(number: number, keyCount: number): number {
  return Number((BigInt(mix(number)) * BigInt(keyCount)) >> 32n);
}

/** The CPU version of wgsl/msd_sample.wgsl. */
export function msdSample(dispatch: Dispatch): void {
  const { keyBits: bits, constants } = dispatch;
  const [input, found, fits, outliers] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { keyCount, longest, squares } = readParams("msd_sample", dispatch.params);
  const samples = constant(dispatch, "SAMPLES");
  const ops = keyOps(bits, constants);
  const isRaw = constant(dispatch, "RAW_INPUT") === 1;
  const keys = Array.from({ length: samples }, (_, i) => {
    const key = ops.read(input, randomPlace(i, keyCount));
    return BigInt(isRaw ? ops.toOrdered(key) : key);
  });
  const first = keys.slice(0, samples / 2);
  const shared = bitsShared(first, bits);
  writeShared(found, shared, bits);

  const [timesTop, timesBin] = [new Map<number, number>(), new Map<number, number>()];
  const add = (times: Map<number, number>, at: number) => times.set(at, (times.get(at) ?? 0) + 1);
  for (const key of first) {
    const top = Number(BigInt(rotate(key, shared.count, bits)) >> BigInt(bits - 32));
    add(timesTop, top >>> (32 - constant(dispatch, "TOP_BITS")));
    add(timesBin, mix(top >>> (32 - constant(dispatch, "ALL_BITS"))) % samples);
  }
  const sum = [...timesBin.values()].reduce((total, times) => total + times ** 2, 0);
  const isSpread = Math.max(...timesTop.values()) <= longest && sum <= squares;
  fits[0] = shared.count < bits && isSpread ? 1 : 0;
  outliers[0] = 0;
  const few = fewKeys(dispatch);
  if (few && fits[0] === 0) fits[0] = listFew(few, keys);
}
