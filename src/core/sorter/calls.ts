import type { Words32 } from "../bytes.js";
import {
  arrayClasses,
  type ElementType,
  elementType,
  type KeyArray,
  type TypeName,
  typeOfArray,
} from "../elements.js";
import type { SortJob } from "../engines/engine.js";
import { InputError } from "../errors.js";
import type { AbortSignal } from "../host_types.js";
import { requireKnown, requireSwitches, shown } from "../names.js";
import type { KeyBits, Payload } from "../sort/key.js";
import { classOf, overlap, requireMemory, type TypedArray } from "./arrays.js";
import { requireBits, requireTop } from "./description.js";
import { requireOffsets } from "./segment_offsets.js";

/** The options of `sort`, `sortPairs` and `argsort`. */
export interface SortCall {
  /**
   * The type of the keys, for a Uint16Array that holds the bits of 16-bit floats: "f16". Other arrays say their
   * type, a Float16Array too, which not every runtime has.
   */
  readonly type?: TypeName | undefined;
  /** Whether to sort in the exact reverse of the ascending order. Equal keys keep their order either way. */
  readonly descending?: boolean | undefined;
  /**
   * The bits of a key that decide the order: `begin` up to, but not including, `end`, where 0 is the least
   * significant bit. They are those of the ordered form: see `KeyBits`. The default is all bits.
   */
  readonly bits?: KeyBits | undefined;
  /**
   * The number of sorted keys that the result holds: the first ones, or the greatest if `descending`; all if
   * there are fewer. If equal keys are at the end of it, they are the first ones in the input. The default is
   * all keys. With `segments`, it is the number for each segment, and all of one that has fewer; the result has
   * those of each segment, one segment after the other.
   */
  readonly top?: number | undefined;
  /** False if the `top` items may be in any order. The default is true. */
  readonly sorted?: boolean | undefined;
  /**
   * Whether to check the result on the device before it is returned: that it is in order, and that it holds
   * the keys of the input. The default is true.
   */
  readonly verify?: boolean | undefined;
  /**
   * Aborts the call, which then rejects with the signal's reason and writes nothing. The signal has no effect
   * once the result is being written.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Sorts segments of the arrays, each by itself, instead of the whole arrays: S + 1 numbers for S segments,
   * which ascend from 0 to the number of keys. Segment s has the keys from segments[s] up to, but not
   * including, segments[s + 1]; equal numbers are an empty segment. Indices count from the first key of the
   * array, not of the segment. The default is one segment of all keys.
   */
  readonly segments?: Uint32Array | undefined;
}

/** The options of `lexsort`. */
export interface LexsortCall extends Pick<SortCall, "verify" | "signal"> {
  /** Whether the order is descending: a value for all arrays, or an array of one for each. Default: false. */
  readonly descending?: boolean | readonly boolean[] | undefined;
}

/** The options of `unique`. */
export interface UniqueCall extends Pick<SortCall, "type" | "descending" | "verify" | "signal"> {
  /**
   * Whether to count how often each key occurs. The counts take up to 4 bytes per key of memory, also on a GPU.
   * The default is false.
   */
  readonly counts?: boolean | undefined;
}

/** Distinct keys in order, and how often each occurs if that was asked for. */
export interface UniqueKeys<K> {
  /** Each key once, as an array of the class of the input. */
  readonly keys: K;
  /** For each of these keys, how often it occurs in the input. Absent unless `counts` is set. */
  readonly counts?: Words32;
}

/** Keys, and a value for each key in the same order. */
export interface KeyedValues<K, V> {
  /** The keys in sorted order. */
  readonly keys: K;
  /** The values, in the order of their keys. */
  readonly values: V;
}

/**
 * Of fewer keys, the CPU sorts all in the time that it takes to find the first. So few sorted keys are counted
 * sooner on the calling thread than by kernels, whose counts a GPU sends in a transfer of its own.
 */
