import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { copier } from "../engines/copier.js";
import { DeviceSteps } from "../engines/device_steps.js";
import type { SortArrays, SortJob } from "../engines/engine.js";
import { ReadbackCheck } from "../engines/readback_check.js";
import { Transfers } from "../engines/transfers.js";
import { VerifyError } from "../errors.js";
import { bufferBytes } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { checkTotals } from "../sort/evidence.js";
import { inspectPlan, inspectSegmentsPlan, readTotals, type Side } from "../sort/inspect.js";
import type { SortOptions } from "../sort/key.js";
import { segmentsPlan } from "../sort/segments.js";
import { pacer } from "../streams/pacer.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { type ArrayStreams, bytesOf } from "./arrays.js";
import type { ArrayEngine } from "./gpu_engine_later.js";
import { longestOf } from "./segment_offsets.js";

/** A sort of the segments of arrays. */
export interface SegmentsJob {
  readonly job: SortJob;
  /** One more than there are segments: ascending, from 0 to the number of keys. */
  readonly offsets: Uint32Array;
  readonly arrays: SortArrays;
  /** Whether `arrays.into` takes indices instead of keys. */
  readonly indices: boolean;
}

/**
 * Sorts segments on a GPU, checks that each is in order and that the keys are those of the input, and only then
 * writes them.
 *
 * @throws DeviceError, KernelError or VerifyError.
 */
export async function sortSegmentsOnGpu(
  gpu: Gpu,
  traits: DeviceTraits,
  device: string,
  { job, offsets, arrays, indices }: SegmentsJob,
  streams: ArrayStreams,
): Promise<void> {
  const { type, keyCount, descending, bits, verify, payloadBytes = 0 } = job;
  const payload = indices ? "index" : payloadBytes;
  const options: SortOptions = { descending, bits, payload };
  const segmentCount = offsets.length - 1;
  const staging = new Staging(gpu);
  const steps = new DeviceSteps(gpu);
  const transfers = new Transfers(staging, new PhaseClock());
  const upload = async (name: string, bytes: Uint8Array) =>
    transfers.upload(await steps.make(name, bufferBytes(bytes.length)), streams.source(bytes), bytes.length);
  const inspect = async (side: Side) => {
    const plan = inspectPlan(keyCount, type, options, traits, side);
    const { totals } = await steps.run(plan, { clear: ["totals"], read: { totals: 12 } });
    return readTotals(totals!);
  };
  try {
    await upload("keys", arrays.keys);
    await upload("segments", bytesOf(offsets));
    if (arrays.values) await upload("values", arrays.values.from);
    if (verify) await steps.make("totals", 48);
    const before = verify ? await inspect("input") : undefined;
    const longest = longestOf(offsets);
    const plan = segmentsPlan(keyCount, segmentCount, type, { ...options, longest }, traits);
    await steps.run(plan);
    steps.name(steps.buffer(plan.result), "keys");
    if (plan.values) steps.name(steps.buffer(plan.values), "values");
    if (before) {
      await steps.make("found", 16);
      const after = await inspect("result");
      const between = inspectSegmentsPlan(keyCount, segmentCount, type, options, traits);
      const { found } = await steps.run(between, { clear: ["found"], read: { found: 1 } });
      checkTotals(keyCount, before, { ...after, firstInversion: undefined }, device);
      const wrong = (after.inversions - found![0]!) >>> 0;
      if (wrong > 0) {
        throw new VerifyError(
          `${device} sorted wrongly: ${wrong} pairs of neighbours in segments are out of order`,
          {
            hint: "no array was written; try another device, or the CPU",
          },
        );
      }
    }
    const keyCheck = before && !indices ? ReadbackCheck.ofKeys(type, before) : undefined;
    const indexCheck = verify && indices ? ReadbackCheck.ofIndices(keyCount) : undefined;
    const { into, values } = arrays;
    const [keys, moved] = indices ? [undefined, into] : [into, values?.into];
    const download = (name: string, bytes: Uint8Array | undefined, check: ReadbackCheck | undefined) =>
      bytes && transfers.download(steps.buffer(name), streams.sink(bytes), bytes.length, check, device);
    await download("keys", keys, keyCheck);
    await download("values", moved, indexCheck);
  } finally {
    steps.destroy();
    staging.destroy();
  }
}

/**
 * Indices or pairs of segments up to so many keys are sorted together, as a call of the engine for each would
 * take longer.
 */
const BATCH_KEYS = 2 ** 14;

/** Up to so many keys alone are sorted faster by JavaScript than by a call of the engine. */
const NATIVE_KEYS = 192;

