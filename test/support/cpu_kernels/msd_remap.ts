import { mix } from "../../../src/core/items/mix.js";
import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, keyOps } from "../../../src/demos/cpu/order.js";
import { decimalForms, isDecimal } from "./decimals.js";
import { allKeys, writeRange } from "./key_range.js";
import { samplePlace } from "./select.js";
import { Status } from "./status.js";

const REGION_BITS = 12;
const REGIONS = 2 ** REGION_BITS;
const OCTAVE = 8;
const CODES = 2 ** 16;
const UNITS = 64;

/** The place of a float in its ordered form as a fraction of 2^64, by wgsl/msd/remap/remap_word.wgsl. */
function remapPlace(ordered: Bits, { keyBits, constants }: Dispatch): bigint {
  if (keyBits !== 64) return BigInt(ordered) << 32n;
  const all = 2n ** 64n - 1n;
  const zero = BigInt(constants.ZERO_HIGH!) << 32n;
  const isUpper = BigInt(ordered) >= zero;
  const distance = isUpper ? BigInt(ordered) - zero : zero - 1n - BigInt(ordered);
  const smallest = 896n << 52n;
  const folded = (distance - smallest) << 3n;
  const magnitude = distance < smallest ? 0n : folded >> 63n > 0n ? 2n ** 63n - 1n : folded;
  return isUpper ? magnitude | (2n ** 63n) : (all >> 1n) - magnitude;
}

/** The region of a place, and where it is in the region, as a fraction of 2^32. */
function inRegion(place: bigint): { region: number; rest: number } {
  const rest = (place >> BigInt(32 - REGION_BITS)) & 0xffff_ffffn;
  return { region: Number(place >> BigInt(64 - REGION_BITS)), rest: Number(rest) };
}

/** The code of a place as a fraction of 2^32, by wgsl/msd/remap/remap_word.wgsl. */
function remapCode(table: Uint32Array, place: bigint): number {
  const { region, rest } = inRegion(place);
  const entry = table[region]!;
  return Number(((BigInt(entry >>> 16) << 32n) + BigInt(rest) * BigInt(entry & 0xffff)) >> 16n);
}

/** What is compared of a float's ordered form, if it has a code: see wgsl/shared/compared.wgsl. */
export function remapForm(dispatch: Dispatch): (ordered: Bits) => Bits {
  const { bindings, keyBits } = dispatch;
  const table = bindings[constant(dispatch, "STATUS")]!.subarray(4);
  const codeOf = (ordered: Bits) => remapCode(table, remapPlace(ordered, dispatch));
  return keyBits === 64 ? (ordered) => BigInt(codeOf(ordered)) << 32n : codeOf;
}

/** Samples of the keys as they are stored; see wgsl/shared/mix32.wgsl. */
function sampledKeys({ bindings, keyBits, constants }: Dispatch, keyCount: number, parts: number): Bits[] {
  const ops = keyOps(keyBits, constants);
  return Array.from({ length: parts }, (_, number) =>
    ops.read(bindings[0]!, samplePlace(number, parts, keyCount)),
  );
}

/** The place of a key as it is stored. */
function placeOf(key: Bits, dispatch: Dispatch): bigint {
  const isRaw = constant(dispatch, "RAW_INPUT") === 1;
  return remapPlace(isRaw ? keyOps(dispatch.keyBits, dispatch.constants).toOrdered(key) : key, dispatch);
}

/** The CPU version of wgsl/msd/remap/msd_remap_count.wgsl. */
export function msdRemapCount(dispatch: Dispatch): void {
  const [, counts, status] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  if (status[0] !== Status.FALLBACK) return;
  const { keyCount, samples, rowSamples } = readParams("msd_remap_count", dispatch.params);
  counts.fill(0, 0, (REGIONS * samples) / rowSamples);
  sampledKeys(dispatch, keyCount, samples).forEach((key, number) => {
    const { region } = inRegion(placeOf(key, dispatch));
    counts[Math.floor(number / rowSamples) * REGIONS + region]!++;
  });
}

const withMargin = (samples: number, most: number) => samples + 1.25 * Math.sqrt(most) + 20 / (4 + samples);

/**
 * The most samples to expect in each region of an octave. The octave's neighbours nearer to 0, where the order
 * has its middle, have regions of half the width, and the others of twice the width.
 */
