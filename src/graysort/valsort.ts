import { itemOrder } from "../core/items/order.js";
import { combineOrders, emptyOrder, type OrderSummary } from "../core/items/summary.js";
import { graysortRecord } from "./record.js";

/**
 * What valsort, the checker of the sort benchmark, says of some records. The summaries of the parts of a file
 * combine to the summary of the file.
 */
export interface ValsortSummary extends OrderSummary {
  /** The sum of the CRC-32s of all records: valsort's checksum. It does not depend on their order. */
  readonly crcSum: bigint;
}

export const emptyValsort: ValsortSummary = { ...emptyOrder, crcSum: 0n };

/** The order that valsort expects: the keys ascend. */
export const graysortOrder = itemOrder(graysortRecord, false);

/** Combines the summaries of two adjacent parts, `a` before `b`. */
export function combineValsort(a: ValsortSummary, b: ValsortSummary): ValsortSummary {
  return { ...combineOrders(a, b, graysortOrder), crcSum: a.crcSum + b.crcSum };
}

/** The checksum as valsort and gensort -c print it: hexadecimal, without leading zeros. */
export const crcSumText = (sum: bigint): string => sum.toString(16);
