import type { ElementType, KeyOrder } from "../elements.js";
import type { Plan } from "../plan/plan.js";
import type { ModuleName } from "../wgsl.generated.js";

/** Kernels compute places in 32 bits, and a chunk past the last key must not wrap. */
export const MAX_KEYS = 2 ** 31;

/** @throws RangeError unless it is a whole number from 0 to MAX_KEYS. */
export function requireKeyCount(keyCount: number): void {
  if (!Number.isInteger(keyCount) || keyCount < 0 || keyCount > MAX_KEYS) {
    throw new RangeError(`cannot plan a sort of ${keyCount} keys`);
  }
}

/** Which way a sort goes. Descending is the exact reverse of the ascending order of keys. */
export interface Direction {
  readonly descending: boolean;
}

/**
 * The bits of a key that decide, from `begin` up to, but without, `end`; 0 is the least significant. Keys that are equal
 * in them keep their order. They are bits of the key's image (wgsl/shared/order32.wgsl): of unsigned keys, sorted
 * ascending, simply their own.
 */
export interface KeyBits {
  readonly begin: number;
  readonly end: number;
}

/** What travels with each key: a value of so many bytes, a multiple of 4; or, made by the sort, the key's index. */
export type Payload = number | "index";

/** All that a sort may be asked for besides its keys. */
export interface SortOptions extends Direction {
  /** All of the key's bits without it. */
  readonly bits?: KeyBits | undefined;
  /** Nothing without it. */
  readonly payload?: Payload | undefined;
  /** Whether the buffers "keys" and "values" must be afterwards as they were; otherwise they are used as scratch. */
  readonly keepInput?: boolean | undefined;
  /** Whether the number of keys is the word in the buffer "count", at most that of the plan. */
  readonly counted?: boolean | undefined;
  /** Whether it will run just once: kernels that save microseconds are then not worth their compiling. */
  readonly once?: boolean | undefined;
}

/** A plan that takes keys from the buffer "keys", and values, if there are any, from "values". */
export interface SortPlan extends Plan {
  /** The buffer that holds the values, or the indices, after the last pass, in the order of their keys. */
  readonly values?: string;
}

export function allBits(type: ElementType): KeyBits {
  return { begin: 0, end: 8 * type.bytes };
}

/** Whether a sort is of keys alone, by all of their bits, in place: what every algorithm can do. */
export function isPlain({ bits, payload, keepInput, counted }: SortOptions): boolean {
  return bits === undefined && !payload && !keepInput && !counted;
}

/** The shared WGSL that gives a kernel its `Key`, by key width. */
export function keyModule(type: ElementType): ModuleName {
  return `key${(8 * type.bytes) as 8 | 16 | 32 | 64}`;
}

/** The shared WGSL that gives a kernel `Key` and its order. Goes with `orderConstants`. */
export function orderModules(type: ElementType): ModuleName[] {
  return [keyModule(type), type.words === 1 ? "order32" : "order64"];
}

/** The numbers by which wgsl/shared/order32.wgsl and order64.wgsl know the orders. */
const orderNumbers: Record<KeyOrder, number> = { unsigned: 0, signed: 1, float: 2 };

export function orderConstants(type: ElementType, { descending }: Direction): Record<string, number> {
  return { KEY_BITS: 8 * type.bytes, ORDER: orderNumbers[type.order], DESCENDING: descending ? 1 : 0 };
}
