import { checkCounts, checkDistinct, type Totals } from "../sort/evidence.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import type { DeviceJob, Kept } from "./device_job.js";
import type { SortJob } from "./engine.js";

/** Keys on the device that are ready to be written. */
export interface WantedKeys extends Kept {
  /** What an inspection found in them; undefined without `verify`. */
  readonly totals: Totals | undefined;
}

/**
 * Drops the sorted keys that a job does not want.
 *
 * @param sorted all keys.
 * @param device its name, for messages.
 * @throws VerifyError if the job is verified and the kept keys are not the first of all runs of equal keys, or
 *   the lengths of these runs are wrong.
 */
export async function wantedKeys(
  clock: PhaseClock,
  onDevice: DeviceJob,
  { unique, head }: SortJob,
  sorted: WantedKeys,
  device: string,
): Promise<WantedKeys> {
  const inspect = (kept: Kept) => clock.time("verify", 0, () => onDevice.inspectFirst(kept));
  let wanted = sorted;
  if (unique) {
    const kept = await clock.time("unique", 0, () => onDevice.dropDuplicates(sorted.keys));
    wanted = { ...kept, totals: sorted.totals && (await inspect(kept)) };
    if (sorted.totals) checkDistinct(kept.count, sorted.totals, wanted.totals!, device);
    if (sorted.totals && kept.lengths) checkCounts(sorted.count, sorted.totals, wanted.totals!, device);
  }
  if (head === undefined || head >= wanted.count) return wanted;
  const first = { ...wanted, count: head };
  return { ...first, totals: sorted.totals && (await inspect(first)) };
}
