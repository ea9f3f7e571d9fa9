import { readFileSync } from "node:fs";
import { freemem, totalmem } from "node:os";
import type { ItemStrategy, MemoryBudget } from "./strategy.js";

/** The memory that a sort may use by default, in bytes: half of the memory that is free now. */
export function defaultMemoryBytes(): number {
  const available = process.availableMemory(); // 0 where there is no /proc
  const isContained = machineMemoryBytes() < totalmem();
  const free = isContained ? Math.min(available + cachedFileBytes(), freemem()) : available || freemem();
  return Math.floor(free / 2);
}

/** The memory that this process may use, in bytes: the machine's, or the limit of its container if lower. */
export function machineMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/**
 * Bytes of files that Linux keeps in the memory of this process's container until somebody needs it. Node
 * counts them as used there, though not on a machine: a container that had read its limit had none left.
 */
function cachedFileBytes(): number {
  const groups = read("/proc/self/cgroup");
  const [, v1] = /^\d+:(?:.*,)?memory(?:,.*)?:(.*)$/m.exec(groups) ?? [];
  const [, v2] = /^0::(.*)$/m.exec(groups) ?? [];
  const root = v1 === undefined ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  // A container may see its own group as the root, although it knows the name that the machine sees.
  const stat = read(`${root}${v1 ?? v2}/memory.stat`) || read(`${root}/memory.stat`);
  // Totals follow what is in the group itself.
  const lines = stat.matchAll(/^(?:total_)?((?:in)?active_file) (\d+)$/gm);
  const bytes = new Map(Array.from(lines, ([, list, bytes]) => [list, Number(bytes)]));
  return [...bytes.values()].reduce((sum, each) => sum + each, 0);
}

/** @returns nothing of a file that cannot be read. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
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
