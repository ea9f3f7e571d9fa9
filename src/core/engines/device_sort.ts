import type { Staging } from "../device/staging.js";
import { elementType } from "../elements.js";
import { VerifyError } from "../errors.js";
import { settleAll } from "../settle_all.js";
import { checkCounts, checkDistinct, checkTotals, type Totals } from "../sort/evidence.js";
import { IN_ORDER, type SortOptions, type SortPlan } from "../sort/key.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import type { DeviceJob, Kept, Sorted } from "./device_job.js";
import { type SortJob, type SortReport, writeOnes } from "./engine.js";
import { type GpuPlans, plansOfFirstKeys } from "./gpu_plans.js";
import { ReadbackCheck, Transfers } from "./transfers.js";

/** What a sort of a job on a device consists of. */
export interface DeviceSortParts {
  /** The name of the device, for messages. */
  readonly device: string;
  readonly job: SortJob;
  readonly options: SortOptions;
  readonly plan: SortPlan;
  /** The buffers and the kernels of the plan. */
  readonly onDevice: DeviceJob;
  /** Makes other plans of the job. */
  readonly plans: GpuPlans;
  /** Moves the keys to the device and back. */
  readonly staging: Staging;
  readonly clock: PhaseClock;
}

export interface Sources {
  readonly keys: ItemSource;
  readonly values?: ItemSource | undefined;
}

export interface Sinks {
  readonly keys?: ItemSink | undefined;
  readonly values?: ItemSink | undefined;
  /** Takes how often each key occurs. */
  readonly counts?: ItemSink | undefined;
}

/** Keys on the device that are ready to be written. */
interface WrittenKeys extends Kept {
  /** What an inspection says of them; undefined without `verify`. */
  readonly totals: Totals | undefined;
}

/** What is on the device after a sort, ready to be read back. */
export interface DeviceResult extends WrittenKeys {
  /** What the report says of a sort. */
  readonly report: Pick<SortReport, "algorithm" | "gpuMs">;
}

/** Sorts the keys of one job, and checks them: `upload`, then `sort`, then `download`. */
export class DeviceSort {
  readonly #parts: DeviceSortParts;
  readonly #transfers: Transfers;

  constructor(parts: DeviceSortParts) {
    this.#parts = parts;
    this.#transfers = new Transfers(parts.staging, parts.clock);
  }

  /** Kernels compile during the upload. */
  async upload(from: Sources): Promise<void> {
    const { job, onDevice, clock } = this.#parts;
    const uploads = async () => {
      await this.#transfers.upload(onDevice.keys, from.keys, job.keyCount * job.type.bytes);
      await this.#transfers.upload(onDevice.values, from.values, job.keyCount * (job.payloadBytes ?? 0));
    };
    // If one of the two fails, the other must still end before buffers are destroyed.
    await settleAll([uploads(), clock.time("prepare", 0, () => onDevice.prepare())]);
  }

  /** @throws VerifyError if the job is verified and the result is wrong. */
  async sort(): Promise<DeviceResult> {
    const { selection } = this.#parts.plan;
    return (
      (selection === undefined ? undefined : await this.#sortFirst(selection)) ?? (await this.#sortAll())
    );
  }

  /**
   * Selects the first keys, sorts only these, and checks them.
   *
   * @param selection the plan's buffer that tells what was selected.
   * @returns undefined if the job is verified and not all keys that equal the last one were selected, as the
   *   check needs all of them.
   * @throws VerifyError if the job is verified and these are not the first keys.
   */
  async #sortFirst(selection: string): Promise<DeviceResult | undefined> {
    const { job, options, onDevice, clock, device } = this.#parts;
    const { top = 0 } = options;
    const { ms, keys, values } = await clock.time("sort", 0, () => onDevice.sort());
    const report = { algorithm: "radix select", gpuMs: ms };
    const { readSelected } = await plansOfFirstKeys();
    if (!job.verify) return { keys, values, count: top, totals: undefined, report };
    // All keys up to the bound must be there, and in order. The first of them are then the first of all keys.
    const totals = await clock.time("verify", 0, async () => {
      const { count, bound, isWhole } = await readSelected(await onDevice.read(selection));
      if (isWhole === false) return undefined;
      if (count < top || count * job.type.bytes > keys.size) {
        throw new VerifyError(`${device} selected ${count} of ${top} keys`);
      }
      const before = await onDevice.inspectUpTo(bound);
      if (isWhole === undefined && before.seen > count) return undefined;
      const after = await onDevice.inspectFirst({ keys, count, values });
      // If no more were selected than the result holds, and these in any order, their order does not matter.
      const anyOrder = job.unsorted === true && count === top;
      checkTotals(count, before, anyOrder ? { ...after, firstInversion: undefined } : after, device);
      return count === top ? after : onDevice.inspectFirst({ keys, count: top, values });
    });
    return totals && { keys, values, count: top, totals, report };
  }

