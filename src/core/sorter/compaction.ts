import type { Supplied } from "../device/execute.js";
import { InputError } from "../errors.js";
import { requireKnown, shown } from "../names.js";
import { compactionPlan } from "../primitives/compaction_plan.js";
import type { BufferRegion } from "./buffers.js";
import { wordInWindow } from "./description.js";
import { type ElementCount, plannedElements, prepareWork } from "./prepare_work.js";
import { PreparedWork, type WorkParts } from "./prepared.js";
import type { Sorter } from "./sorter.js";

/** Describes a compaction by flags of items in GPU buffers. */
export interface CompactionDescription extends ElementCount {
  /**
   * The buffer of `capacity` u32, or a range of one, with usage STORAGE. An item is kept unless its flag is 0.
   */
  readonly flags: Supplied;
  /** The buffer of the values of the items, or a range of one, with usage STORAGE. It stays as it is. */
  readonly values?: Supplied | undefined;
  /** The bytes of a value, a multiple of 4. The default is 4. */
  readonly payload?: number | undefined;
  /**
   * Another buffer, of the same length and usage, that takes the values that are kept; by default one that the
   * compaction makes and owns. What follows them stays as it is.
   */
  readonly output?: Supplied | undefined;
  /**
   * Whether the indices of the items that are kept are written, as u32; or the buffer of `capacity` u32 that
   * takes them, with usage STORAGE. By default they are, unless there are values.
   */
  readonly indices?: boolean | Supplied | undefined;
  /**
   * The word that takes how many items are kept, at any offset that is a multiple of 4, such as 4, that of
   * `instanceCount` in the arguments of an indirect draw. By default it is in a buffer that the compaction
   * makes and owns.
   */
  readonly total?: Supplied | undefined;
}

/** The compiler asks for a row for each field, so that no field is refused as unknown. */
const names = Object.keys({
  capacity: true,
  count: true,
  flags: true,
  values: true,
  payload: true,
  output: true,
  indices: true,
  total: true,
} satisfies Record<keyof CompactionDescription, true>);

/** The regions of the result of a compaction. */
type CompactionRegions = Pick<PreparedCompaction, "values" | "indices" | "total">;

/** A compaction of items in GPU buffers that is ready to run. `prepareCompaction` creates it. */
export class PreparedCompaction extends PreparedWork {
  /** The region of the values that are kept, in the order of the items; undefined if there are no values. */
  readonly values: BufferRegion | undefined;
  /** The region of the indices of the items that are kept, ascending; undefined if none are written. */
  readonly indices: BufferRegion | undefined;
  /**
   * The region of one word that holds how many items are kept. It can be the `count` of a sort or of other work
   * that comes later in the same encoder.
   */
  readonly total: BufferRegion;

  /**
   * Use `prepareCompaction` instead.
   *
   * @internal
   */
  constructor(parts: WorkParts, { values, indices, total }: CompactionRegions) {
    super(parts);
    this.values = values;
    this.indices = indices;
    this.total = total;
  }
}

/**
 * Prepares a compaction: it copies the values of the items whose flag is not 0, or writes their indices, or
 * both, without gaps and in the order of the items, and writes how many there are. You encode it into your own
 * command encoder or compute pass. A sort that follows there takes the number as its `count`, so nothing is
 * read back.
 *
 * It is a function of its own, and no method of the sorter, so that bundles of pages that do not compact go
 * without it.
 *
 * **Cost.** It reads the flags twice and each value that is kept once, in two dispatches, as `prepareScan`
 * does; one more for each window of the output if a binding of the device cannot hold all of it. Scratch: up to
 * 16 KiB for a window.
 *
 * @param sorter a sorter on the device of the buffers. The compaction ends with it.
 * @param description the compaction and its buffers. No two of them may be in one buffer.
 * @returns the compaction, ready to be encoded.
 * @throws the errors of `prepareScan`, under the same conditions.
 *
 * @example
 * const capacity = 1_000_000;
 * const visible = await prepareCompaction(sorter, { capacity, flags, values: depths, indices: true });
 * const { values: keys, indices: values, total: count } = visible;
 * const sort = await sorter.prepare({ type: "f32", capacity, keys, payload: 4, values, count });
 * visible.encode(encoder);
 * sort.encode(encoder); // the indices of the visible items, by their depths, are then in sort.values
 */
export async function prepareCompaction(
  sorter: Sorter,
  description: CompactionDescription,
): Promise<PreparedCompaction> {
  requireKnown("the description of a compaction", description, names);
  const { flags, values, payload, output, total, count } = description;
  const { indices = values === undefined } = description;
  const valueBytes = values === undefined ? 0 : payload === undefined ? 4 : payload;
  requireResult(description, valueBytes, indices);
  const elements = plannedElements(description);
  const { capacity } = elements;
  return prepareWork(sorter, {
    name: "compaction",
    plan: (traits) =>
      compactionPlan({
        ...elements,
        traits,
        valueBytes,
        indices: indices !== false,
        totalAt: wordInWindow(total),
      }),
    input: {
      flags,
      ...(values === undefined ? {} : { values }),
      ...(elements.counted ? { count: count as Supplied } : {}),
    },
    output: { total, output, indices: typeof indices === "boolean" ? undefined : indices },
    make: (parts, region) =>
      new PreparedCompaction(parts, {
        values: values && region("output", capacity * valueBytes),
        indices: indices === false ? undefined : region("indices", 4 * capacity),
        total: region("total", 4),
      }),
  });
}

function requireResult(
  { values, payload, output }: CompactionDescription,
  valueBytes: number,
  indices: boolean | Supplied,
): void {
  if (values === undefined && (payload !== undefined || output !== undefined)) {
    throw new InputError(`a compaction has ${payload === undefined ? "output" : "payload"}, but no values`, {
      hint: "pass values, or omit payload and output",
    });
  }
  if (values !== undefined && !(Number.isInteger(valueBytes) && valueBytes > 0 && valueBytes % 4 === 0)) {
    throw new InputError(`the payload of a compaction is ${shown(payload)}`, {
      hint: "pass the bytes per value, a multiple of 4",
    });
  }
  if (values === undefined && indices === false) {
    throw new InputError("a compaction has neither values nor indices", {
      hint: "pass values, or omit indices",
    });
  }
}
