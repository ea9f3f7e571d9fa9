import type { ElementType } from "../../elements.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../../plan/traits.js";

/** How the kernels of a compaction are made. It changes their speed, not what they write. */
export interface CompactTuning {
  /** The kernel that moves keys: "registers" is compact_register_move, and "memory" is compact_move. */
  readonly move: "registers" | "memory";
  /** Consecutive keys of an invocation; in registers a multiple of the keys of a vector. */
  readonly keysPerInvocation: number;
  /** Chunks, at most, as long as they can be bound, if other than the usual number. */
  readonly maxChunks?: number | undefined;
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
  readonly loads: number;
}

/** A software adapter switches stacks at every barrier, so its tiles are as large as any device can hold. */
const SOFTWARE_TILE = 1024;
const SOFTWARE_LOADS = 4;

/** The keys that an invocation loads at once: 16 bytes, or four keys. */
export function vectorKeys(type: ElementType): number {
  return Math.min(4, 16 / type.bytes);
}

/** The best known tuning: two vectors an invocation, which were faster than one on an H200. */
export function compactTuning(type: ElementType, traits: DeviceTraits): CompactTuning {
  if (traits.software) return softwareTuning(traits);
  return {
    move: "registers",
    keysPerInvocation: 2 * vectorKeys(type),
    countedVectors: 2,
    alignment: 32,
    sumsChunks: traits.subgroups,
    loads: 1,
  };
}

/** The tuning of software adapters. */
function softwareTuning(traits: DeviceTraits): CompactTuning {
  const keysPerInvocation = Math.ceil(SOFTWARE_TILE / cooperativeWorkgroupSize(256, traits));
  return {
    move: "memory",
    keysPerInvocation,
    countedVectors: 1,
    alignment: 1,
    sumsChunks: false,
    loads: Math.min(SOFTWARE_LOADS, keysPerInvocation),
  };
}
