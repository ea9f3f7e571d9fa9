import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { windowsOf, windowUnit } from "./windows.js";

/**
 * Few enough chunks that one workgroup scans their counts in no noticeable time, and enough to keep any
 * device busy.
 */
const MAX_CHUNKS = { hardware: 2048, software: 64 };

/**
 * Consecutive keys of an invocation. A software adapter switches stacks at every barrier, so each of its
 * invocations does more between two of them.
 */
const KEYS_PER_INVOCATION = { hardware: 8, software: 256 };

/** How the chunks of a plan differ from the usual ones. */
interface ChunkOptions {
  /** How many bytes before its window a pass binds; by default none. */
  readonly leadBytes?: number;
  /** Consecutive keys of an invocation. */
  readonly keysPerInvocation?: number | undefined;
  /** The most chunks, as long as they fit the windows. */
  readonly maxChunks?: number | undefined;
}

/**
 * How keys are cut into chunks, which a workgroup copies each, and into windows. Every window but the last
 * holds whole chunks.
 *
 * @param bytes those of the longest element that is bound by these windows.
 * @returns invocations per workgroup, consecutive keys of an invocation, keys per chunk, chunks, and windows.
 */
export function cutIntoWindowedChunks(
  keyCount: number,
  bytes: number,
  traits: DeviceTraits,
  options: ChunkOptions = {},
) {
  const kind = traits.software ? "software" : "hardware";
  const {
    leadBytes = 0,
    keysPerInvocation = KEYS_PER_INVOCATION[kind],
    maxChunks = MAX_CHUNKS[kind],
  } = options;
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const maxBytes = traits.limits.maxStorageBufferBindingSize - leadBytes;
  const unit = windowUnit(workgroupSize * keysPerInvocation);
  const units = Math.max(1, Math.ceil(keyCount / maxChunks / unit));
  const fitting = Math.max(1, Math.floor(maxBytes / bytes / unit));
  const chunk = Math.min(units, fitting) * unit;
  const chunks = Math.max(1, Math.ceil(keyCount / chunk));
  const windows = windowsOf(keyCount, chunk, bytes, maxBytes);
  return { workgroupSize, keysPerInvocation, chunk, chunks, windows };
}
