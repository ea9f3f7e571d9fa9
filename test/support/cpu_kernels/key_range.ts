import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import type { Bits } from "../../../src/demos/cpu/order.js";
import { samplePlace } from "./select.js";

/** The range of keys, as far as a sample tells: see wgsl/msd/key_range.wgsl. */
interface KeyRange {
  readonly least: bigint;
  readonly span: bigint;
  readonly gap: bigint;
  readonly belowGap: bigint;
  readonly gapBits: number;
  readonly unused: number;
  readonly stretch: number;
}

const wordOf = (key: bigint, word: number) => Number((key >> BigInt(32 * word)) & 0xffff_ffffn);

export function writeRange(words: Uint32Array, range: KeyRange, bits: number): void {
  const { least, span, gap, belowGap, gapBits, unused, stretch } = range;
  const keys = [least, span, gap, belowGap].flatMap((key) =>
    bits === 64 ? [wordOf(key, 0), wordOf(key, 1)] : [wordOf(key, 0)],
  );
  words.set([...keys, gapBits, unused, stretch]);
}

export function readRange(words: Uint32Array, bits: number): KeyRange {
  const size = bits / 32;
  const key = (at: number) => BigInt(words[at]!) | (size === 2 ? BigInt(words[at + 1]!) << 32n : 0n);
  const [least, span, gap, belowGap] = [key(0), key(size), key(2 * size), key(3 * size)];
  const [gapBits, unused, stretch] = words.subarray(4 * size) as unknown as [number, number, number];
  return { least, span, gap, belowGap, gapBits, unused, stretch };
}

/** The range of keys that are not normalized: ALL_KEYS of wgsl/msd/key_range.wgsl. */
export function allKeys(bits: number): KeyRange {
  const span = lowBits(bits);
  return { least: 0n, span, gap: 0n, belowGap: 0n, gapBits: 0, unused: 0, stretch: 0 };
}

const lowBits = (count: number) => (1n << BigInt(count)) - 1n;
const usedBits = (key: bigint) => (key === 0n ? 0 : key.toString(2).length);

/**
 * The topmost three or more bits in which no keys differ, between others; without the lowest quarter if 16 or
 * more are above, and keys may have a longer number below: of keys that an earlier pass samples, if few are in
 * its topmost quarter.
 */
function gapOf(keys: readonly bigint[], spanBits: number, isEarlier: boolean) {
  const differing = keys.reduce((bits, key) => bits | (key ^ keys[0]!), 0n).toString(2);
  const [, same = "", below = ""] = /(0{3,})(1.*)$/.exec(differing) ?? [];
  if (same === "") return undefined;
  const end = below.length + same.length;
  const low = BigInt(Math.max(below.length, 2) - 2);
  const quarter = keys.filter((key) => [0b011n, 0b100n].includes((key >> low) & 7n));
  const hasTail = !isEarlier || quarter.length < keys.length / 16;
  const begin = below.length + (hasTail && spanBits - end >= 16 ? Math.floor(same.length / 4) : 0);
  return spanBits - end < 24 ? { begin, end, bits: end - begin } : undefined;
}

/** The range of a sample with a margin at both ends, as wgsl/msd/sample_range.wgsl has it. */
export function rangeOf(keys: readonly bigint[], dispatch: Dispatch, bits: number): KeyRange {
  const all = lowBits(bits);
  const least = keys.reduce((a, b) => (b < a ? b : a));
  const most = keys.reduce((a, b) => (b > a ? b : a));
  const margin = (most - least) >> BigInt(constant(dispatch, "MARGIN_BITS"));
  const own = lowBits(usedBits(least ^ most) || 1);
  const reach = (toLast: bigint) => (toLast >> 1n <= margin ? toLast : margin);
  let first = least - reach(least & own);
  let last = most + reach((all ^ most) & own);
  const isEarlier = dispatch.variants.normalization !== "own";
  const found = gapOf(keys, usedBits(last - first), isEarlier);
  const { begin, end, bits: gapBits } = found ?? { begin: 0, end: 0, bits: 0 };
  const gap = lowBits(end) ^ lowBits(begin);
  first = ((first >> BigInt(end)) << BigInt(end)) | (least & gap);
  last |= lowBits(end);
  const closed = closeGap(last - first, begin, gapBits);
  const unused = bits - (usedBits(closed) || 1);
  const top = wordOf(closed << BigInt(unused), bits / 32 - 1);
  const stretch = Math.floor((0xffff_ffff - top) / ((top >>> 8) + 1));
  return { least: first, span: last - first, gap, belowGap: lowBits(begin), gapBits, unused, stretch };
}

