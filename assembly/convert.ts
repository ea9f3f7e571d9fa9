// Keys to elements, and elements to keys or indices.

import { fourKeys, indexOf } from "./element";
import { inspect } from "./inspect";
import { Job } from "./job";
import {
  fromOrdered,
  fromOrderedVector,
  isOrdered,
  toOrdered,
  toOrderedVector,
  toOrderedWords,
} from "./order";

/** Elements that are converted, and inspected while they are in the cache. */
export const BLOCK: usize = 2048;

/** Turns keys into elements, in place if both have the same size. Pairs get indices from `index` on. */
export function encode<K, E>(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: Job,
): void {
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const to = elements + at * sizeof<E>();
    encodeBlock<K, E>(keys + at * sizeof<K>(), to, some, index + <u32>at, isPair<K, E>(), job);
    inspect<E>(to, some, findings, job);
  }
}

/** @param nansEqual whether all NaNs become the same element. */
export function encodeBlock<K, E>(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  nansEqual: bool,
  job: Job,
): void {
  const order = job.order;
  const flip: K = job.isDescending ? <K>-1 : 0;
  if (keys === elements && isOrdered<K>(order, flip)) return;
  let done: usize = 0;
  if (sizeof<K>() === sizeof<E>()) {
    done = n & ~(16 / sizeof<K>() - 1);
    for (let p: usize = 0; p < done * sizeof<K>(); p += 16) {
      v128.store(elements + p, toOrderedVector<K>(v128.load(keys + p), order, flip, nansEqual));
    }
  } else if (sizeof<E>() === 4) {
    done = n & ~3;
    for (let i: usize = 0; i < done; i += 4) {
      const words = fourKeys<K>(keys + i * sizeof<K>());
      v128.store(elements + (i << 2), toOrderedWords<K>(words, order, flip, nansEqual));
    }
  }
  for (let i = done; i < n; i++) {
    const key = toOrdered<K>(load<K>(keys + i * sizeof<K>()), order, flip, nansEqual);
    store<E>(elements + i * sizeof<E>(), elementOf<K, E>(key, index + <u32>i));
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
export function decode<K, E>(elements: usize, keys: usize, n: usize, job: Job): void {
  const order = job.order;
  const flip: K = job.isDescending ? <K>-1 : 0;
  if (keys === elements && isOrdered<K>(order, flip)) return;
  let done: usize = 0;
  if (sizeof<K>() === sizeof<E>()) {
    done = n & ~(16 / sizeof<K>() - 1);
    for (let p: usize = 0; p < done * sizeof<K>(); p += 16) {
      v128.store(keys + p, fromOrderedVector<K>(v128.load(elements + p), order, flip));
    }
  }
  for (let i = done; i < n; i++) {
    const ordered = <K>load<E>(elements + i * sizeof<E>());
    store<K>(keys + i * sizeof<K>(), fromOrdered<K>(ordered, order, flip));
  }
}

/** Inspects sorted elements, and turns them back into keys unless they are pairs. */
export function inspectAndDecode<E>(elements: usize, n: usize, findings: usize, job: Job): void {
  const keyBytes = job.keyBytes;
  const isPairs = job.sortsPairs;
  const keys = job.keys + ((elements - job.elements) / sizeof<E>()) * keyBytes;
  for (let at: usize = 0; at < n; at += BLOCK) {
    const some = min<usize>(BLOCK, n - at);
    const from = elements + at * sizeof<E>();
    const to = keys + at * keyBytes;
    inspect<E>(from, some, findings, job);
    if (isPairs) continue;
    if (sizeof<E>() === 8) decode<u64, u64>(from, to, some, job);
    else if (keyBytes === 4) decode<u32, u32>(from, to, some, job);
    else if (keyBytes === 2) decode<u16, u32>(from, to, some, job);
    else decode<u8, u32>(from, to, some, job);
  }
}

/** Turns pairs into their indices. */
export function extract<E>(pairs: usize, indices: usize, n: usize): void {
  for (let i: usize = 0; i < n; i++) {
    store<u32>(indices + (i << 2), indexOf<E>(load<E>(pairs + i * sizeof<E>())));
  }
}
