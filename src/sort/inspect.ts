import type { ElementType } from "../elements.js";
import { VerifyError } from "../errors.js";
import { type Binding, bufferBytes, type Pass, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import type { ModuleName } from "../wgsl.generated.js";
import { allBits, type KeyBits, orderConstants, orderModules, type SortOptions } from "./key.js";
import { bindWindow, windowsOf, windowUnit } from "./windows.js";

/** What one look at all keys, and the values that go with them, tells: enough to say that a result is the input, sorted. */
export interface Evidence {
  /** Keys that were looked at, modulo 2^32. */
  readonly seen: number;
  /** Sums of two independent 32-bit hashes of every key with its value, modulo 2^32: equal for equal multisets. */
  readonly sums: readonly [number, number];
  /** Neighbours in the wrong order, modulo 2^32. */
  readonly inversions: number;
  /** The least i such that keys i and i + 1 are in the wrong order; undefined if there is none. */
  readonly firstInversion: number | undefined;
}

/** What a look on the device tells besides. */
export interface Totals extends Evidence {
  /** The narrowest range of bits outside of which all keys' images are equal; `begin` is `end` if they all are. */
  readonly varying: KeyBits;
}

/** Nine words: see wgsl/inspect.wgsl. */
const TOTALS_BYTES = 36;

/** Enough to fill any GPU, or any CPU, and few enough that each one's totals are worth combining. */
const MAX_WORKGROUPS = { hardware: 4096, software: 64 };

/** Which side of a sort is looked at: where its payload is indices, the input has none in memory. */
export type Side = "input" | "result";

/**
 * One pass over `keyCount` keys of the buffer "keys", and their values in the buffer "values" if there are any, that leaves
 * the `Totals` in the buffer "totals", which must be zero before. Reads every key twice (its right neighbour as well);
 * scratch 36 bytes. A wrong result passes with a chance of about 2^-64. A result of indices is looked at for stability as well.
 */
export function inspectPlan(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  side: Side = "result",
): Plan {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const most = traits.software ? MAX_WORKGROUPS.software : MAX_WORKGROUPS.hardware;
  const { payload = 0 } = options;
  const isIndex = payload === "index";
  const inMemory = payload !== 0 && !(isIndex && side === "input");
  const valueBytes = isIndex ? 4 : payload;
  const valueModule: ModuleName =
    payload === 0 ? "inspect_no_value" : inMemory ? "inspect_value" : "inspect_index";
  const { begin, end } = options.bits ?? allBits(type);

  // A window's last key has its right neighbour in the next window.
  const bindable = traits.limits.maxStorageBufferBindingSize - type.bytes;
  const windows = windowsOf(keyCount, windowUnit(1), Math.max(type.bytes, valueBytes), bindable);
  const whole = windows.length === 1;
  const passes = windows.map((window): Pass => {
    const workgroups = Math.max(1, Math.min(most, Math.ceil(window.count / workgroupSize)));
    const isLast = window.begin + window.count === keyCount;
    const seen = { begin: window.begin, count: isLast ? window.count : window.count + 1 };
    const bindings: Binding[] = [
      bindWindow("keys", seen, type.bytes, whole),
      "totals",
      ...(inMemory ? [bindWindow("values", window, valueBytes, whole)] : []),
    ];
    return {
      program: {
        kernel: "inspect",
        uses: [...orderModules(type), "mix", type.words === 1 ? "hash32" : "hash64", valueModule],
        constants: {
          WORKGROUP_SIZE: workgroupSize,
          VALUE_WORDS: valueBytes / 4,
          MASK_LOW: maskOf(begin, end, 0),
          MASK_HIGH: maskOf(begin, end, 32),
          STABLE: isIndex && whole ? 1 : 0,
          ...(inMemory ? { VALUES: 2 } : {}),
          PARAMS: bindings.length,
          ...orderConstants(type, options),
        },
      },
      bindings,
      params: [
        window.count,
        workgroups * workgroupSize,
        window.begin,
        isLast ? Math.max(0, window.count - 1) : window.count,
      ],
      grid: [workgroups, 1, 1],
    };
  });
  return {
    buffers: {
      keys: { bytes: bufferBytes(keyCount * type.bytes) },
      totals: { bytes: TOTALS_BYTES },
      ...(inMemory ? { values: { bytes: bufferBytes(keyCount * valueBytes) } } : {}),
    },
    passes,
    result: "totals",
  };
}

/** The bits of [begin, end) that lie in the word whose lowest bit is `shift`. */
function maskOf(begin: number, end: number, shift: number): number {
  const from = Math.min(32, Math.max(0, begin - shift));
  const to = Math.min(32, Math.max(0, end - shift));
  return 2 ** to - 2 ** Math.min(from, to);
}

/** Reads the buffer "totals" as `inspectPlan` leaves it. */
export function readTotals(words: Uint32Array): Totals {
  const [
    sumA = 0,
    sumB = 0,
    inversions = 0,
    first = 0,
    seen = 0,
    onesLow = 0,
    onesHigh = 0,
    zerosLow = 0,
    zerosHigh = 0,
  ] = words;
  return {
    seen,
    sums: [sumA, sumB],
    inversions,
    firstInversion: first === 0 ? undefined : ~first >>> 0,
    varying: rangeOfBits((onesLow & zerosLow) >>> 0, (onesHigh & zerosHigh) >>> 0),
  };
}

/** From the lowest bit that is set to the highest. */
function rangeOfBits(low: number, high: number): KeyBits {
  const lowest = (word: number) => 31 - Math.clz32(word & -word);
  if (low === 0 && high === 0) return { begin: 0, end: 0 };
  return {
    begin: low === 0 ? 32 + lowest(high) : lowest(low),
    end: high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high),
  };
}

/**
 * @param before the totals of the input, after those of the result, both by the order that was asked for.
 * @throws VerifyError unless the result holds the input's keys, in order.
 */
export function checkTotals(keyCount: number, before: Evidence, after: Evidence, device: string): void {
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
