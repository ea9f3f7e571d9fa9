import { checkCounts, checkDistinct, type Totals } from "../sort/evidence.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import type { DeviceJob, Kept } from "./device_job.js";
import type { SortJob } from "./engine.js";

/** Keys on the device that are ready to be written. */
export interface WrittenKeys extends Kept {
  /** What an inspection says of them; undefined without `verify`. */
  readonly totals: Totals | undefined;
}

/**
 * Drops the sorted keys that a job does not keep.
 *
 * @param sorted all keys.
 * @param device its name, for messages.
 * @throws VerifyError if the job is verified and the kept keys are not the first of all runs of equal keys, or
 *   the lengths of these runs are wrong.
 */
export async function writtenKeys(
  clock: PhaseClock,
  onDevice: DeviceJob,
  { unique, head }: SortJob,
  sorted: WrittenKeys,
  device: string,
): Promise<WrittenKeys> {
  const inspect = (kept: Kept) => clock.time("verify", 0, () => onDevice.inspectFirst(kept));
  let written = sorted;
  if (unique) {
    const kept = await clock.time("unique", 0, () => onDevice.dropDuplicates(sorted.keys));
    written = { ...kept, totals: sorted.totals && (await inspect(kept)) };
    if (sorted.totals) checkDistinct(kept.count, sorted.totals, written.totals!, device);
    if (sorted.totals && kept.lengths) checkCounts(sorted.count, sorted.totals, written.totals!, device);
  }
  if (head === undefined || head >= written.count) return written;
  const first = { ...written, count: head };
  return { ...first, totals: sorted.totals && (await inspect(first)) };
}
