// Keys to elements, and elements to keys or indices. Both inspect the elements while they are in the cache.

import { indexOf } from "./element";
import { inspect } from "./inspect";
import { fromOrdered, toOrdered } from "./order";

/** Elements that are converted and then inspected. */
const BLOCK: usize = 2048;

/** Turns keys into elements, in place if both have the same size. Pairs get indices from `index` on. */
export function encode<K, E>(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
): void {
  const flip: K = descending ? <K>-1 : 0;
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const from = keys + at * sizeof<K>();
    const to = elements + at * sizeof<E>();
    for (let i: usize = 0; i < some; i++) {
      const key = toOrdered<K>(load<K>(from + i * sizeof<K>()), order, flip, isPair<K, E>());
      store<E>(to + i * sizeof<E>(), elementOf<K, E>(key, index + <u32>(at + i)));
    }
    inspect<E>(to, some, begin, end, isPair<K, E>(), found);
  }
}

/** The element of a key in its ordered form. */
function elementOf<K, E>(ordered: K, index: u32): E {
  if (isVector<E>()) return <E>i64x2.replace_lane(i64x2.splat(index), 0, <i64>ordered);
  return isPair<K, E>() ? <E>(((<u64>ordered) << 32) | index) : <E>ordered;
}

function isPair<K, E>(): bool {
  return sizeof<E>() > 4 && sizeof<E>() > sizeof<K>();
}

/** Turns elements back into keys, in place if both have the same size. */
export function decode<K, E>(
  elements: usize,
  keys: usize,
  n: usize,
  order: u32,
  descending: bool,
  begin: u32,
  end: u32,
  found: usize,
): void {
  const flip: K = descending ? <K>-1 : 0;
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const from = elements + at * sizeof<E>();
    const to = keys + at * sizeof<K>();
    inspect<E>(from, some, begin, end, false, found);
    for (let i: usize = 0; i < some; i++) {
      const ordered = <K>load<E>(from + i * sizeof<E>());
      store<K>(to + i * sizeof<K>(), fromOrdered<K>(ordered, order, flip));
    }
  }
}

/** Turns pairs into their indices. */
export function extract<E>(pairs: usize, indices: usize, n: usize, begin: u32, end: u32, found: usize): void {
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const from = pairs + at * sizeof<E>();
    inspect<E>(from, some, begin, end, true, found);
    for (let i: usize = 0; i < some; i++) {
      store<u32>(indices + ((at + i) << 2), indexOf<E>(load<E>(from + i * sizeof<E>())));
    }
  }
}
