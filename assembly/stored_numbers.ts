// Numbers as memory holds them, of any length and byte order, at any address.

import { toOrdered } from "./order";

/**
 * The ordered form of a number, in which all NaNs are equal: see order.ts.
 *
 * @param bytes its length: 1, 2, 4 or 8.
 * @param isBig whether its first byte is the most significant one.
 */
export function orderedNumber(at: usize, bytes: u32, order: u32, isBig: bool): u64 {
  if (bytes === 8) return ordered<u64>(at, order, isBig);
  if (bytes === 4) return ordered<u32>(at, order, isBig);
  if (bytes === 2) return ordered<u16>(at, order, isBig);
  return ordered<u8>(at, order, isBig);
}

function ordered<K>(at: usize, order: u32, isBig: bool): K {
  const key = load<K>(at);
  return toOrdered<K>(isBig ? bswap<K>(key) : key, order, 0, true);
}