/** A number without `bits` of its bits from the bit `begin` on. */
function closeGap(key: bigint, begin: number, bits: number): bigint {
  return (key & lowBits(begin)) | ((key >> BigInt(begin + bits)) << BigInt(begin));
}

/** The forms in which keys of a range move and take digits. */
function formsOf({ least, span, gap, belowGap, gapBits, unused, stretch }: KeyRange, bits: number) {
  const wrapped = (key: bigint) => BigInt.asUintN(bits, key);
  const asBits = (key: bigint): Bits => (bits === 64 ? key : Number(key));
  const [low, begin] = [BigInt(bits - 32), usedBits(belowGap)];
  return {
    normalized: (ordered: Bits) => {
      const difference = wrapped(BigInt(ordered) - least);
      return asBits(wrapped(closeGap(difference, begin, gapBits) << BigInt(unused)));
    },
    denormalized: (moved: Bits) => {
      const closed = BigInt(moved) >> BigInt(unused);
      const above = (closed >> BigInt(begin)) << BigInt(begin + gapBits);
      return asBits(wrapped((above | (closed & belowGap)) + least));
    },
    stretched: (moved: Bits) => {
      const top = BigInt(moved) >> low;
      return asBits(wrapped(BigInt(moved) + (((top >> 8n) * BigInt(stretch)) << low)));
    },
    isOutside: (ordered: Bits) => {
      const difference = wrapped(BigInt(ordered) - least);
      return difference > span || (difference & gap) !== 0n;
    },
  };
}

const same = (key: Bits) => key;

/** How keys are normalized in a pass, and back: see wgsl/shared/normalization.wgsl. */
export function normalization({ variants, constants, bindings }: Dispatch, bits: number) {
  const { normalization: kind } = variants;
  if (kind === undefined || kind === "own") {
    return { normalized: same, denormalized: same, stretched: same };
  }
  const forms = formsOf(readRange(bindings[constants.KEY_RANGE!]!, bits), bits);
  return kind === "kept" ? { ...forms, normalized: same } : forms;
}

/** Whether a key is outside of the range that an earlier pass has found. */
export function outsideTest(words: Uint32Array, bits: number): (ordered: Bits) => boolean {
  return formsOf(readRange(words, bits), bits).isOutside;
}

/** The range that a count pass finds in a sample of its own, and writes: see wgsl/msd/msd_count.wgsl. */
export function sampledForms(
  dispatch: Dispatch,
  bits: number,
  keyCount: number,
  orderedAt: (at: number) => Bits,
) {
  if (dispatch.variants.normalization !== "own") return undefined;
  const samples = constant(dispatch, "SAMPLED");
  const keys = Array.from({ length: samples }, (_, i) =>
    BigInt(orderedAt(samplePlace(i, samples, keyCount))),
  );
  const areEqual = keys.every((key) => key === keys[0]);
  const range = areEqual ? allKeys(bits) : rangeOf(keys, dispatch, bits);
  writeRange(dispatch.bindings[constant(dispatch, "SAMPLED_RANGE")]!, range, bits);
  return formsOf(range, bits);
}

/** The topmost word of a key of the range as it takes digits. */
export function topOf(range: KeyRange, bits: number): (ordered: Bits) => number {
  const { normalized, stretched } = formsOf(range, bits);
  return (ordered) => wordOf(BigInt(stretched(normalized(ordered))), bits / 32 - 1);
}
