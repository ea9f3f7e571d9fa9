import type { Supplied } from "../device/execute.js";
import { InputError } from "../errors.js";
import { requireKnown, shown } from "../names.js";
import { scanPlan } from "../primitives/scan_plan.js";
import type { BufferRegion } from "./buffers.js";
import { wordInWindow } from "./description.js";
import { type ElementCount, plannedElements, prepareWork } from "./prepare_work.js";
import { PreparedWork, type WorkParts } from "./prepared.js";
import type { Sorter } from "./sorter.js";

/** Describes an exclusive scan of numbers in a GPU buffer. */
export interface ScanDescription extends ElementCount {
  /** The type of the numbers: "u32", whose sums wrap around at 2^32, or "f32". */
  readonly type: "u32" | "f32";
  /** The buffer of `capacity` numbers, or a range of one, with usage STORAGE. */
  readonly values: Supplied;
  /**
   * Another buffer, of the same length and usage, that takes the sums. By default they replace the values. If
   * the device reads the count, what follows as many sums stays as it is.
   */
  readonly output?: Supplied | undefined;
  /**
   * The word that takes the sum of all values, at any offset that is a multiple of 4; by default in a buffer
   * that the scan makes and owns.
   */
  readonly total?: Supplied | undefined;
}

/** The compiler asks for a row for each field, so that no field is refused as unknown. */
const names = Object.keys({
  type: true,
  capacity: true,
  count: true,
  values: true,
  output: true,
  total: true,
} satisfies Record<keyof ScanDescription, true>);

/** A scan of numbers in GPU buffers that is ready to run. `prepareScan` creates it. */
export class PreparedScan extends PreparedWork {
  /** The region that holds the sums after a run: for each value, the sum of all values before it. */
  readonly values: BufferRegion;
  /** The region of one word that holds the sum of all values after a run. */
  readonly total: BufferRegion;

  /**
   * Use `prepareScan` instead.
   *
   * @internal
   */
  constructor(parts: WorkParts, values: BufferRegion, total: BufferRegion) {
    super(parts);
    this.values = values;
    this.total = total;
  }
}

/**
 * Prepares an exclusive scan (prefix sum): it replaces each number by the sum of all numbers before it, and
 * writes the sum of all. You encode it into your own command encoder or compute pass.
 *
 * It is a function of its own, and no method of the sorter, so that bundles of pages that do not scan go
 * without it.
 *
 * **Sums.** Those of u32 are modulo 2^32. Those of f32 are added in an order that depends on the capacity and
 * on the device alone, so a run gives the same bits as the one before. The error of a sum is at most d * 2^-24
 * times the sum of the absolute values before it, where d = 200 + capacity / 2^18, and on a software adapter
 * 1,000 + capacity / 2^8. Rounding differs from sum to sum, so sums of numbers that are not negative may
 * descend within that error. WGSL leaves open what becomes of NaNs and infinities, also of sums that overflow;
 * none reaches the sums before it on the devices that were tested.
 *
 * **Cost.** Reduce-then-scan (D. Merrill and A. Grimshaw, "Parallel Scan for Stream Architectures", 2009): it
 * reads the numbers twice and writes the sums, in two dispatches, or in one for about a thousand numbers; two
 * for each window if a binding of the device cannot hold all numbers. No workgroup waits for another one.
 * Scratch: up to 16 KiB for a window.
 *
 * @param sorter a sorter on the device of the buffers. The scan ends with it.
 * @param description the scan and its buffers. No two of them may be in one buffer.
 * @returns the scan, ready to be encoded.
 * @throws InputError if the description or a buffer is invalid, if the sorter runs on the CPU, or after its
 *   `destroy`. It is thrown before anything is encoded.
 * @throws DeviceError if the device fails or runs out of memory.
 * @throws KernelError if a kernel does not compile.
 * @throws LoadError if the WGSL of a kernel does not load.
 *
 * @example
 * const scan = await prepareScan(sorter, { type: "u32", capacity: 1_000_000, values: lengths });
 * scan.encode(encoder); // lengths then holds where each item begins, and scan.total how long all are
 */
export async function prepareScan(sorter: Sorter, description: ScanDescription): Promise<PreparedScan> {
  requireKnown("the description of a scan", description, names);
  const { type, values, output, total, count } = description;
  if (type !== "u32" && type !== "f32") {
    throw new InputError(`the type of a scan is ${shown(type)}`, { hint: 'pass "u32" or "f32"' });
  }
  const elements = plannedElements(description);
  const apart = output !== undefined;
  return prepareWork(sorter, {
    name: "scan",
    plan: (traits) => scanPlan({ ...elements, type, apart, traits, totalAt: wordInWindow(total) }),
    input: { values, ...(elements.counted ? { count: count as Supplied } : {}) },
    output: { total, ...(apart ? { output } : {}) },
    make: (parts, region) =>
      new PreparedScan(parts, region(apart ? "output" : "values", 4 * elements.capacity), region("total", 4)),
  });
}
