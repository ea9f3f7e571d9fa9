import type { ElementType } from "../elements.js";
import type { Pass, Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { params, program } from "../shaders/kernels.js";
import { type Bound, comparedParts, type Direction, keyParts, maskOf } from "./key.js";
import { LEAST_KEYS, LEAST_RATIO, MOST_CANDIDATES } from "./select_tuning.js";
import { bindWindow, windowsOf, windowUnit } from "./windows.js";

const DIGIT_BITS = 8;
const DIGITS = 2 ** DIGIT_BITS;

/** The maximum number of workgroups: enough to keep every device busy, and few enough to add up their counts. */
const MAX_WORKGROUPS = { hardware: 2048, software: 64 };

/**
 * How far a radix select has come, from the most significant digit down. The sought keys are the first ones
 * in the order; the last of them has the ordered form of which the digits above `shift` are known.
 */
export interface Selection {
  /** The lowest known bit. */
  readonly shift: number;
  /** The known bits of that key's ordered form. */
  readonly prefix: Bound;
  /** The number of keys whose known bits are less. They are all sought. */
  readonly before: number;
  /** The number of keys with just these known bits. Some of them are sought. */
  readonly equal: number;
}

/**
 * Whether to select the first `head` keys before they are sorted. Keys of 8 and 16 bits are sorted in little
 * more time than they are counted.
 */
export function selects(keyCount: number, type: ElementType, head: number): boolean {
  return (
    type.bytes >= 4 &&
    head >= 1 &&
    2 * head <= MOST_CANDIDATES &&
    keyCount >= LEAST_KEYS &&
    keyCount >= LEAST_RATIO * head
  );
}

/** Before any digit is known, all keys are equal. */
export function noneSelected(keyCount: number, type: ElementType): Selection {
  return { shift: 8 * type.bytes, prefix: [0, 0], before: 0, equal: keyCount };
}

/**
 * Whether the keys that may be among the first ones are few enough to be sorted; undefined if they are not,
 * and all digits are known: then too many keys are equal.
 */
export function isSelected({ before, equal, shift }: Selection): boolean | undefined {
  if (before + equal <= MOST_CANDIDATES) return true;
  return shift === 0 ? undefined : false;
}

/**
 * Plans one step of a radix select: it counts the values of the next digit, among the keys that have the known
 * bits. It adds them to its result "totals", 256 words that must be zero before. It reads the keys once.
 */
export function selectPlan(
  keyCount: number,
  type: ElementType,
  direction: Direction,
  traits: DeviceTraits,
  { shift, prefix }: Pick<Selection, "shift" | "prefix">,
): Plan {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const maxWorkgroups = MAX_WORKGROUPS[traits.software ? "software" : "hardware"];
  const key = keyParts(type, direction);
  const compared = comparedParts(type, direction);
  const known = { begin: shift, end: 8 * type.bytes };
  const maxBytes = traits.limits.maxStorageBufferBindingSize;
  const windows = windowsOf(keyCount, windowUnit(1), type.bytes, maxBytes);
  const passes = windows.map((window): Pass => {
    const workgroups = Math.max(1, Math.min(maxWorkgroups, Math.ceil(window.count / workgroupSize)));
    return {
      program: program("select_count", {
        variants: { ...key.variants, ...compared.variants },
        constants: { ...key.constants, ...compared.constants, DIGIT_BITS, WORKGROUP_SIZE: workgroupSize },
      }),
      bindings: [bindWindow("keys", window, type.bytes, windows.length === 1), "totals"],
      params: params("select_count", {
        keyCount: window.count,
        stride: workgroups * workgroupSize,
        shift: shift - DIGIT_BITS,
        aboveLow: maskOf(known, 0),
        aboveHigh: maskOf(known, 32),
        prefixLow: prefix[0],
        prefixHigh: prefix[1],
      }),
      grid: [workgroups, 1, 1],
    };
  });
  return {
    buffers: { keys: { bytes: keyCount * type.bytes }, totals: { bytes: 4 * DIGITS } },
    passes,
    result: "totals",
  };
}

/** Goes one digit further with what `selectPlan` counted. @param head the number of sought keys, at least 1. */
export function nextSelection(selection: Selection, totals: ArrayLike<number>, head: number): Selection {
  let { before } = selection;
  let digit = 0;
  while (digit < DIGITS - 1 && before + totals[digit]! < head) before += totals[digit++]!;
  const shift = selection.shift - DIGIT_BITS;
  const [low, high] = selection.prefix;
  const prefix: Bound =
    shift >= 32 ? [low, (high | (digit << (shift - 32))) >>> 0] : [(low | (digit << shift)) >>> 0, high];
  return { shift, prefix, before, equal: totals[digit]! };
}

/** The last ordered form that may be among the first ones: the known bits, and all others set. */
export function boundOf({ shift, prefix }: Selection): Bound {
  const unknown = { begin: 0, end: shift };
  return [(prefix[0] | maskOf(unknown, 0)) >>> 0, (prefix[1] | maskOf(unknown, 32)) >>> 0];
}
