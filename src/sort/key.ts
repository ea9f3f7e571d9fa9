import type { ElementType, KeyOrder } from "../elements.js";
import type { ModuleName } from "../wgsl.generated.js";

/** Kernels compute places in 32 bits, and a chunk past the last key must not wrap. No device binds so many keys. */
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

/** The shared WGSL that gives a kernel its `Key`, by key width. */
export function keyModules(type: ElementType): ModuleName[] {
  return [type.words === 1 ? "key32" : "key64"];
}

/** The shared WGSL that gives a kernel `Key` and its order. Goes with `orderConstants`. */
export function orderModules(type: ElementType): ModuleName[] {
  return type.words === 1 ? ["key32", "order32"] : ["key64", "order64"];
}

/** The numbers by which wgsl/shared/order32.wgsl and order64.wgsl know the orders. */
const orderNumbers: Record<KeyOrder, number> = { unsigned: 0, signed: 1, float: 2 };

export function orderConstants(type: ElementType, { descending }: Direction): Record<string, number> {
  return { ORDER: orderNumbers[type.order], DESCENDING: descending ? 1 : 0 };
}