  /** Sorts all keys, checks them, and drops those that are not kept. */
  async #sortAll(): Promise<DeviceResult> {
    const { job, options, plan, plans, onDevice, clock, device } = this.#parts;
    if (onDevice.checksInSubmission) return this.#sortInOneSubmission();
    const whole =
      plan.selection === undefined ? undefined : await plans.plan(job, { ...options, top: undefined });
    const before = job.verify ? await clock.time("verify", 0, () => onDevice.inspectInput()) : undefined;
    const sorted = await this.#sortAfterInspection(whole, before);
    if (!sorted) {
      const written = await this.#written({ keys: onDevice.keys, values: onDevice.values }, before);
      return { ...written, report: { algorithm: IN_ORDER, gpuMs: 0 } };
    }
    const after = before && (await clock.time("verify", 0, () => onDevice.inspectResult(sorted)));
    if (before && after) checkTotals(job.keyCount, before, after, device);
    const report = { algorithm: plans.algorithmFor(job), gpuMs: sorted.ms };
    return { ...(await this.#written(sorted, after)), report };
  }

  /** Does what `#sortAll` does with few keys, and waits for the device only once. */
  async #sortInOneSubmission(): Promise<DeviceResult> {
    const { job, options, plans, onDevice, staging, clock, device } = this.#parts;
    // All keys or indices are read back, unless some are dropped after the sort.
    const isIndex = options.payload === "index";
    const bytes = job.unique ? 0 : job.keyCount * (isIndex ? 4 : job.type.bytes);
    await staging.expectReadback(bytes);
    const sorted = await clock.time("sort", 0, () =>
      onDevice.sortChecked((encoder, { keys, values }) => {
        if (bytes > 0) staging.encodeReadback(encoder, isIndex ? values! : keys, bytes);
      }),
    );
    checkTotals(job.keyCount, sorted.before, sorted.after, device);
    const report = { algorithm: plans.algorithmFor(job), gpuMs: sorted.ms };
    return { ...(await this.#written(sorted, sorted.after)), report };
  }

  /**
   * Runs the sort with what the inspection of the input showed. Keys that differ in only some of their bits,
   * such as small numbers, need fewer passes.
   *
   * @param whole the plan of a sort of all keys, if the job's plan selects the first ones.
   * @returns undefined if the keys are in order, and so need no sort.
   */
  async #sortAfterInspection(
    whole: SortPlan | undefined,
    before: Totals | undefined,
  ): Promise<Sorted | undefined> {
    const { job, options, plan, plans, onDevice, clock } = this.#parts;
    // An inspection that missed keys is not used. `checkTotals` reports it later.
    const seen = before?.seen === job.keyCount ? before : undefined;
    if (seen?.inversions === 0 && options.payload !== "index") return undefined;
    const other = (seen && plans.shorter(job, options, whole ?? plan, seen)) ?? whole;
    return clock.time("sort", 0, () => onDevice.sort(other ? { plan: other } : {}));
  }

  /**
   * Drops the sorted keys that the job does not keep.
   *
   * @param totals what an inspection says of all keys; undefined without `verify`.
   * @throws VerifyError if the job is verified and the kept keys are not the first of all runs of equal keys,
   *   or the lengths of these runs are wrong.
   */
  async #written({ keys, values }: Omit<Sorted, "ms">, totals: Totals | undefined): Promise<WrittenKeys> {
    const { job, onDevice, clock, device } = this.#parts;
    const { unique, head, keyCount } = job;
    const inspect = (kept: Kept) => clock.time("verify", 0, () => onDevice.inspectFirst(kept));
    let written: WrittenKeys = { keys, values, count: keyCount, totals };
    if (unique) {
      const kept = await clock.time("unique", 0, () => onDevice.dropDuplicates(keys));
      written = { ...kept, totals: totals && (await inspect(kept)) };
      if (totals) checkDistinct(kept.count, totals, written.totals!, device);
      if (totals && kept.lengths) checkCounts(keyCount, totals, written.totals!, device);
    }
    if (head !== undefined && head < written.count) {
      const first = { ...written, count: head };
      written = { ...first, totals: totals && (await inspect(first)) };
    }
    return { ...written, values };
  }

  /** Reads the result back, checks that it arrives as it was, and ends the sinks. */
  async download({ keys, values, lengths, count, totals }: DeviceResult, to: Sinks): Promise<void> {
    const { job, options, clock, device } = this.#parts;
    const { type, keyCount, verify, arrivalChecked } = job;
    const transfers = this.#transfers;
    const keyCheck = totals && !arrivalChecked ? ReadbackCheck.ofKeys(type, totals) : undefined;
    await transfers.download(keys, to.keys, count * type.bytes, keyCheck, device);
    const countCheck = totals && lengths && ReadbackCheck.ofWords(totals.sums[0]);
    await transfers.download(lengths, to.counts, 4 * count, countCheck, device);
    if (to.counts && !lengths) await writeOnes(to.counts, count, clock);
    const { payload = 0 } = options;
    const isIndex = payload === "index";
    const indexCheck = verify && isIndex ? await this.#indexCheck(values!, count, keyCount) : undefined;
    const valueBytes = count * (isIndex ? 4 : payload);
    await transfers.download(values, to.values, valueBytes, indexCheck, device);
    await to.keys?.end();
    await to.values?.end();
    await to.counts?.end();
  }

  /** The sum of all indices is known; the device adds up those of which it wrote only some. */
  async #indexCheck(indices: GPUBuffer, count: number, keyCount: number): Promise<ReadbackCheck> {
    if (count === keyCount) return ReadbackCheck.ofIndices(keyCount);
    const { onDevice } = this.#parts;
    return ReadbackCheck.ofKeys(elementType("u32"), await onDevice.inspectIndices(indices, count));
  }
}
