import type { ElementType } from "../elements.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { MAX_CHUNKS } from "./chunks.js";

/** How the kernels of a compaction are made. It changes their speed, not what they write. */
export interface CompactTuning {
  /** The kernel that moves keys: "registers" is compact_register_move, and "memory" is compact_move. */
  readonly move: "registers" | "memory";
  /** Consecutive keys of an invocation; in registers a multiple of the keys of a vector. */
  readonly keysPerInvocation: number;
  /** Chunks, at most, as long as they can be bound. */
  readonly maxChunks: number;
  /** Vectors of keys that an invocation loads at once to count. */
  readonly countedVectors: number;
  /** Neighbouring invocations write from a multiple of this many places on: a power of two. For "registers". */
  readonly alignment: number;
  /**
   * Whether workgroups that move keys from registers may add up the counts of chunks themselves, without a
   * scan.
   */
  readonly sumsChunks: boolean;
  /** Keys that an invocation loads at once to move them in memory; divides keysPerInvocation. */
  readonly flight: number;
}

/**
 * Consecutive keys of an invocation in memory: the most whose tile fits. With odd numbers, neighbours use
 * different banks.
 */
const KEYS_IN_MEMORY = [7, 5, 3, 1];

/** A software adapter switches stacks at every barrier, so its tiles are as large as any device can hold. */
const SOFTWARE_TILE = 1024;
const SOFTWARE_FLIGHT = 4;

/** The keys that an invocation loads at once: 16 bytes, or four keys. */
export function vectorKeys(type: ElementType): number {
  return Math.min(4, 16 / type.bytes);
}

/** The best known tuning: two vectors an invocation, which were faster than one on an H200. */
export function compactTuning(type: ElementType, traits: DeviceTraits): CompactTuning {
  if (traits.software) return memoryTuning(type, traits);
  return {
    move: "registers",
    keysPerInvocation: 2 * vectorKeys(type),
    maxChunks: MAX_CHUNKS.hardware,
    countedVectors: 2,
    alignment: 32,
    sumsChunks: traits.subgroups,
    flight: 1,
  };
}

/** The tuning of software adapters; for hardware, one to compare with. */
export function memoryTuning(type: ElementType, traits: DeviceTraits): CompactTuning {
  const { software, limits } = traits;
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  // A tile's keys with the one before it, the rank of each, a sum of each invocation, and the tile's total.
  const bytes = (keys: number) =>
    4 * (workgroupSize * keys * (type.words + 1) + type.words + workgroupSize + 1) + 16;
  const keysPerInvocation = software
    ? Math.ceil(SOFTWARE_TILE / workgroupSize)
    : KEYS_IN_MEMORY.find((keys) => bytes(keys) <= limits.maxComputeWorkgroupStorageSize)!;
  return {
    move: "memory",
    keysPerInvocation,
    maxChunks: MAX_CHUNKS[software ? "software" : "hardware"],
    countedVectors: software ? 1 : 2,
    alignment: 1,
    sumsChunks: false,
    flight: software ? Math.min(SOFTWARE_FLIGHT, keysPerInvocation) : keysPerInvocation,
  };
}
