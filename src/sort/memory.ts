import { totalmem } from "node:os";
import type { ItemStrategy, MemoryBudget } from "./strategy.js";

/** The memory that a sort may use by default, in bytes: half of the memory that is free now. */
export function defaultMemoryBytes(): number {
  return Math.floor(process.availableMemory() / 2);
}

/** The memory that this process may use, in bytes: the machine's, or the limit of its container if lower. */
export function machineMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/** What to tell the user if a strategy takes more memory than its budget; undefined if it does not. */
export function memoryNotice(strategy: ItemStrategy, { bytes }: MemoryBudget): string | undefined {
  if (!("raisedMemoryBytes" in strategy) || strategy.raisedMemoryBytes === undefined) return undefined;
  const kibibytes = (size: number) => `${Math.ceil(size / 1024)} KiB`;
  return (
    `${kibibytes(bytes)} of memory are too few to sort this input in reasonable time, ` +
    `so ${kibibytes(strategy.raisedMemoryBytes)} are used`
  );
}