/**
 * Sorts segments on the CPU. The engine sorts each long segment, and checks it. JavaScript's own sort sorts
 * short ones of keys alone. Short ones of indices or pairs are sorted together: the engine computes the order
 * of all their keys, and checks it; then these go, in that order, to the ends of what has been placed of their
 * segments, which is stable.
 *
 * @throws VerifyError if an engine's check fails.
 */
export async function sortSegmentsOnCpu(
  engine: ArrayEngine,
  { job, offsets, arrays, indices }: SegmentsJob,
  streams: ArrayStreams,
  signal: AbortSignal,
): Promise<void> {
  const { type, payloadBytes = 0 } = job;
  const { keys, values } = arrays;
  // The result may replace the input, and is written only when all of it is there.
  const result: Required<Omit<SortArrays, "counts">> = {
    keys,
    into: new Uint8Array(arrays.into.length),
    values: values && { from: values.from, into: new Uint8Array(values.into.length) },
  };
  const sort = async (
    begin: number,
    end: number,
    into: Uint8Array,
    moved: SortArrays["values"],
    argsort: boolean,
  ) => {
    signal.throwIfAborted();
    const own = {
      ...job,
      keyCount: end - begin,
      writesParts: false,
      payloadBytes: moved ? payloadBytes : undefined,
    };
    const part = { keys: keys.subarray(begin * type.bytes, end * type.bytes), into, values: moved };
    if (!engine.sortAtOnce?.(own, part, argsort)) await streams.part().sort(engine, own, part, argsort);
  };
  const sortLong = async (begin: number, end: number) => {
    const size = indices ? 4 : type.bytes;
    const into = result.into.subarray(begin * size, end * size);
    const [from, to] = [begin * payloadBytes, end * payloadBytes];
    const moved = result.values && {
      from: result.values.from.subarray(from, to),
      into: result.values.into.subarray(from, to),
    };
    await sort(begin, end, into, moved, indices);
    if (!indices) return;
    const words = new Uint32Array(into.buffer, into.byteOffset, end - begin);
    for (let i = 0; i < words.length; i++) words[i]! += begin;
  };
  const finish = () => {
    signal.throwIfAborted();
    arrays.into.set(result.into);
    values?.into.set(result.values!.into);
  };

  const sortNatively = !indices && !values && nativeSort(job, result.into);
  if (sortNatively) {
    result.into.set(keys);
    const pause = pacer(signal);
    let sincePause = 0;
    for (let s = 0; s + 1 < offsets.length; s++) {
      const [begin, end] = [offsets[s]!, offsets[s + 1]!];
      if (end - begin > NATIVE_KEYS) await sortLong(begin, end);
      else sortNatively(begin, end);
      sincePause += 1 + end - begin; // an empty one takes time, too
      if (sincePause < BATCH_KEYS) continue;
      await pause();
      sincePause = 0;
    }
    finish();
    return;
  }

  const order = new Uint32Array(Math.min(BATCH_KEYS, job.keyCount));
  const copyKey = copier(type.bytes, keys, result.into);
  const copyValue = result.values && copier(payloadBytes, result.values.from, result.values.into);
  const placed = new Uint32Array(result.into.buffer, 0, indices ? job.keyCount : 0);
  const segmentOf = new Uint32Array(order.length);
  const next = offsets.slice();
  const sortShort = async (first: number, end: number) => {
    const begin = offsets[first]!;
    const count = offsets[end]! - begin;
    if (count === 0) return;
    for (let s = first; s < end; s++) segmentOf.fill(s, offsets[s]! - begin, offsets[s + 1]! - begin);
    await sort(begin, begin + count, bytesOf(order.subarray(0, count)), undefined, true);
    for (let i = 0; i < count; i++) {
      const from = order[i]!;
      const place = next[segmentOf[from]!]!++;
      if (indices) placed[place] = begin + from;
      else copyKey(begin + from, place);
      copyValue?.(begin + from, place);
    }
  };

  let first = 0;
  for (let s = 0; s + 1 < offsets.length; s++) {
    const [begin, end] = [offsets[s]!, offsets[s + 1]!];
    if (end - offsets[first]! > BATCH_KEYS) {
      await sortShort(first, s);
      first = s;
    }
    if (end - begin > BATCH_KEYS) {
      await sortLong(begin, end);
      first = s + 1;
    }
  }
  await sortShort(first, offsets.length - 1);
  finish();
}

/**
 * @returns a function that sorts the keys from one place up to another, in place; undefined if only some of their
 *   bits are to be compared.
 */
function nativeSort(
  { type, bits, descending }: SortJob,
  bytes: Uint8Array,
): ((begin: number, end: number) => void) | undefined {
  if (bits) return undefined;
  const keys = new type.array(bytes.buffer, bytes.byteOffset, bytes.length / type.bytes);
  return (begin, end) => {
    if (end - begin < 2) return;
    const segment = keys.subarray(begin, end).sort();
    if (descending) segment.reverse();
  };
}
