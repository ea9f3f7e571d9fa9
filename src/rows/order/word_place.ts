import { CODED, goesOnAfter, isBetween, type KeyCoding } from "./key_coding.js";
import { isString, keysOf, MORE_BYTES } from "./order_words.js";
import type { KernelKey, KernelOrder } from "./row_order.js";

/** How far the keys of some rows were compared: up to a word in which they are equal. */
export interface WordPlace {
  /** The number of the key. */
  readonly key: number;
  /** How many words of it came before, or that its coded word came first. */
  readonly stage: number;
  /** Whether a key goes on after a word that does not say so itself. */
  readonly more: boolean;
}

/** A place whose words are not read yet. */
export type NextPlace = Omit<WordPlace, "more">;

/** Words of keys whose value does not fit: see assembly/rows/words.ts. */
const MISFIT_FIRST = 1n;
const MISFIT_LAST = 0xffff_ffff_ffff_ffffn;
const MISFIT_STAGE = 1 << 30;

/** Whether further words of a key are those of its bytes, because it does not fit. */
const isMisfitStage = (stage: number) => (stage & MISFIT_STAGE) !== 0;

/** The stage after the first word of a key that is not compared byte by byte. */
function stageAfterFirst({ invalid }: KernelKey, word: bigint): number {
  if (invalid === undefined) return 1;
  return word === (invalid === "first" ? MISFIT_FIRST : MISFIT_LAST) ? MISFIT_STAGE | 1 : 1;
}

/** How many words of a key came before. */
export const wordsBefore = (stage: number) => stage & ~MISFIT_STAGE;

/** The place after a word; undefined if the keys end with it. As `advance` in assembly/rows/advance.ts. */
export function placeAfter(
  { key, stage, more }: WordPlace,
  word: bigint,
  order: KernelOrder,
  coding: KeyCoding | undefined,
): NextPlace | undefined {
  const keys = keysOf(order);
  const { compare, descending } = keys[key]!;
  const own = descending ? BigInt.asUintN(64, ~word) : word;
  let goesOn = more;
  if (stage === CODED) {
    if (isBetween(own)) return { key, stage: 0 };
    goesOn = goesOnAfter(coding!, own);
  } else if (isMisfitStage(stage)) goesOn = (word & 0xffn) === MORE_BYTES;
  else if (isString({ compare })) goesOn = (own & 0xffn) === MORE_BYTES;
  else if (stage === 0) {
    const next = stageAfterFirst(keys[key]!, word);
    goesOn = more && (isMisfitStage(next) || (compare !== "float" && compare !== "month"));
    if (goesOn) return { key, stage: next };
  }
  if (goesOn) return { key, stage: stage === CODED ? 1 : stage + 1 };
  return key + 1 < keys.length ? { key: key + 1, stage: 0 } : undefined;
}
