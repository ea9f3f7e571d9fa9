import { settleAll } from "../../settle_all.js";
import type { ItemSource } from "../../streams/item_stream.js";
import { SAMPLE_KEYS, SAMPLE_PLACES } from "../tuning.js";
import { piecesOf, type SortWork } from "./work.js";

/**
 * Reads a sample of the keys, from places at equal distances.
 *
 * @returns the number of keys, which are at the address.
 */
export async function readSample(
  { job, form, memory, clock }: SortWork,
  source: ItemSource,
  address: number,
): Promise<number> {
  const { keyBytes } = form;
  const reader = source.sample ?? source;
  let count = 0;
  const reads = piecesOf(job.keyCount, SAMPLE_PLACES).map((place): Promise<void> => {
    const keys = Math.min(place.count, SAMPLE_KEYS / SAMPLE_PLACES);
    const into = new Uint8Array(memory.buffer as ArrayBuffer, address + count * keyBytes, keys * keyBytes);
    count += keys;
    return reader.read(into, place.from * keyBytes);
  });
  await clock.time("read", 0, () => settleAll(reads));
  return count;
}