function expectedSamples(octave: number, octaves: readonly (readonly number[])[]): number[] {
  const samples = octaves[octave]!;
  const zero = octaves.length / 2;
  const beside = (other: number, region: number) => {
    const isBeyond = octave < zero !== other < zero;
    const isNearer = Math.abs(other + 0.5 - zero) < Math.abs(octave + 0.5 - zero);
    return isBeyond ? 0 : (octaves[other]?.[region] ?? 0) * (isNearer ? 2 : 0.5);
  };
  const around = [beside(octave - 1, OCTAVE - 1), ...samples, beside(octave + 1, 0)];
  const sum = samples.reduce((all, count) => all + count, 0);
  const mean = sum / OCTAVE;
  const deviation = samples.reduce((all, count) => all + (count - mean) ** 2, 0);
  const even = deviation <= 30 * mean ? withMargin(sum, sum) / OCTAVE : 0;
  return samples.map((count, i) => {
    const most = Math.max(count, around[i]!, around[i + 2]!);
    const dense = most > 2.5 * count ? Math.min(8 * count, most) : count;
    return Math.max(even, deviation > 14 * mean ? withMargin(dense, most) : 0);
  });
}

/** Lets whole numbers move in place of keys if all samples are decimals of few places. */
function chooseDecimals(samples: readonly bigint[], { constants }: Dispatch, status: Uint32Array): void {
  const areDecimals = (keys: readonly bigint[], power: number) =>
    keys.every((key) => isDecimal(key, { power, bias: 2 ** 29 }));
  const first = samples.slice(0, constants.WORKGROUP_SIZE);
  const power = [1, 10, 100, 1000].find((power) => areDecimals(first, power));
  if (power === undefined || !areDecimals(samples, power)) return;
  const { formOf } = decimalForms({ power, bias: 0 });
  const negative = Math.max(0, ...samples.map((key) => -formOf(key)));
  const bits = 32 - Math.clz32(negative);
  const reciprocal = 2n ** BigInt(63 + 32 - Math.clz32(power - 1)) / BigInt(power);
  const wordsOf = [0n, 32n].map((shift) => Number((reciprocal >> shift) & 0xffff_ffffn));
  status.set([power, ...wordsOf, Math.min(2 ** 29, Math.max(2 ** 10, 8 * 2 ** bits))], 4);
  status[0] = Status.DECIMALS;
}

/**
 * The CPU version of wgsl/msd/remap/msd_remap_plan.wgsl, whose floats of 32 bits may round to a neighbouring
 * code.
 */
export function msdRemapPlan(dispatch: Dispatch): void {
  const [, counts, status, range] = dispatch.bindings as readonly Uint32Array[];
  const table = status!.subarray(4);
  if (status![0] !== Status.FALLBACK) return;
  const { keyCount, rows, counted, allBits, longest, squares, equalSquares } = readParams(
    "msd_remap_plan",
    dispatch.params,
  );
  const sums = Array.from({ length: REGIONS }, (_, region) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += counts![row * REGIONS + region]!;
    return sum;
  });
  const octaves = Array.from({ length: REGIONS / OCTAVE }, (_, i) =>
    sums.slice(i * OCTAVE, (i + 1) * OCTAVE),
  );
  const weights = octaves
    .flatMap((_, octave) => expectedSamples(octave, octaves))
    .map((expected) => Math.floor(UNITS * expected));
  const perWeight = (CODES - 1) / weights.reduce((all, weight) => all + weight, 0);
  const keysPerWeight = keyCount / (counted * UNITS);
  const codesPerSegment = CODES / 2 ** allBits;
  let before = 0;
  let areAllShort = true;
  weights.forEach((weight, region) => {
    const first = Math.floor(before * perWeight);
    before += weight;
    const codes = (region === REGIONS - 1 ? CODES : Math.floor(before * perWeight)) - first;
    table![region] = (first << 16) | codes;
    const longestOf = (longest / codesPerSegment) * Math.max(codes, codesPerSegment);
    if (weight * keysPerWeight > longestOf) areAllShort = false;
  });

  const samples = sampledKeys(dispatch, keyCount, constant(dispatch, "SAMPLES"));
  const squaresOf = (binOf: (key: Bits) => number) => {
    const bins = new Array<number>(samples.length).fill(0);
    for (const key of samples) bins[mix(binOf(key)) % samples.length]!++;
    return bins.reduce((all, times) => all + times ** 2, 0);
  };
  const segmentOf = (key: Bits) => remapCode(table!, placeOf(key, dispatch)) >>> (32 - allBits);
  const wordOf = (key: Bits) => {
    const low = Number(BigInt(key) & 0xffff_ffffn);
    return (low ^ mix(dispatch.keyBits === 64 ? Number(BigInt(key) >> 32n) : low)) >>> 0;
  };
  if (!areAllShort || squaresOf(segmentOf) > squares || squaresOf(wordOf) > equalSquares) {
    if (dispatch.variants.decimals === "chosen") chooseDecimals(samples as bigint[], dispatch, status!);
    return;
  }
  status![0] = Status.REMAPPED;
  writeRange(range!, allKeys(dispatch.keyBits), dispatch.keyBits);
}
