import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { elementType } from "../elements.js";
import { InputError, VerifyError } from "../errors.js";
import { lazyModule } from "../lazy_module.js";
import type { DeviceTraits } from "../plan/traits.js";
import { settleAll } from "../settle_all.js";
import { algorithm, chooseAlgorithm, requireSupported } from "../sort/algorithms.js";
import { fits } from "../sort/choice.js";
import { comparedWords } from "../sort/enumeration.js";
import { MOST_ENUMERATED } from "../sort/enumeration_tuning.js";
import { checkTotals, type Totals } from "../sort/evidence.js";
import { MAX_KEYS, type Payload, type SortOptions, type SortPlan } from "../sort/key.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { serialQueue } from "../streams/serial_queue.js";
import { BufferStock } from "./buffer_stock.js";
import { DeviceJob, type DeviceTask, type Sorted } from "./device_job.js";
import type { Engine, GpuClock, ResidentSort, SortJob, SortReport, ValueStreams } from "./engine.js";
import { EnumeratedOrder } from "./enumerated_order.js";
import { ReadbackCheck } from "./readback_check.js";
import { requireSelection, writeOnes } from "./selection.js";
import { Transfers } from "./transfers.js";
import { type WrittenKeys, writtenKeys } from "./written_keys.js";

/**
 * Sorts on a GPU. All keys are in one buffer, which is bound in windows if it exceeds the binding limit. The
 * engine keeps the buffers of the last job for the next one.
 */
export class GpuEngine implements Engine {
  readonly device: string;
  readonly gpuClock: GpuClock;
  readonly #gpu: Gpu;
  readonly #traits: DeviceTraits;
  readonly #staging: Staging;
  /**
   * Runs one job at a time, because all jobs share the staging windows, and jobs of the same kind share
   * buffers.
   */
  readonly #inTurn = serialQueue("continue");
  readonly #stock: BufferStock;
  readonly #enumeration: EnumeratedOrder;
  #last: { kind: string; job: DeviceJob } | undefined;

  /**
   * @param device the name of the device for messages and reports.
   * @param traits the traits that the device reports, or tested ones from `provenTraits`.
   */
  constructor(gpu: Gpu, device: string, traits = gpu.traits) {
    this.#gpu = gpu;
    this.#traits = traits;
    this.#staging = new Staging(gpu);
    this.#stock = new BufferStock(gpu);
    this.#enumeration = new EnumeratedOrder(gpu, traits);
    this.device = device;
    this.gpuClock = gpu.hasTimestamps ? "timestamp queries" : "wall clock";
  }

  algorithmFor(job: SortJob): string {
    const { name } = algorithm(job.algorithm);
    return name === "auto"
      ? chooseAlgorithm(job.keyCount, job.type, optionsOf(job), this.#traits).name
      : name;
  }

  capacity(job: SortJob): number {
    return algorithm(job.algorithm).capacity(job.type, optionsOf(job), this.#traits);
  }

  /** Keys and values once, and once the buffers that they are scattered to; and counts. */
  memoryPerKey({ type, payloadBytes = 0, unique }: SortJob, indices: boolean): number {
    return 2 * (type.bytes + (indices ? 4 : payloadBytes)) + (unique === "counts" ? 4 : 0);
  }

  sort(
    job: SortJob,
    source: ItemSource,
    sink: ItemSink,
    values?: ValueStreams,
    counts?: ItemSink,
  ): Promise<SortReport> {
    const from = { keys: source, values: values?.source };
    return this.#run(job, job.payloadBytes, from, { keys: sink, values: values?.sink, counts });
  }

  argsort(job: SortJob, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    return this.#run(job, "index", { keys: source }, { values: sink });
  }

  orderInMemory(job: SortJob, keys: Uint8Array): Promise<Uint32Array> | undefined {
    if (job.keyCount > MOST_ENUMERATED) return undefined;
    const pairs = comparedWords(keys, job.type, job);
    return this.#inTurn(async () => {
      try {
        return await this.#enumeration.order(pairs, this.device);
      } catch (error) {
        this.#enumeration.destroy(); // its buffers may be in an unknown state
        throw error;
      }
    });
  }

