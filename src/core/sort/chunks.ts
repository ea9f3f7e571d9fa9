import type { ElementType } from "../elements.js";
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

/**
 * How the keys of a compaction are cut into chunks, which a workgroup copies each, and into windows. Every
 * window but the last holds whole chunks.
 *
 * @param valueBytes the bytes of a value that is bound in the same windows, or 0.
 * @param leadBytes how many bytes before its window a pass binds.
 * @param keysPerInvocation other than the usual number of consecutive keys of an invocation.
 * @param maxChunks other than the usual number of chunks, as long as they fit the windows.
 */
export function cutIntoWindowedChunks(
  keyCount: number,
  type: ElementType,
  valueBytes: number,
  traits: DeviceTraits,
  leadBytes = 0,
  keysPerInvocation = KEYS_PER_INVOCATION[kindOf(traits)],
  maxChunks = MAX_CHUNKS[kindOf(traits)],
) {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const bytes = Math.max(type.bytes, valueBytes);
  const maxBytes = traits.limits.maxStorageBufferBindingSize - leadBytes;
  const unit = windowUnit(workgroupSize * keysPerInvocation);
  const units = Math.max(1, Math.ceil(keyCount / maxChunks / unit));
  const fitting = Math.max(1, Math.floor(maxBytes / bytes / unit));
  const chunk = Math.min(units, fitting) * unit;
  const chunks = Math.max(1, Math.ceil(keyCount / chunk));
  const windows = windowsOf(keyCount, chunk, bytes, maxBytes);
  return { workgroupSize, keysPerInvocation, chunk, chunks, windows };
}

function kindOf({ software }: DeviceTraits) {
  return software ? "software" : "hardware";
}
