import type { Words32 } from "../bytes.js";
import { InputError } from "../errors.js";
import { requireKnown, shown } from "../names.js";
import { allocate, classOf, gather, newLike, requireMemory, type TypedArray } from "./arrays.js";
import { requireApart, requireLike } from "./calls.js";
import { binsOf, type HistogramDescription } from "./histogram.js";

/*
 * These run on the calling thread, also where there is a GPU: to move an array there and back takes longer than
 * to go over it once.
 */

/** The sums of a scan of an array. */
export interface ScannedArray<A> {
  /** For each value, the sum of all values before it. */
  readonly sums: A;
  /** The sum of all values. */
  readonly total: number;
}

/**
 * Adds up an array on the calling thread: the exclusive scan (prefix sum) that `prepareScan` makes of a buffer.
 * Sums of u32 are modulo 2^32. Those of f32 are added in double precision, from the first on, and each is
 * rounded once, so they are closer to the exact ones than those of a GPU.
 *
 * @param values n numbers.
 * @param into an array of the same class and length for the sums, perhaps `values`; the default is a new array.
 * @returns the sums, which are `into` or a new array, and the total, which is not rounded to f32.
 * @throws InputError if an array has a wrong class or length, or if `into` overlaps `values` in part.
 */
export function exclusiveScan<A extends Uint32Array | Float32Array>(values: A, into?: A): ScannedArray<A> {
  requireClass("values", values, ["Uint32Array", "Float32Array"]);
  if (into !== undefined) {
    requireLike("into", into, values, values.length);
    const isSame = into.buffer === values.buffer && into.byteOffset === values.byteOffset;
    if (!isSame) requireApart("into", into, "values", values);
  }
  const sums = into ?? newLike(values);
  const isFloat = classOf(values) === "Float32Array";
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    sums[i] = total;
    total = isFloat ? total + value : (total + value) >>> 0;
  }
  return { sums, total };
}

/**
 * Keeps the elements of an array whose flag is not 0, in their order, on the calling thread: what
 * `prepareCompaction` does with buffers.
 *
 * @param values n elements of any class.
 * @param flags n flags.
 * @returns the elements that are kept, in a new array.
 * @throws InputError if an argument is no such array, or if they differ in length.
 */
export function compact<A extends TypedArray>(values: A, flags: Uint8Array | Uint32Array): A {
  requireClass("values", values);
  requireClass("flags", flags, ["Uint8Array", "Uint32Array"]);
  if (flags.length !== values.length) {
    throw new InputError(`flags has ${flags.length} elements, but values has ${values.length}`, {
      hint: "pass a flag for each value",
    });
  }
  let kept = 0;
  for (let i = 0; i < flags.length; i++) if (flags[i] !== 0) kept++;
  const indices = allocate(4 * kept, () => new Uint32Array(kept));
  for (let i = 0, place = 0; place < kept; i++) if (flags[i] !== 0) indices[place++] = i;
  const output = newLike(values, kept);
  gather(values, 1, indices, output);
  return output;
}

/**
 * Counts how many keys of an array are in each bin, on the calling thread: what `prepareHistogram` does with a
 * buffer.
 *
 * @param keys the keys.
 * @param description `bins` and `bits`, as for `prepareHistogram`: keys without a bin are not counted.
 * @returns a number for each bin.
 * @throws InputError if the keys are no Uint32Array, or if `bins` or `bits` are invalid.
 */
export function histogram(
  keys: Uint32Array,
  description: Pick<HistogramDescription, "bins" | "bits">,
): Words32 {
  requireClass("keys", keys, ["Uint32Array"]);
  requireKnown("a histogram", description, ["bins", "bits"]);
  const { bits, bins } = binsOf(description);
  const counts = new Uint32Array(bins);
  const mask = 2 ** (bits.end - bits.begin) - 1;
  const shift = Math.min(bits.begin, 31);
  for (let i = 0; i < keys.length; i++) {
    const bin = ((keys[i]! >>> shift) & mask) >>> 0;
    if (bin < bins) counts[bin]!++;
  }
  return counts;
}

/** @throws InputError unless a value is a typed array, of one of some classes, with memory. */
function requireClass(name: string, array: TypedArray, classes?: readonly string[]): void {
  const className = classOf(array);
  if (className === undefined || !(classes?.includes(className) ?? true)) {
    throw new InputError(`${name} is ${shown(array)}`, {
      hint: `pass a ${classes?.join(" or a ") ?? "typed array"}`,
    });
  }
  requireMemory(name, array);
}
