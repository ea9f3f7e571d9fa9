import { type CheckJob, checkJob } from "../core/cpu/check_job.js";
import { checkKernels } from "../core/cpu/check_kernels.js";
import type { KernelProgram } from "../core/cpu/program.js";
import { checksum } from "../core/items/checksum.js";
import type { Item } from "../core/items/item.js";
import { type ItemOrder, itemOrder } from "../core/items/order.js";

/** What items are checked for, and by which kernels. */
export interface CheckMethod<Name extends string = string> {
  readonly order: ItemOrder;
  readonly program: KernelProgram<Name>;
  readonly job: CheckJob<Name>;
  /** Sums up items in JavaScript, as the kernel does. Absent if nothing is summed up. */
  readonly sum?: ((items: Uint8Array) => readonly [number, number]) | undefined;
}

/** Checks the order of any items. @param sumsUp whether to compute checksums. */
export function checkOf(item: Item, descending: boolean, sumsUp: boolean): CheckMethod {
  return {
    order: itemOrder(item, descending),
    program: checkKernels,
    job: checkJob(item, descending),
    sum: sumsUp ? (items) => checksum(items, item) : undefined,
  };
}
