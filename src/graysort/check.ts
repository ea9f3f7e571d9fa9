import { crc32 } from "node:zlib";
import type { CheckJob } from "../core/cpu/check.js";
import type { ItemInput } from "../formats/format.js";
import { checkedParts, orderOfPart } from "../sort/items/check_items.js";
import type { CheckMethod, CheckOptions } from "../sort/items/item_check.js";
import { CRC_TABLES_BYTES, crcTables, type GraysortKernel, graysortKernels } from "./kernels.js";
import { graysortRecord } from "./record.js";
import { combineValsort, emptyValsort, graysortOrder, type ValsortSummary } from "./valsort.js";

const WORD = 2 ** 32;

const job: CheckJob<GraysortKernel> = {
  kernel: "check",
  bytes: CRC_TABLES_BYTES,
  write: ({ buffer }, at) => new Uint32Array(buffer, at).set(crcTables()),
};

/** Kernels add up CRC-32s at 2.4 GB/s on one core; a call of `zlib.crc32` for each record reaches a tenth. */
const method: CheckMethod = {
  order: graysortOrder,
  program: graysortKernels,
  job,
  sum: wordsOfCrcs,
};

/** The two words of the sum of the CRC-32s of at most 2^21 records, the lower one first. */
function wordsOfCrcs(records: Uint8Array): [number, number] {
  const { bytes } = graysortRecord;
  let sum = 0;
  for (let at = 0; at < records.length; at += bytes) sum += crc32(records.subarray(at, at + bytes));
  return [sum % WORD, Math.floor(sum / WORD)];
}

/**
 * Summarizes records of the sort benchmark as valsort does.
 *
 * @param input records of 100 bytes.
 * @throws InputError if the input cannot be read; the signal's reason.
 */
export async function summarizeGraysort(input: ItemInput, options: CheckOptions): Promise<ValsortSummary> {
  let summary = emptyValsort;
  for await (const part of checkedParts([input], method, options)) {
    const [low, high] = part.checksum;
    const crcSum = BigInt(high) * BigInt(WORD) + BigInt(low);
    summary = combineValsort(summary, { ...orderOfPart(part, graysortOrder, summary), crcSum });
  }
  return summary;
}
