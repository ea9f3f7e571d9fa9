import { totalmem } from "node:os";

/** The memory that a sort may use by default, in bytes: half of the memory that is free now. */
export function defaultMemoryBytes(): number {
  return Math.floor(process.availableMemory() / 2);
}

/** The memory that this process may use, in bytes: the machine's, or the limit of its container if lower. */
export function machineMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
