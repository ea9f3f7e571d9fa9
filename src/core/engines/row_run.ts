import type { Gpu } from "../device/gpu.js";
import { type Staging, stagingBytes } from "../device/staging.js";
import type { DeviceTraits } from "../plan/traits.js";
import { checkWholeRows, readRowTotals, TOTALS_WORDS } from "../rows/inspect.js";
import { FINDINGS_WORDS, readWordFindings } from "../rows/words.js";
import { settleAll } from "../settle_all.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { DeviceSteps } from "./device_steps.js";
import { type DeviceRows, type DeviceRowsResult, RowFallback, RowSteps } from "./row_job.js";
import { type MovedRows, RowMover } from "./row_mover.js";
import { GUESSED_ROW, LONGEST_ROW, RowPlans } from "./row_plans.js";
import { RowSort } from "./row_sort.js";
import { ReadbackCheck, Transfers } from "./transfers.js";

/** One sort, from the text to the sink: see `GpuRows`. */
export class RowRun {
  readonly #gpu: Gpu;
  readonly #device: string;
  readonly #traits: DeviceTraits;
  readonly #job: DeviceRows;
  readonly #steps: RowSteps;
  readonly #clock = new PhaseClock();
  readonly #staging: Staging;
  readonly #transfers: Transfers;
  /** Whether the sink may have got something. */
  writes = false;

  constructor(gpu: Gpu, device: string, traits: DeviceTraits, staging: Staging, job: DeviceRows) {
    this.#gpu = gpu;
    this.#device = device;
    this.#traits = traits;
    this.#job = job;
    const { bytes, memoryBytes = Number.POSITIVE_INFINITY } = job;
    const onDevice = new DeviceSteps(gpu, memoryBytes - stagingBytes(bytes));
    this.#steps = new RowSteps(onDevice, job, traits);
    this.#staging = staging;
    this.#transfers = new Transfers(staging, this.#clock);
  }

  async sort(source: ItemSource, sink: ItemSink): Promise<DeviceRowsResult> {
    const { bytes, verify, onSorted } = this.#job;
    const clock = this.#clock;
    await this.#upload(source);
    const expectReadback = clock.time("prepare", 0, () => this.#staging.expectReadback(bytes));
    const [plans] = await settleAll([clock.time("extract", 0, () => this.#find()), expectReadback]);
    const { rows } = plans.all;
    const sort = new RowSort(this.#job, plans, this.#steps);
    const before = verify ? { totals_before: TOTALS_WORDS } : {};
    const first = await clock.time("extract", 0, () => sort.firstWords(before));
    const expected = verify ? readRowTotals(first.read.totals_before!) : undefined;
    // No kernel may move rows that do not end where rows end.
    if (expected) checkWholeRows(rows, expected, this.#device);
    await clock.time("sort", 0, () => sort.sort(first));
    const output = new RowMover(this.#job, plans, this.#steps, this.#device);
    const moved = await clock.time("move", 0, () => output.moveWritten(expected));
    this.#steps.throwIfAborted();
    onSorted?.(rows, moved.written.bytes);
    await this.#download(moved, sink);
    return { rows, written: moved.written.rows, clock };
  }

  destroy(): void {
    this.#steps.onDevice.destroy();
  }

  /**
   * Uploads the text and the order. Kernels are compiled meanwhile, for about as many rows as there may be.
   */
  async #upload(source: ItemSource): Promise<void> {
    const { bytes, order, keys, terminator } = this.#job;
    const { onDevice } = this.#steps;
    const plans = new RowPlans(this.#job, this.#traits, Math.max(1, Math.ceil(bytes / GUESSED_ROW)));
    const { buffers } = plans.move(plans.all);
    const text = await this.#clock.time("prepare", 0, () => onDevice.make("text", buffers.text!.bytes));
    // The first reads begin before this thread is busy with kernels.
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const read: ItemSource["read"] = async (into, offset) => {
      this.#steps.throwIfAborted();
      const reading = source.read(into, offset);
      begin();
      await reading;
      // The kernels rely on it that nothing follows the last row.
      const isLast = offset + into.length === bytes;
      if (isLast && into.at(-1) !== terminator) throw new RowFallback("the last one has no end");
    };
    const uploading = this.#transfers.upload(text, { read }, bytes);
    const prepare = async () => {
      await Promise.race([begun, uploading]);
      const words = await onDevice.make("order", order.byteLength);
      this.#gpu.device.queue.writeBuffer(words, 0, order);
      await onDevice.compile([...plans.usual(), ...(keys.length > 1 ? plans.ofTies() : [])]);
      await onDevice.make("output", buffers.output!.bytes);
    };
    await settleAll([uploading, this.#clock.time("prepare", 0, prepare)]);
    this.#steps.throwIfAborted();
  }

  /** Finds where rows begin, and whether one is in error. @returns the plans for as many rows as there are. */
  async #find(): Promise<RowPlans> {
    const counting = new RowPlans(this.#job, this.#traits, 0).count();
    const { row_total, quote_total, misplaced_quotes } = await this.#steps.run(counting, {
      clear: ["quote_total", "misplaced_quotes"],
      read: { row_total: 1, quote_total: 1, misplaced_quotes: 1 },
    });
    if (misplaced_quotes![0] !== 0) throw new RowFallback("a quote is where RFC 4180 has none");
    if (quote_total![0]! % 2 === 1) throw new RowFallback("a quote is not closed");
    const rows = row_total![0]!;
    if (rows === 0) throw new RowFallback("there are none");
    const plans = new RowPlans(this.#job, this.#traits, rows);
    const { longest } = await this.#steps.run(plans.find(), { clear: ["longest"], read: { longest: 1 } });
    if (longest![0]! > LONGEST_ROW) throw new RowFallback("one of them is very long");
    if (plans.isChecked) {
      const read = { findings: FINDINGS_WORDS };
      const { findings } = await this.#steps.run(plans.check(), { clear: ["findings"], read });
      const { wrong } = readWordFindings(findings!);
      if (wrong !== undefined)
        throw new RowFallback(`row ${wrong + 1}, not counting headers, has a key that only the CPU reads`);
    }
    if (this.#job.verify) await this.#steps.run(plans.inspectText(), { clear: ["totals_before"] });
    return plans;
  }

  /** Reads the output back, while the sink writes it. */
  async #download({ written, totals }: MovedRows, sink: ItemSink): Promise<void> {
    this.writes = true;
    const arrival = totals && ReadbackCheck.ofWords(totals.wordSum);
    const rows: ItemSink = {
      write: async (window, offset) => {
        this.#steps.throwIfAborted();
        await sink.write(window, offset);
      },
      end: () => sink.end(),
    };
    const output = this.#steps.onDevice.buffer("output");
    await this.#transfers.download(output, rows, written.bytes, arrival, this.#device);
    await rows.end();
  }
}
