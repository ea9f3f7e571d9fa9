import { VerifyError } from "../errors.js";
import type { KernelName } from "./kernels.js";
import { OUTCOME_AT, type SortWork, writeJob } from "./work.js";

/** What comes of a whole sort: see assembly/whole.ts. */
const Outcome = { wasInOrder: 1, isSorted: 2, otherSums: 3 } as const;

/**
 * Sorts keys on the calling thread, before it returns: one call of a kernel does all of it.
 *
 * @throws VerifyError unless the result holds the elements of the input in order, if the job is verified.
 */
export function sortWhole(work: SortWork): void {
  const { job, form, memory, at, runner } = work;
  writeJob(work, 0);
  const kernel = `sort_whole_${form.keyBytes}_${form.bytes}` as KernelName;
  runner.runAtOnce(kernel, [[at.keys, at.elements, at.scratch, job.keyCount, at.findings, at.job]]);
  const [outcome] = new Uint32Array(memory.buffer, at.job + OUTCOME_AT, 1);
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
