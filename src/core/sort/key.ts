import type { ElementType, KeyOrder } from "../elements.js";
import type { Plan } from "../plan/plan.js";

/**
 * Kernels compute indices in 32 bits, and the end of a chunk that reaches past the last key must not wrap
 * around.
 */
export const MAX_KEYS = 2 ** 31;

/** In the place of an algorithm's name: there was nothing to sort. */
export const IN_ORDER = "none (already in order)";

/** @throws RangeError unless `keyCount` is a whole number from 0 to MAX_KEYS. */
export function requireKeyCount(keyCount: number): void {
  if (!Number.isInteger(keyCount) || keyCount < 0 || keyCount > MAX_KEYS) {
    throw new RangeError(`cannot plan a sort of ${keyCount} keys: pass a whole number from 0 to ${MAX_KEYS}`);
  }
}

/** The direction of a sort. Descending order is the exact reverse of the ascending order of keys. */
export interface Direction {
  /** Whether the greatest key comes first. */
  readonly descending: boolean;
}

/**
 * The bits of a key that a sort compares: bits `begin` to `end` - 1, where 0 is the least significant bit. Keys
 * that are equal in these bits keep their order. They are bits of the key's ordered form
 * (wgsl/shared/order.wgsl), which for unsigned keys in ascending order is the key itself; in that of a float,
 * no range is the exponent. All NaNs count as one key, whose bits are all set, or all clear in descending
 * order.
 */
export interface KeyBits {
  /** The least significant of the bits, from 0 on. */
  readonly begin: number;
  /** One more than the most significant of the bits: `begin` for none, at most the bits of the key. */
  readonly end: number;
}

/**
 * What the sort moves with each key: a value of this many bytes, a multiple of 4, or 0 for none; or "index"
 * for the key's index in the input, which the sort generates.
 */
export type Payload = number | "index";

/**
 * What moves with the keys: the variants of wgsl/shared/values.wgsl, and of wgsl/segments/segments_keys.wgsl.
 */
export type ValuesVariant = "index" | "word" | undefined;

/** How many keys lie in how many segments. */
export interface SegmentCounts {
  /** The keys in the buffer "keys". */
  readonly keyCount: number;
  /** The segments. The buffer "segments" holds one offset more. */
  readonly segmentCount: number;
}

/** The options of a sort. */
export interface SortOptions extends Direction {
  /** The bits to sort by; all bits of the key by default. */
  readonly bits?: KeyBits | undefined;
  /**
   * A range that contains every bit in which the keys differ, as an inspection found it. Other bits take no
   * pass. The default is all bits.
   */
  readonly varying?: KeyBits | undefined;
  /** What is moved with each key; nothing by default. */
  readonly payload?: Payload | undefined;
  /**
   * Whether the result is only what moves with the keys. The last pass then does not write the keys. This needs
   * a payload.
   */
  readonly dropKeys?: boolean | undefined;
  /**
   * Whether the sort must leave the buffers "keys" and "values" unchanged. If not, it uses them as scratch.
   */
  readonly keepInput?: boolean | undefined;
  /**
   * Whether the device reads the number of keys from a word in the buffer "count". A number over the plan's
   * number of keys counts as the plan's.
   */
  readonly counted?: boolean | undefined;
  /** The index of that word; 0 by default. */
  readonly countAt?: number | undefined;
  /** How many of the sorted keys are selected: the first ones. The default is all. */
  readonly top?: number | undefined;
  /** Whether the selected keys may be in any order; the default is false. */
  readonly unsorted?: boolean | undefined;
  /**
   * Whether the sort runs only once. The plan then avoids kernels that save less time than they take to
   * compile.
   */
  readonly once?: boolean | undefined;
}

/** The options of a sort of which only the first keys are selected. */
export interface TopOptions extends SortOptions {
  readonly top: number;
}

/**
 * A plan that reads keys from the buffer "keys", and values, if there are any, from the buffer "values". Its
 * result is the sorted keys, or, if these are dropped, the values.
 */
export interface SortPlan extends Plan {
  /** The buffer that holds the values or the indices after the last pass, in the order of their keys. */
  readonly values?: string;
  /**
   * The buffer that tells what was selected, for `readSelected`; absent if all keys are sorted. If there is
   * one, only the selected keys are at the begin of the result, and "keys" and "values" are unchanged.
   */
  readonly selection?: string;
  /**
   * The buffer of the places where the result of each segment begins, and of the one where the last ends, if
   * only the first keys of segments are selected.
   */
  readonly starts?: string;
  /** The buffer whose first word is the number of distinct keys, if the plan keeps only these. */
  readonly distinct?: string;
  /** The buffer that tells how often each of them occurs. */
  readonly runLengths?: string;
}

