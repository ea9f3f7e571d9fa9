import { VerifyError } from "../../errors.js";
import { FINDINGS_BYTES } from "../findings.js";
import type { KernelCall } from "../kernels.js";
import { shortPieces } from "./convert.js";
import type { SortWork } from "./work.js";

/** Adjacent keys in memory. */
export interface Extent {
  /** The address of the first key. */
  readonly at: number;
  readonly count: number;
}

/** What a job keeps: see `SortJob`. */
interface KeptOptions {
  readonly unique?: boolean | "counts" | undefined;
  readonly head?: number | undefined;
  readonly verify: boolean;
}

/** The findings of a kernel call: see assembly/unique.ts. */
interface Firsts {
  readonly count: number;
  readonly sum: bigint;
}

/** A shorter extent is moved behind the one before it, as a write takes longer than to copy it. */
const SHORT_BYTES = 1 << 16;

/**
 * Finds the keys that a job keeps among its sorted keys.
 *
 * @param keepFirsts drops the duplicates among all keys, in place, and returns how many keys it kept; by
 *   default threads do. It is not called if a verified job finds no duplicates.
 * @returns where they are, in order.
 * @throws VerifyError if the job is verified and the kept keys are not the first of all runs of equal keys.
 */
export async function keptKeys(
  work: SortWork,
  { unique, head = Number.POSITIVE_INFINITY, verify }: KeptOptions,
  keepFirsts?: (all: Extent) => number,
): Promise<Extent[]> {
  const all = { at: work.at.keys, count: work.job.keyCount };
  const kept = unique
    ? await work.clock.time("unique", 0, () => dropDuplicates(work, all, verify, keepFirsts))
    : [all];
  let room = head;
  return kept.map(({ at, count }) => {
    const taken = Math.min(count, room);
    room -= taken;
    return { at, count: taken };
  });
}

async function dropDuplicates(
  work: SortWork,
  all: Extent,
  verify: boolean,
  keepFirsts?: (all: Extent) => number,
): Promise<Extent[]> {
  const { keyBytes } = work.form;
  const pieces = shortPieces(work)
    .map(({ from, count }) => ({ at: all.at + from * keyBytes, count }))
    .filter(({ count }) => count > 0);
  const before = verify ? total(await run(work, "count_firsts", pieces)) : undefined;
  if (before?.count === all.count) return [all];
  const kept = keepFirsts ? [{ at: all.at, count: keepFirsts(all) }] : await keepFirstsOfPieces(work, pieces);
  if (before) {
    const count = kept.reduce((sum, extent) => sum + extent.count, 0);
    const after = total(await run(work, "count_firsts", kept));
    if (before.count !== count || after.count !== count || before.sum !== after.sum) {
      throw new VerifyError(`CPU dropped the wrong keys: it kept ${count} of ${before.count} distinct ones`, {
        hint: "the input is untouched and no output was written; this machine computed a wrong result",
      });
    }
  }
  return kept;
}

/** Threads drop the duplicates of a piece each, in place. This leaves gaps. */
async function keepFirstsOfPieces(work: SortWork, pieces: readonly Extent[]): Promise<Extent[]> {
  const firsts = await run(work, "keep_firsts", pieces);
  return joined(
    work,
    pieces.map(({ at }, i) => ({ at, count: firsts[i]!.count })),
  );
}

/** Runs a kernel of assembly/unique.ts over extents that follow each other. */
async function run(
  { runner, threads, job, form, memory, at }: SortWork,
  kernel: "count_firsts" | "keep_firsts",
  extents: readonly Extent[],
): Promise<Firsts[]> {
  const firsts: Firsts[] = [];
  const last = ({ at, count }: Extent) => at + (count - 1) * form.keyBytes;
  for (let begin = 0; begin < extents.length; begin += at.findingsRows) {
    const some = extents.slice(begin, begin + at.findingsRows);
    const rows = new DataView(memory.buffer, at.findings, some.length * FINDINGS_BYTES);
    new Uint8Array(memory.buffer, at.findings, rows.byteLength).fill(0); // in case a call finds nothing
    const calls = some.map((extent, i): KernelCall => {
      const previous = extents[begin + i - 1];
      const row = at.findings + i * FINDINGS_BYTES;
      return [extent.at, extent.count, previous ? last(previous) : 0, row, at.job];
    });
    await runner.run(`${kernel}_${form.keyBytes}`, calls, threads, { signal: job.signal });
    for (let row = 0; row < rows.byteLength; row += FINDINGS_BYTES) {
      firsts.push({ count: rows.getUint32(row, true), sum: rows.getBigUint64(row + 8, true) });
    }
  }
  return firsts;
}

function total(firsts: readonly Firsts[]): Firsts {
  let [count, sum] = [0, 0n];
  for (const one of firsts) {
    count += one.count;
    sum += one.sum;
  }
  return { count, sum: BigInt.asUintN(64, sum) };
}

/** Moves short extents behind those before them, and leaves out empty ones. */
function joined({ memory, form: { keyBytes } }: SortWork, extents: readonly Extent[]): Extent[] {
  const result: Extent[] = [];
  for (const { at, count } of extents) {
    const before = result.at(-1);
    const bytes = count * keyBytes;
    if (!before || bytes >= SHORT_BYTES) {
      if (count > 0) result.push({ at, count });
      continue;
    }
    const end = before.at + before.count * keyBytes;
    new Uint8Array(memory.buffer, end, bytes).set(new Uint8Array(memory.buffer, at, bytes));
    result[result.length - 1] = { at: before.at, count: before.count + count };
  }
  return result;
}
