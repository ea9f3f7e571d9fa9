import { readdirSync, readFileSync } from "node:fs";

/** What macOS gives a process, the least of the usual systems. */
const USUAL_LIMIT = 256;

/** About as many descriptors are open when Node has started. */
const USUAL_OPEN = 24;

const LEAST_INPUTS = 4;

/**
 * How many descriptors inputs may take: half of those that are free now. Threads, the output, temporary files
 * and the driver of a device need the others. Node raises the soft limit to the hard one when it starts.
 */
export function mostOpenInputs(): number {
  const { limit, open } = descriptorsNow() ?? { limit: USUAL_LIMIT, open: USUAL_OPEN };
  return Math.max(LEAST_INPUTS, Math.floor((limit - open) / 2));
}

/** What Linux tells about the descriptors of this process. */
function descriptorsNow(): { readonly limit: number; readonly open: number } | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    if (limit === undefined) return undefined;
    const open = readdirSync("/proc/self/fd").length;
    return { limit: limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit), open };
  } catch {
    return undefined;
  }
}
