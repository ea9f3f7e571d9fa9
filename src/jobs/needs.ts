import type { Item, KeyItem } from "../core/items/item.js";
import type { SorterLimits } from "../sort/items/item_sorter.js";
import { KeySorter } from "../sort/items/key_sorter.js";
import { recordLimits } from "../sort/items/record_limits.js";
import { CUT_BYTES } from "../sort/runs/rank_cuts.js";
import { MOST_THREADS } from "../threads/count.js";
import { cpuEngine } from "../threads/cpu_engine.js";
import type { JobFolder } from "./folder.js";
import { LEASE_MS } from "./lease.js";

/** What the tasks of a job need, in bytes, unless it says otherwise. */
export interface JobNeeds {
  /** Memory of each task that sorts or merges, and up to 512 MiB more. */
  readonly taskMemoryBytes: number;
  /** The same of the task that cuts: samples of all runs, and the items around one or many cuts. */
  readonly cutMemoryBytes: number;
  /** Items in the longest run; a guess for text and compressed inputs. */
  readonly runBytes: number;
  /**
   * Temporary space of a task, besides what it writes: 0 if it sorts its items at once, on any device. A device
   * that sorts more at once than a CPU may need none either.
   */
  readonly taskTemporaryBytes: number;
  /** Space for all runs in the folder of the job; a guess for text and compressed inputs. */
  readonly jobBytes: number;
  /** A worker that says nothing for so long is taken to be lost, in seconds. */
  readonly leaseSeconds: number;
}

export function needsOf({ plan, item, runs }: JobFolder): JobNeeds {
  const inputBytes = plan.inputs.map(({ bytes }) => bytes);
  const bytesOf = plan.runs.map((shares) =>
    shares.reduce(
      (sum, [input, , count]) => sum + (count === undefined ? inputBytes[input]! : count * item.bytes),
      0,
    ),
  );
  const runBytes = Math.max(...bytesOf);
  const jobBytes = bytesOf.reduce((sum, bytes) => sum + bytes, 0);
  const samples = jobBytes / plan.stride;
  const aroundCut = 2 * runs * plan.stride * item.bytes;
  const aroundCuts = Math.min(jobBytes, plan.parts * aroundCut, Math.max(aroundCut, 1.25 * CUT_BYTES));
  const isWhole = plan.runs.some((shares) => shares.some(([, , count]) => count === undefined));
  const atOnce = cpuTaskLimits(item);
  const isLong = runBytes > atOnce.items * item.bytes || runBytes * atOnce.memoryPerByte > plan.memoryBytes;
  return {
    taskMemoryBytes: plan.memoryBytes,
    cutMemoryBytes: Math.ceil(samples + aroundCuts),
    runBytes,
    taskTemporaryBytes: isWhole || isLong ? runBytes : 0,
    jobBytes,
    leaseSeconds: LEASE_MS / 1000,
  };
}

/** What a sort without temporary files takes. */
export interface TaskLimits {
  /** The most items, whatever the memory. */
  readonly items: number;
  /** Bytes of memory for each byte of an item. */
  readonly memoryPerByte: number;
}

/** What the CPU sorts at once, on any machine. Devices take no more memory, and most sort more items. */
export function cpuTaskLimits(item: Item): TaskLimits {
  const { capacity, memoryPerItemByte } = item.kind === "record" ? recordLimits(item) : keyLimits(item);
  return { items: capacity, memoryPerByte: memoryPerItemByte };
}

function keyLimits(item: KeyItem): SorterLimits {
  const engine = cpuEngine(MOST_THREADS);
  try {
    return new KeySorter(engine, item, { descending: false, algorithm: "auto", verify: true });
  } finally {
    engine.close();
  }
}
