// The words of a row's keys, one after the other.

import { CODED, goesOnAfter, isBetween } from "./coding";
import { FLOAT, MONTH, Order } from "./order";
import { MORE_BYTES } from "./string_words";
import { isMisfitStage, stageAfterFirst } from "./words";

// The place in the keys after a word: `advance` sets it.
export let nextKey: u32 = 0;
export let nextStage: u32 = 0;

/** @param more whether a key that is no string goes on. @returns whether there is another word. */
export function advance(order: Order, number: u32, stage: u32, word: u64, more: bool): bool {
  const key = order.keyAt(number);
  const comparison = key.comparison;
  let goesOn = more;
  if (stage === CODED) {
    const coded = word ^ key.flip;
    if (isBetween(coded)) {
      nextKey = number;
      nextStage = 0;
      return true;
    }
    stage = 0;
    goesOn = goesOnAfter(order, coded);
  } else if (isMisfitStage(stage)) goesOn = (word & 0xff) === MORE_BYTES;
  else if (key.hasStringWords) goesOn = ((word ^ key.flip) & 0xff) === MORE_BYTES;
  else if (stage === 0) {
    stage = stageAfterFirst(key, word) - 1;
    goesOn = more && (isMisfitStage(stage) || (comparison !== FLOAT && comparison !== MONTH));
  }
  nextKey = goesOn ? number : number + 1;
  nextStage = goesOn ? stage + 1 : 0;
  return nextKey < order.keyCount;
}
