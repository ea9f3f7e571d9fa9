import { bytesOf } from "../bytes.js";
import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { elementType } from "../elements.js";
import { DeviceSteps } from "../engines/device_steps.js";
import { ReadbackCheck, Transfers } from "../engines/transfers.js";
import { VerifyError } from "../errors.js";
import { lazyModule } from "../lazy_module.js";
import { bufferBytes, type Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { checkTotals, type Totals } from "../sort/evidence.js";
import {
  inspectFirstPlan,
  inspectPlan,
  inspectSegmentsPlan,
  readTotals,
  type Side,
} from "../sort/inspect.js";
import type { SortOptions, SortPlan } from "../sort/key.js";
import { segmentsPlan } from "../sort/segments/segments.js";
import { PhaseClock } from "../streams/phase_clock.js";
import type { ArrayStreams } from "./arrays.js";
import { longestOf, type SegmentsJob } from "./segment_offsets.js";

/** Where segments are sorted. */
export interface SegmentsDevice {
  /** The name of the device, for messages. */
  readonly name: string;
  readonly gpu: Gpu;
  readonly traits: DeviceTraits;
}

/**
 * Sorts segments on a GPU, checks that each is in order and that the keys are those of the input, and only then
 * writes them.
 *
 * @throws DeviceError, KernelError or VerifyError.
 */
export async function sortSegmentsOnGpu(
  device: SegmentsDevice,
  segments: SegmentsJob,
  streams: ArrayStreams,
): Promise<void> {
  const sort = new SegmentsOnGpu(device, segments, streams);
  try {
    await sort.upload();
    const totals = await sort.sort();
    await sort.download(totals);
  } finally {
    sort.destroy();
  }
}

class SegmentsOnGpu {
  readonly #device: SegmentsDevice;
  readonly #segments: SegmentsJob;
  readonly #streams: ArrayStreams;
  readonly #options: SortOptions;
  readonly #staging: Staging;
  readonly #steps: DeviceSteps;
  readonly #transfers: Transfers;

  constructor(device: SegmentsDevice, segments: SegmentsJob, streams: ArrayStreams) {
    this.#device = device;
    this.#segments = segments;
    this.#streams = streams;
    const { descending, bits, payloadBytes = 0 } = segments.job;
    this.#options = { descending, bits, payload: segments.indices ? "index" : payloadBytes };
    this.#staging = new Staging(device.gpu);
    this.#steps = new DeviceSteps(device.gpu);
    this.#transfers = new Transfers(this.#staging, new PhaseClock());
  }

  async upload(): Promise<void> {
    const { job, offsets, arrays } = this.#segments;
    await this.#uploadTo("keys", arrays.keys);
    await this.#uploadTo("segments", bytesOf(offsets));
    if (arrays.values) await this.#uploadTo("values", arrays.values.from);
    if (!job.verify) return;
    await this.#steps.make("totals", 48);
    await this.#steps.make("findings", 16);
  }

  async #uploadTo(name: string, bytes: Uint8Array): Promise<void> {
    const buffer = await this.#steps.make(name, bufferBytes(bytes.length));
    await this.#transfers.upload(buffer, this.#streams.source(bytes), bytes.length);
  }

  /** @returns what an inspection says of the result; undefined without `verify`. */
  async sort(): Promise<Totals | undefined> {
    const { verify, keyCount, head: top } = this.#segments.job;
    const before = verify && top === undefined ? await this.#inspect("input", keyCount) : undefined;
    const plan = await this.#plan();
    await this.#steps.run(plan);
    const sorted = this.#steps.buffer(plan.result);
    const moved = plan.values === undefined ? undefined : this.#steps.buffer(plan.values);
    if (verify && top !== undefined) await this.#checkFirst(sorted, moved);
    this.#steps.name(sorted, "keys");
    if (moved) this.#steps.name(moved, "values");
    return verify ? this.#checkResult(before) : undefined;
  }

  async #plan(): Promise<SortPlan> {
    const { job, offsets } = this.#segments;
    const { type, keyCount, head: top, unsorted } = job;
    const { traits } = this.#device;
    const options = { ...this.#options, longest: longestOf(offsets), unsorted };
    const counts = { keyCount, segmentCount: offsets.length - 1 };
    if (top === undefined) return segmentsPlan(counts, type, options, traits);
    const { topSegmentsPlan } = await lazyModule(
      "the plans of first keys of segments",
      () => import("../sort/select/top_segments.js"),
    );
    return topSegmentsPlan(counts, type, { ...options, top }, traits);
  }

  /** Checks that each segment has its first keys, before the names of the input are those of the result. */
  async #checkFirst(sorted: GPUBuffer, moved: GPUBuffer | undefined): Promise<void> {
    const { job, offsets, starts } = this.#segments;
    const { type, keyCount } = job;
    const count = offsets.length - 1;
    await this.#uploadTo("starts", bytesOf(starts));
    this.#steps.name(sorted, "first_keys");
    if (moved) this.#steps.name(moved, "first_values");
    const { traits } = this.#device;
    const counts = { keyCount, segmentCount: count, firstCount: this.#resultCount };
    const plan = inspectFirstPlan(counts, type, this.#options, traits);
    const [wrong, all] = await this.#findings(plan);
    if (wrong > 0 || all !== count) {
      throw this.#wrong(`${wrong + count - all} segments lack some of their first keys`);
    }
    this.#steps.name(this.#steps.buffer("starts"), "segments");
  }

  /** Checks that each segment is in order; and that the keys are those of the input, if that was inspected. */
  async #checkResult(before: Totals | undefined): Promise<Totals> {
    const { job, offsets } = this.#segments;
    const { type, keyCount, unsorted } = job;
    const { name, traits } = this.#device;
    const counts = { keyCount: this.#resultCount, segmentCount: offsets.length - 1 };
    const after = await this.#inspect("result", counts.keyCount);
    const between = inspectSegmentsPlan(counts, type, this.#options, traits);
    const [betweenSegments] = await this.#findings(between);
    if (before) checkTotals(keyCount, before, { ...after, firstInversion: undefined }, name);
    const wrong = unsorted ? 0 : (after.inversions - betweenSegments) >>> 0;
    if (wrong > 0) throw this.#wrong(`${wrong} pairs of neighbours in segments are out of order`);
    return after;
  }

  #inspect(side: Side, count: number): Promise<Totals> {
    const { type } = this.#segments.job;
    return this.#totals(inspectPlan(count, type, this.#options, this.#device.traits, side));
  }

  async #totals(plan: Plan): Promise<Totals> {
    const { totals } = await this.#steps.run(plan, { clear: ["totals"], read: { totals: 12 } });
    return readTotals(totals!);
  }

  async #findings(plan: Plan): Promise<readonly [number, number]> {
    const words = await this.#steps.run(plan, { clear: ["findings"], read: { findings: 2 } });
    return words.findings as unknown as readonly [number, number];
  }

  #wrong(what: string): VerifyError {
    return new VerifyError(`${this.#device.name} sorted wrongly: ${what}`, {
      hint: "no array was written; try another device, or the CPU",
    });
  }

  /** @param totals what an inspection says of the result; undefined without `verify`. */
  async download(totals: Totals | undefined): Promise<void> {
    const { job, arrays, indices } = this.#segments;
    const keyCheck = totals && !indices ? ReadbackCheck.ofKeys(job.type, totals) : undefined;
    const indexCheck = job.verify && indices ? await this.#indexCheck() : undefined;
    const { into, values } = arrays;
    if (!indices) await this.#downloadTo(into, "keys", keyCheck);
    const words = indices ? into : values?.into;
    if (words) await this.#downloadTo(words, "values", indexCheck);
  }

  async #downloadTo(bytes: Uint8Array, name: string, check: ReadbackCheck | undefined): Promise<void> {
    const [buffer, sink] = [this.#steps.buffer(name), this.#streams.sink(bytes)];
    await this.#transfers.download(buffer, sink, bytes.length, check, this.#device.name);
  }

  /** The sum of all indices is known; of those of some keys, an inspection tells it. */
  async #indexCheck(): Promise<ReadbackCheck> {
    const { keyCount, head } = this.#segments.job;
    if (head === undefined) return ReadbackCheck.ofIndices(keyCount);
    const type = elementType("u32");
    const keys = this.#steps.buffer("keys");
    this.#steps.name(this.#steps.buffer("values"), "keys");
    const { traits } = this.#device;
    const totals = await this.#totals(inspectPlan(this.#resultCount, type, { descending: false }, traits));
    this.#steps.name(keys, "keys");
    return ReadbackCheck.ofKeys(type, totals);
  }

  get #resultCount(): number {
    return this.#segments.starts.at(-1) ?? 0;
  }

  destroy(): void {
    this.#steps.destroy();
    this.#staging.destroy();
  }
}
