import type { ElementType } from "../elements.js";
import { VerifyError } from "../errors.js";
import { bufferBytes, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { type Direction, orderConstants, orderModules } from "./key.js";

/** What one look at all keys tells: enough to say that a result is the input, sorted. */
export interface Totals {
  /** Keys that were looked at, modulo 2^32. */
  readonly seen: number;
  /** Sums of two independent 32-bit hashes of every key, modulo 2^32: equal for equal multisets of keys. */
  readonly sums: readonly [number, number];
  /** Neighbours in the wrong order, modulo 2^32. */
  readonly inversions: number;
  /** The least i such that keys i and i + 1 are in the wrong order; undefined if there is none. */
  readonly firstInversion: number | undefined;
}

/** Five words: see wgsl/inspect.wgsl. */
const TOTALS_BYTES = 20;

/** Enough to fill any GPU, or any CPU, and few enough that each one's totals are worth combining. */
const MAX_WORKGROUPS = { hardware: 4096, software: 64 };

/**
 * One pass over `keyCount` keys of the buffer "keys" that leaves the `Totals` in the buffer "totals", which
 * must be zero before. Reads every key twice (its right neighbour as well); scratch 20 bytes. A wrong result
 * passes with a chance of about 2^-64.
 */
export function inspectPlan(
  keyCount: number,
  type: ElementType,
  direction: Direction,
  traits: DeviceTraits,
): Plan {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const most = traits.software ? MAX_WORKGROUPS.software : MAX_WORKGROUPS.hardware;
  const workgroups = Math.max(1, Math.min(most, Math.ceil(keyCount / workgroupSize)));
  return {
    buffers: { keys: { bytes: bufferBytes(keyCount * type.bytes) }, totals: { bytes: TOTALS_BYTES } },
    passes: [
      {
        program: {
          kernel: "inspect",
          uses: [...orderModules(type), "mix", type.words === 1 ? "hash32" : "hash64"],
          constants: { WORKGROUP_SIZE: workgroupSize, ...orderConstants(type, direction) },
        },
        bindings: ["keys", "totals"],
        params: [keyCount, workgroups * workgroupSize],
        grid: [workgroups, 1, 1],
      },
    ],
    result: "totals",
  };
}

/** Reads the buffer "totals" as `inspectPlan` leaves it. */
export function readTotals(words: Uint32Array): Totals {
  const [sumA = 0, sumB = 0, inversions = 0, first = 0, seen = 0] = words;
  return {
    seen,
    sums: [sumA, sumB],
    inversions,
    firstInversion: first === 0 ? undefined : ~first >>> 0,
  };
}

/**
 * @param before the totals of the input, after those of the result, both by the order that was asked for.
 * @throws VerifyError unless the result holds the input's keys, in order.
 */
export function checkTotals(keyCount: number, before: Totals, after: Totals, device: string): void {
  const hint = "the input is untouched and no output was written; try another --device, or --device cpu";
  if (before.seen !== keyCount || after.seen !== keyCount) {
    throw new VerifyError(`${device} looked at ${before.seen} and then ${after.seen} of ${keyCount} keys`, {
      hint,
    });
  }
  if (after.sums[0] !== before.sums[0] || after.sums[1] !== before.sums[1]) {
    throw new VerifyError(`${device} changed the keys while it sorted them: the checksums differ`, { hint });
  }
  if (after.firstInversion !== undefined) {
    throw new VerifyError(
      `${device} sorted wrongly: ${after.inversions} neighbours are out of order, first at index ${after.firstInversion}`,
      { hint },
    );
  }
}
