import type { RowKey } from "./row_order.js";

/** Words of keys whose value does not fit: see assembly/rows/words.ts. */
const MISFIT_FIRST = 1n;
const MISFIT_LAST = 0xffff_ffff_ffff_ffffn;
const MISFIT_STAGE = 1 << 30;

/** Whether further words of a key are those of its bytes, because it does not fit. */
export const isMisfitStage = (stage: number) => (stage & MISFIT_STAGE) !== 0;

/** The stage after the first word of a key that is not compared byte by byte. */
export function stageAfterFirst({ invalid }: RowKey, word: bigint): number {
  if (invalid === undefined) return 1;
  return word === (invalid === "first" ? MISFIT_FIRST : MISFIT_LAST) ? MISFIT_STAGE | 1 : 1;
}

/** How many words of a key came before. */
export const wordsBefore = (stage: number) => stage & ~MISFIT_STAGE;