/** The low word and the high word of an ordered form; a form of one word has the low one. */
export type Bound = readonly [low: number, high: number];

/** A mask of those bits of a range that lie in the word whose lowest bit is `shift`. */
export function maskOf({ begin, end }: KeyBits, shift: 0 | 32): number {
  const from = Math.min(32, Math.max(0, begin - shift));
  const to = Math.min(32, Math.max(0, end - shift));
  return 2 ** to - 2 ** Math.min(from, to);
}

/** The range of all bits of a key. */
export function allBits(type: ElementType): KeyBits {
  return { begin: 0, end: 8 * type.bytes };
}

/**
 * Whether a sort is plain: keys without values, by all of their bits, in place. Every algorithm can do
 * that with keys of 32 and 64 bits.
 */
export function isPlain({ bits, payload, keepInput, counted }: SortOptions): boolean {
  return bits === undefined && !payload && !keepInput && !counted;
}

/** The variant of the WGSL slot "key" (wgsl/shared/key.wgsl) that reads and writes keys of a type. */
export function keyVariant({ bytes }: ElementType): "8" | "16" | "32" | "64" {
  return `${(8 * bytes) as 8 | 16 | 32 | 64}`;
}

/** The variants and constants that tell a kernel how its keys are stored and ordered. */
export interface KeyParts {
  readonly variants: { readonly key: "8" | "16" | "32" | "64"; readonly order: "32" | "64" };
  readonly constants: { readonly ORDER: number; readonly DESCENDING: number; readonly KEY_BITS?: number };
}

/** The values of the constant ORDER in wgsl/shared/order.wgsl. */
const orderNumbers: Record<KeyOrder, number> = { unsigned: 0, signed: 1, float: 2 };

/** For keys as the caller stores them. */
export function keyParts(type: ElementType, { descending }: Direction): KeyParts {
  const constants = { ORDER: orderNumbers[type.order], DESCENDING: descending ? 1 : 0 };
  return type.words === 2
    ? { variants: { key: "64", order: "64" }, constants }
    : {
        variants: { key: keyVariant(type), order: "32" },
        constants: { ...constants, KEY_BITS: 8 * type.bytes },
      };
}

/**
 * Whether a sort shows the order of equal keys: by their values, by their indices, or by the bits that it
 * does not compare. It is then stable, and all NaNs are equal. Otherwise NaNs are ordered by their bits,
 * which takes no time.
 */
export function showsTies({ payload, bits }: SortOptions): boolean {
  return Boolean(payload) || bits !== undefined;
}

/** The variant and the constants that tell a kernel what to compare of a key: see wgsl/shared/compared.wgsl. */
export interface ComparedParts {
  readonly variants: {
    readonly compared: "ordered" | "nans_equal";
    readonly nans?: "32" | "64" | undefined;
  };
  readonly constants: { readonly NANS_FIRST?: number; readonly FLOAT_BITS?: number };
}

/** For the kernels of a sort, whether its keys are raw or in their ordered form. */
export function comparedParts(type: ElementType, options: SortOptions): ComparedParts {
  if (type.order !== "float" || !showsTies(options)) {
    return { variants: { compared: "ordered" }, constants: {} };
  }
  const constants = { NANS_FIRST: options.descending ? 1 : 0 };
  return type.words === 2
    ? { variants: { compared: "nans_equal", nans: "64" }, constants }
    : {
        variants: { compared: "nans_equal", nans: "32" },
        constants: { ...constants, FLOAT_BITS: 8 * type.bytes },
      };
}

/**
 * For keys that are already in their ordered form. They are plain unsigned words, so one kernel serves all
 * types with the same number of words.
 */
export function orderedParts({ words }: ElementType): KeyParts {
  const constants = { ORDER: 0, DESCENDING: 0 };
  return words === 2
    ? { variants: { key: "64", order: "64" }, constants }
    : { variants: { key: "32", order: "32" }, constants: { ...constants, KEY_BITS: 32 } };
}

/** The bits of a key that one pass of a radix sort sorts by. */
export interface Digit {
  /** The lowest bit. */
  readonly shift: number;
  /** One less than the number of values that the digit can have. */
  readonly mask: number;
}

/**
 * Cuts a range of bits into digits, least significant first. A digit has at most `maxBits` bits and never
 * spans two words. An empty range has no digits.
 */
export function digitsOf({ begin, end }: KeyBits, maxBits: number): Digit[] {
  const digits: Digit[] = [];
  for (let shift = begin; shift < end; ) {
    const limit = shift < 32 && end > 32 ? 32 : end;
    const after = Math.min(shift + maxBits, limit);
    digits.push({ shift, mask: 2 ** (after - shift) - 1 });
    shift = after;
  }
  return digits;
}