  #run(job: SortJob, payload: Payload | undefined, from: Sources, to: Sinks): Promise<SortReport> {
    return this.#inTurn(async () => {
      requireSelection(job, payload === "index", to.counts);
      try {
        // Only the check reads the sorted keys of an argsort.
        const dropKeys = payload === "index" && !job.verify;
        return await this.#sort(job, { ...optionsOf(job), payload, dropKeys, once: true }, from, to);
      } catch (error) {
        this.#forget(); // the failed job may have left buffers in an unknown state
        throw error;
      }
    });
  }

  async #sort(job: SortJob, options: SortOptions, from: Sources, to: Sinks): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const task = { ...job, options };
    const plan = await this.#planOf(job, options);
    const onDevice = await clock.time("prepare", 0, () => this.#allocate(job, task, plan));

    const transfers = new Transfers(this.#staging, clock);
    const uploads = async () => {
      await transfers.upload(onDevice.keys, from.keys, job.keyCount * job.type.bytes);
      await transfers.upload(onDevice.values, from.values, job.keyCount * (job.payloadBytes ?? 0));
    };
    // Kernels compile during the upload. If one of the two fails, the other must still end before buffers are
    // destroyed.
    await settleAll([uploads(), clock.time("prepare", 0, () => onDevice.prepare())]);

    const result =
      (plan.selection === undefined
        ? undefined
        : await this.#sortFirst(clock, onDevice, job, options, plan.selection)) ??
      (await this.#sortAll(clock, onDevice, job, options, plan));
    await this.#download(clock, onDevice, job, options, result, to);
    return {
      device: this.device,
      ...result.report,
      keyCount: job.keyCount,
      written: result.count,
      verified: job.verify,
      phases: clock.phases(),
      gpuClock: this.gpuClock,
      totalMs: performance.now() - begin,
    };
  }

  /**
   * Selects the first keys, sorts only these, and checks them.
   *
   * @param selection the plan's buffer that tells what was selected.
   * @returns undefined if the job is verified and not all keys that equal the last one were selected, as the
   *   check needs all of them.
   * @throws VerifyError if the job is verified and these are not the first keys.
   */
  async #sortFirst(
    clock: PhaseClock,
    onDevice: DeviceJob,
    job: SortJob,
    { top = 0 }: SortOptions,
    selection: string,
  ): Promise<Result | undefined> {
    const { ms, keys, values } = await clock.time("sort", 0, () => onDevice.sort());
    const report = { algorithm: "radix select", gpuMs: ms };
    const { readSelected } = await plansOfFirstKeys();
    if (!job.verify) return { keys, values, count: top, totals: undefined, report };
    // All keys up to the bound must be there, and in order. The first of them are then the first of all keys.
    const totals = await clock.time("verify", 0, async () => {
      const { count, bound, isWhole } = await readSelected(await onDevice.read(selection));
      if (isWhole === false) return undefined;
      if (count < top || count * job.type.bytes > keys.size) {
        throw new VerifyError(`${this.device} selected ${count} of ${top} keys`);
      }
      const before = await onDevice.inspectUpTo(bound);
      if (isWhole === undefined && before.seen > count) return undefined;
      const after = await onDevice.inspectFirst({ keys, count, values });
      // If no more were selected than are wanted, and these in any order, their order does not matter.
      const anyOrder = job.unsorted === true && count === top;
      checkTotals(count, before, anyOrder ? { ...after, firstInversion: undefined } : after, this.device);
      return count === top ? after : onDevice.inspectFirst({ keys, count: top, values });
    });
    return totals && { keys, values, count: top, totals, report };
  }

  /** Sorts all keys, checks them, and drops those that are not wanted. */
  async #sortAll(
    clock: PhaseClock,
    onDevice: DeviceJob,
    job: SortJob,
    options: SortOptions,
    planned: SortPlan,
  ): Promise<Result> {
    if (onDevice.checksAtOnce) return this.#sortAtOnce(clock, onDevice, job, options);
    const other =
      planned.selection === undefined ? undefined : await this.#planOf(job, { ...options, top: undefined });
    const before = job.verify ? await clock.time("verify", 0, () => onDevice.inspectInput()) : undefined;
    const sorted = await this.#sortOnDevice(clock, onDevice, job, options, planned, other, before);
    let totals = before;
    if (before && sorted.ms !== undefined) {
      totals = await clock.time("verify", 0, () => onDevice.inspectResult(sorted));
      checkTotals(job.keyCount, before, totals, this.device);
    }
    const all = { keys: sorted.keys, values: sorted.values, count: job.keyCount, totals };
    const kept = await writtenKeys(clock, onDevice, job, all, this.device);
    const algorithm = sorted.ms === undefined ? "none, as they are in order" : this.algorithmFor(job);
    return { ...kept, values: sorted.values, report: { algorithm, gpuMs: sorted.ms ?? 0 } };
  }

  /** Does what `#sortAll` does with few keys, and waits for the device only once. */
  async #sortAtOnce(
    clock: PhaseClock,
    onDevice: DeviceJob,
    job: SortJob,
    { payload }: SortOptions,
  ): Promise<Result> {
    // All keys or indices are read back, unless some are dropped after the sort.
    const isIndex = payload === "index";
    const bytes = job.unique ? 0 : job.keyCount * (isIndex ? 4 : job.type.bytes);
    await this.#staging.expectReadback(bytes);
    const sorted = await clock.time("sort", 0, () =>
      onDevice.sortChecked((encoder, { keys, values }) => {
        if (bytes > 0) this.#staging.encodeReadback(encoder, isIndex ? values! : keys, bytes);
      }),
    );
    checkTotals(job.keyCount, sorted.before, sorted.after, this.device);
    const all = { keys: sorted.keys, values: sorted.values, count: job.keyCount, totals: sorted.after };
    const kept = await writtenKeys(clock, onDevice, job, all, this.device);
    const report = { algorithm: this.algorithmFor(job), gpuMs: sorted.ms };
    return { ...kept, values: sorted.values, report };
  }

  async #download(
    clock: PhaseClock,
    onDevice: DeviceJob,
    { type, keyCount, verify, arrivalChecked }: SortJob,
    { payload = 0 }: SortOptions,
    { keys, values, lengths, count, totals }: Result,
    to: Sinks,
  ): Promise<void> {
    const transfers = new Transfers(this.#staging, clock);
    const keyCheck = totals && !arrivalChecked ? ReadbackCheck.ofKeys(type, totals) : undefined;
    await transfers.download(keys, to.keys, count * type.bytes, keyCheck, this.device);
    const countCheck = totals && lengths && ReadbackCheck.ofWords(totals.sums[0]);
    await transfers.download(lengths, to.counts, 4 * count, countCheck, this.device);
    if (to.counts && !lengths) await writeOnes(to.counts, count, clock);
    const isIndex = payload === "index";
    const indexCheck = verify && isIndex ? await indexCheckOf(onDevice, values!, count, keyCount) : undefined;
    const valueBytes = count * (isIndex ? 4 : payload);
    await transfers.download(values, to.values, valueBytes, indexCheck, this.device);
    await to.keys?.end();
    await to.values?.end();
    await to.counts?.end();
  }

  /**
   * Runs the sort with what the inspection of the input showed. Keys that are in order need no sort. Keys
   * that differ in only some of their bits, such as small numbers, need fewer passes.
   *
   * @param other the plan to run, if it is not the planned one.
   */
  async #sortOnDevice(
    clock: PhaseClock,
    onDevice: DeviceJob,
    job: SortJob,
    options: SortOptions,
    planned: SortPlan,
    other: SortPlan | undefined,
    before: Totals | undefined,
  ): Promise<Omit<Sorted, "ms"> & { readonly ms: number | undefined }> {
    // An inspection that missed keys is not used. `checkTotals` reports it later.
    const seen = before?.seen === job.keyCount ? before : undefined;
    if (seen?.inversions === 0 && options.payload !== "index") {
      return { ms: undefined, keys: onDevice.keys, values: onDevice.values };
    }
    const plan = (seen && this.#shorterPlan(job, options, other ?? planned, seen)) ?? other;
    return clock.time("sort", 0, () => onDevice.sort(plan ? { plan } : {}));
  }

  #shorterPlan(
    job: SortJob,
    options: SortOptions,
    plan: SortPlan,
    { varying }: Totals,
  ): SortPlan | undefined {
    if (this.algorithmFor(job) !== "radix") return undefined;
    const narrowed = algorithm("radix").plan(
      job.keyCount,
      job.type,
      { ...options, top: undefined, varying },
      this.#traits,
    );
    return narrowed.passes.length < plan.passes.length ? narrowed : undefined;
  }

  async resident(job: SortJob, source: ItemSource): Promise<ResidentSort> {
    const bytes = job.keyCount * job.type.bytes;
    const { onDevice, pristine } = await this.#inTurn(() => this.#uploadPristine(job, source, bytes));
    let sorted: Sorted | undefined;
    const run = async (repeats: number) => {
      sorted = await onDevice.sort({ pristine: [{ from: pristine, to: onDevice.keys }], repeats });
      return sorted.ms;
    };
    const drain = async (sink: ItemSink) => {
      const write = (window: Uint8Array<ArrayBuffer>, at: number) => sink.write(window, at);
      await this.#staging.readback(sorted?.keys ?? pristine, bytes, write, noClock);
      await sink.end();
    };
    return {
      run: (repeats) => this.#inTurn(() => run(repeats)),
      read: (sink) => this.#inTurn(() => drain(sink)),
      destroy: () => onDevice.destroy(),
    };
  }

  /** Uploads the keys into a buffer that no sort writes. */
  async #uploadPristine(job: SortJob, source: ItemSource, bytes: number) {
    this.#forget(); // to free its memory
    const options = optionsOf(job);
    const plan = await this.#planOf(job, options);
    const onDevice = await DeviceJob.allocate(this.#gpu, { ...job, options }, plan, this.#traits);
    try {
      await onDevice.prepare();
      const pristine = await onDevice.copyOf("keys");
      await this.#staging.upload(pristine, bytes, (window, at) => source.read(window, at), noClock);
      return { onDevice, pristine };
    } catch (error) {
      onDevice.destroy();
      throw error;
    }
  }

  close(): void {
    this.#forget();
    this.#enumeration.destroy();
    this.#gpu.destroy();
  }

  #forget(): void {
    this.#last?.job.destroy();
    this.#last = undefined;
    this.#stock.destroy();
    this.#staging.destroy();
  }

  async #allocate(job: SortJob, task: DeviceTask, plan: SortPlan): Promise<DeviceJob> {
    const { type, keyCount, verify, unique = false } = job;
    const kind = JSON.stringify([type.name, keyCount, verify, unique, this.algorithmFor(job), task.options]);
    if (this.#last?.kind !== kind) {
      this.#last?.job.destroy();
      this.#last = undefined;
      const job = await DeviceJob.allocate(this.#gpu, task, plan, this.#traits, this.#stock);
      this.#last = { kind, job };
    }
    return this.#last.job;
  }

  async #planOf(job: SortJob, options: SortOptions): Promise<SortPlan> {
    const chosen = algorithm(job.algorithm);
    requireSupported(chosen, job.type, options);
    if (job.keyCount > MAX_KEYS) throw this.#tooMany(job);
    const isSelected = options.top !== undefined && this.algorithmFor(job) === "radix";
    const plan = isSelected
      ? (await plansOfFirstKeys()).firstKeysPlan(chosen.plan, job.keyCount, job.type, options, this.#traits)
      : chosen.plan(job.keyCount, job.type, options, this.#traits);
    if (!fits(plan, this.#traits)) throw this.#tooMany(job);
    return plan;
  }

  #tooMany(job: SortJob): InputError {
    const { keyCount, type } = job;
    return new InputError(
      `${this.device} sorts at most ${this.capacity(job)} ${type.name} keys at once, not ${keyCount}`,
      { hint: "sort them in parts, or on the CPU", options: ["device"] },
    );
  }
}

/** What is on the device after a job, ready to be read back. */
interface Result extends WrittenKeys {
  readonly values?: GPUBuffer | undefined;
  /** What the report says of a sort. */
  readonly report: Pick<SortReport, "algorithm" | "gpuMs">;
}

interface Sources {
  readonly keys: ItemSource;
  readonly values?: ItemSource | undefined;
}

interface Sinks {
  readonly keys?: ItemSink | undefined;
  readonly values?: ItemSink | undefined;
  /** Takes how often each key occurs. */
  readonly counts?: ItemSink | undefined;
}

const plansOfFirstKeys = () => lazyModule("the plans of first keys", () => import("../sort/select.js"));

/** With `unique`, all keys are sorted, and then counted. */
function optionsOf({ descending, bits, payloadBytes, unique, head, unsorted }: SortJob): SortOptions {
  return { descending, bits, payload: payloadBytes, ...(unique ? {} : { top: head, unsorted }) };
}

/** The sum of all indices is known; the device adds up those of which it wrote only some. */
async function indexCheckOf(onDevice: DeviceJob, indices: GPUBuffer, count: number, keyCount: number) {
  if (count === keyCount) return ReadbackCheck.ofIndices(keyCount);
  return ReadbackCheck.ofKeys(elementType("u32"), await onDevice.inspectIndices(indices, count));
}

const noClock = { begin: () => {}, end: () => {} };
