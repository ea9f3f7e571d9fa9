import { settleAll } from "../core/settle_all.js";

/** Pieces of work at a time: as many as libuv has threads (bin/gpusort.js), as networks have a long latency. */
const AT_ONCE = 16;

/**
 * Does many pieces of work that wait for a disk or a network, some at a time. After one fails, no other begins.
 *
 * @param work does the piece of a number, from 0 to `count - 1`.
 * @returns what the pieces return, in the order of their numbers.
 * @throws what a piece throws, once those that had begun have ended.
 */
export async function limitConcurrency<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const take = async () => {
    try {
      while (next < count) {
        const index = next++;
        results[index] = await work(index);
      }
    } catch (error) {
      next = count;
      throw error;
    }
  };
  await settleAll(Array.from({ length: Math.min(AT_ONCE, count) }, take));
  return results;
}
