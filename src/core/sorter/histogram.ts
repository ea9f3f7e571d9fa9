import type { Supplied } from "../device/execute.js";
import { elementType } from "../elements.js";
import { InputError } from "../errors.js";
import { requireKnown, shown } from "../names.js";
import { histogramPlan } from "../primitives/histogram_plan.js";
import type { KeyBits } from "../sort/key.js";
import type { BufferRegion } from "./buffers.js";
import { requireBits } from "./description.js";
import { type ElementCount, plannedElements, prepareWork } from "./prepare_work.js";
import { PreparedWork, type WorkParts } from "./prepared.js";
import type { Sorter } from "./sorter.js";

/** Bins at most. With these, the device, too, has work enough. */
const MAX_BINS = 2 ** 20;

/** Describes a histogram of u32 in a GPU buffer. */
export interface HistogramDescription extends ElementCount {
  /** The buffer of `capacity` u32, or a range of one, with usage STORAGE. It stays as it is. */
  readonly keys: Supplied;
  /**
   * The number of bins, 1 to 2^20. Keys whose bin would have a higher number are not counted. The default is
   * one bin for each value of `bits`.
   */
  readonly bins?: number | undefined;
  /**
   * The bits of a key that are the number of its bin: `begin` up to, but not including, `end`, where 0 is the
   * least significant bit. The default is all bits: the bin of a key is the key itself.
   */
  readonly bits?: KeyBits | undefined;
  /**
   * The buffer that takes a u32 for each bin, or a range of one, with usage STORAGE; by default one that the
   * histogram makes and owns. The histogram clears it first.
   */
  readonly counts?: Supplied | undefined;
}

/** The compiler asks for a row for each field, so that no field is refused as unknown. */
const names = Object.keys({
  capacity: true,
  count: true,
  keys: true,
  bins: true,
  bits: true,
  counts: true,
} satisfies Record<keyof HistogramDescription, true>);

/** A histogram of keys in GPU buffers that is ready to run. `prepareHistogram` creates it. */
export class PreparedHistogram extends PreparedWork {
  /** The region that holds after a run how many keys are in each bin, as u32. */
  readonly counts: BufferRegion;

  /**
   * Use `prepareHistogram` instead.
   *
   * @internal
   */
  constructor(parts: WorkParts, counts: BufferRegion) {
    super(parts);
    this.counts = counts;
  }
}

/**
 * Prepares a histogram: it counts how many keys are in each bin. The number of a key's bin is the key, or some
 * of its bits; keys whose number is not less than the number of bins are not counted. You encode it into your
 * own command encoder or compute pass.
 *
 * It is a function of its own, and no method of the sorter, so that bundles of pages that do not need it go
 * without it.
 *
 * **Cost.** It reads the keys once, in two dispatches, and in one more for each further window if a binding of
 * the device cannot hold all keys. Up to 4,096 bins are counted in workgroup memory, more of them in the result
 * itself, which takes longer, above all if many keys share a bin. No scratch.
 *
 * @param sorter a sorter on the device of the buffers. The histogram ends with it.
 * @param description the histogram and its buffers. No two of them may be in one buffer.
 * @returns the histogram, ready to be encoded.
 * @throws the errors of `prepareScan`, under the same conditions.
 *
 * @example
 * const bits = { begin: 24, end: 32 };
 * const byTopByte = await prepareHistogram(sorter, { capacity: 1_000_000, keys, bits });
 * byTopByte.encode(encoder); // byTopByte.counts then holds 256 numbers
 */
export async function prepareHistogram(
  sorter: Sorter,
  description: HistogramDescription,
): Promise<PreparedHistogram> {
  requireKnown("the description of a histogram", description, names);
  const { keys, counts, count } = description;
  const { bits, bins } = binsOf(description);
  const elements = plannedElements(description);
  return prepareWork(sorter, {
    name: "histogram",
    plan: (traits) => histogramPlan({ ...elements, traits, bits, bins }),
    input: { keys, ...(elements.counted ? { count: count as Supplied } : {}) },
    output: { counts },
    make: (parts, region) => new PreparedHistogram(parts, region("counts", 4 * bins)),
  });
}

/** @throws InputError if the bits or the number of bins are invalid. */
export function binsOf({ bits = { begin: 0, end: 32 }, bins }: Pick<HistogramDescription, "bits" | "bins">) {
  requireBits(bits, elementType("u32"));
  const own = { begin: bits.begin, end: bits.end };
  const all = bins ?? 2 ** (own.end - own.begin);
  if (Number.isInteger(all) && all >= 1 && all <= MAX_BINS) return { bits: own, bins: all };
  throw new InputError(
    bins === undefined ? `${own.end - own.begin} bits have ${all} bins` : `bins is ${shown(bins)}`,
    {
      hint: `pass bins, a whole number from 1 to ${MAX_BINS}, or fewer bits`,
    },
  );
}
