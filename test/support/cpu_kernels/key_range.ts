import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import type { Bits } from "../../../src/demos/cpu/order.js";
import { samplePlace } from "./select.js";

/** The range of keys, as far as a sample tells: see wgsl/shared/key_range.wgsl. */
interface KeyRange {
  readonly least: bigint;
  readonly span: bigint;
  readonly unused: number;
  readonly stretch: number;
}

const wordOf = (key: bigint, word: number) => Number((key >> BigInt(32 * word)) & 0xffff_ffffn);

export function writeRange(words: Uint32Array, range: KeyRange, bits: number): void {
  const { least, span, unused, stretch } = range;
  const keys = [least, span].flatMap((key) =>
    bits === 64 ? [wordOf(key, 0), wordOf(key, 1)] : [wordOf(key, 0)],
  );
  words.set([...keys, unused, stretch]);
}

function readRange(words: Uint32Array, bits: number): KeyRange {
  const size = bits / 32;
  const key = (at: number) => BigInt(words[at]!) | (size === 2 ? BigInt(words[at + 1]!) << 32n : 0n);
  return { least: key(0), span: key(size), unused: words[2 * size]!, stretch: words[2 * size + 1]! };
}

/** The range of keys that are not normalized: ALL_KEYS of wgsl/shared/key_range.wgsl. */
export function allKeys(bits: number): KeyRange {
  return { least: 0n, span: (1n << BigInt(bits)) - 1n, unused: 0, stretch: 0 };
}

/** The range of a sample with a margin at both ends, as wgsl/shared/key_range.wgsl has it. */
export function rangeOf(keys: readonly bigint[], dispatch: Dispatch, bits: number): KeyRange {
  const all = (1n << BigInt(bits)) - 1n;
  const least = keys.reduce((a, b) => (b < a ? b : a));
  const most = keys.reduce((a, b) => (b > a ? b : a));
  const margin = (most - least) >> BigInt(constant(dispatch, "MARGIN_BITS"));
  const usedBits = (key: bigint) => (key || 1n).toString(2).length;
  const own = (1n << BigInt(usedBits(least ^ most))) - 1n;
  const reach = (toLast: bigint) => (toLast >> 1n <= margin ? toLast : margin);
  const first = least - reach(least & own);
  const span = most + reach((all ^ most) & own) - first;
  const unused = bits - usedBits(span);
  const top = wordOf(span << BigInt(unused), bits / 32 - 1);
  const stretch = Math.floor((0xffff_ffff - top) / ((top >>> 8) + 1));
  return { least: first, span, unused, stretch: stretch * constant(dispatch, "STRETCHES") };
}

/** `formsOf` for keys of 32 bits, which are numbers. */
function narrowFormsOf({ unused, stretch, ...range }: KeyRange) {
  const [least, span] = [Number(range.least), Number(range.span)];
  return {
    normalized: (ordered: Bits): Bits => ((Number(ordered) - least) << unused) >>> 0,
    denormalized: (moved: Bits): Bits => ((Number(moved) >>> unused) + least) >>> 0,
    stretched: (moved: Bits): Bits => (Number(moved) + Math.imul(Number(moved) >>> 8, stretch)) >>> 0,
    isOutside: (ordered: Bits) => (Number(ordered) - least) >>> 0 > span,
  };
}

/** The forms in which keys of a range move and take digits. */
function formsOf(given: KeyRange, bits: number) {
  if (bits === 32) return narrowFormsOf(given);
  const { least, span, unused, stretch } = given;
  const wrapped = (key: bigint) => BigInt.asUintN(bits, key);
  const asBits = (key: bigint): Bits => (bits === 64 ? key : Number(key));
  const low = BigInt(bits - 32);
  return {
    normalized: (ordered: Bits) => asBits(wrapped((BigInt(ordered) - least) << BigInt(unused))),
    denormalized: (moved: Bits) => asBits(wrapped((BigInt(moved) >> BigInt(unused)) + least)),
    stretched: (moved: Bits) => {
      const top = BigInt(moved) >> low;
      return asBits(wrapped(BigInt(moved) + (((top >> 8n) * BigInt(stretch)) << low)));
    },
    isOutside: (ordered: Bits) => wrapped(BigInt(ordered) - least) > span,
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

/** The range that a count pass finds in a sample of its own, and writes: see wgsl/msd_count.wgsl. */
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