export const MANY_KEYS = 2 ** 17;

/** The compiler asks for a row for each option, so that no option is refused as unknown. */
const callNames = Object.keys({
  type: true,
  descending: true,
  bits: true,
  top: true,
  sorted: true,
  verify: true,
  signal: true,
  segments: true,
  into: true,
} satisfies Record<keyof SortCall | "into", true>);

export const uniqueNames: readonly (keyof UniqueCall)[] = [
  "type",
  "descending",
  "verify",
  "signal",
  "counts",
];

/**
 * What an engine is asked for.
 *
 * @param payload what moves with each key.
 * @throws InputError if the keys or the options are invalid.
 */
export function jobOfCall(keys: KeyArray, call: SortCall, payload?: Payload): SortJob {
  requireKnown("a call of the sorter", call, callNames);
  requireSwitches(call, ["descending", "sorted", "verify"]);
  const { descending = false, bits, verify = true, signal, top, sorted } = call;
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function") {
    throw new InputError(`signal is ${shown(signal)}`, { hint: "pass the signal of an AbortController" });
  }
  const type = typeOf(keys, call.type);
  const keyCount = keys.length;
  requireBits(bits, type);
  requireTop(top, sorted);
  if (call.segments !== undefined) requireOffsets(call.segments, keyCount);
  const payloadBytes = payload === "index" ? undefined : payload;
  const head = top === undefined ? undefined : Math.min(top, keyCount);
  const unsorted = sorted === false;
  return { type, keyCount, descending, bits, payloadBytes, algorithm: "auto", verify, head, unsorted };
}

/** @throws InputError unless `keys` is an array that holds keys, of the named type if there is one. */
export function typeOf(keys: unknown, name?: TypeName): ElementType {
  const own = classOf(keys) === undefined ? undefined : typeOfArray(keys as TypedArray);
  if (!own) {
    throw new InputError(`cannot sort ${shown(keys)}`, { hint: `pass one of ${arrayClasses.join(", ")}` });
  }
  requireMemory("keys", keys as TypedArray);
  const type = name === undefined ? own : elementType(name);
  if (type === own || (type.name === "f16" && own.name === "u16")) return type;
  throw new InputError(`type is ${type.name}, but keys is a ${shown(keys)}`, {
    hint: "omit type; only the bits of f16 keys may be in an array of another class, a Uint16Array",
  });
}

/** @returns the bytes per value. */
export function payloadOf(keys: KeyArray, values: TypedArray): number {
  typeOf(keys);
  if (classOf(values) === undefined) {
    throw new InputError(`values is ${shown(values)}`, { hint: "pass a typed array" });
  }
  requireMemory("values", values);
  if (keys.length === 0 && values.length === 0) return 4;
  const elements = values.length / keys.length;
  const bytes = elements * values.BYTES_PER_ELEMENT;
  if (Number.isInteger(elements) && bytes > 0 && bytes % 4 === 0) return bytes;
  throw new InputError(
    `${values.length} values of ${values.BYTES_PER_ELEMENT} bytes do not match ${keys.length} keys`,
    { hint: "pass one value per key, each of the same size, a multiple of 4 bytes" },
  );
}

export function requireLike(name: string, into: TypedArray, like: TypedArray, length: number): void {
  if (classOf(into) !== undefined) requireMemory(name, into);
  if (classOf(into) === classOf(like) && into.length === length) return;
  const elements = classOf(into) === undefined ? "" : ` of ${into.length} elements`;
  throw new InputError(`${name} is ${shown(into)}${elements}`, {
    hint: `pass a ${classOf(like)} of ${length} elements`,
  });
}

export function requireApart(aName: string, a: ArrayBufferView, bName: string, b: ArrayBufferView): void {
  if (!overlap(a, b)) return;
  throw new InputError(`${aName} and ${bName} overlap in memory`, {
    hint: "pass arrays that do not overlap",
  });
}
