import { VerifyError } from "../../errors.js";
import { FINDINGS_BYTES } from "../findings.js";
import type { KernelCall, KernelName } from "../kernels.js";
import { DIVIDES_NOTHING } from "./spread.js";
import { OUTCOME_AT, type SortWork, writeJob } from "./work.js";

/** What comes of such a sort: see assembly/few_keys.ts. */
const Outcome = { wasInOrder: 1, isSorted: 2, otherSums: 3 } as const;

/**
 * Sorts keys on the calling thread, before it returns, by few calls of kernels.
 *
 * @throws VerifyError unless the result holds the elements of the input in order, if the job is verified.
 */
export function sortFewKeys(work: SortWork): void {
  const { job, form, memory, at, runner } = work;
  const { keyBytes, bytes, pairs } = form;
  const run = (kernel: string, call: KernelCall) => runner.runSync(kernel as KernelName, [call]);
  writeJob(work, 0);
  new Uint8Array(memory.buffer, at.findings, 2 * FINDINGS_BYTES).fill(0);
  const encoded = [at.keys, at.elements, job.keyCount, 0, at.findings, at.job, ...DIVIDES_NOTHING];
  run(`encode_${keyBytes}_${bytes}`, encoded);
  run(`sort_few_${bytes}`, [at.elements, at.scratch, job.keyCount, at.findings, at.job]);
  const [outcome] = new Uint32Array(memory.buffer, at.job + OUTCOME_AT, 1);
  if (outcome === Outcome.wasInOrder && !pairs) {
    run(`decode_${keyBytes}_${bytes}`, [at.elements, at.keys, job.keyCount, at.job]);
  }
  if (!job.verify || outcome === Outcome.wasInOrder || outcome === Outcome.isSorted) return;
  throw outcome === Outcome.otherSums ? otherKeys() : wrongOrder("some");
}

const hint = "the input is untouched and no output was written; this machine computed a wrong result";

/** The error of a sort whose result does not hold the keys of its input. */
export const otherKeys = () =>
  new VerifyError("CPU changed the keys while it sorted them: the checksums differ", { hint });

/** @param pairs the number of neighbours that are not in order. */
export const wrongOrder = (pairs: number | "some") =>
  new VerifyError(`CPU sorted wrongly: ${pairs} pairs of neighbours are out of order`, { hint });
