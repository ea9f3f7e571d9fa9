import { bytesOf, copier } from "../bytes.js";
import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { elementType } from "../elements.js";
import { DeviceSteps } from "../engines/device_steps.js";
import type { SortArrays, SortJob } from "../engines/engine.js";
import { ReadbackCheck } from "../engines/readback_check.js";
import { Transfers } from "../engines/transfers.js";
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
import type { SortOptions } from "../sort/key.js";
import { segmentsPlan } from "../sort/segments.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { periodicYield } from "../streams/yield_to_event_loop.js";
import type { ArrayStreams } from "./arrays.js";
import { MANY_KEYS } from "./calls.js";
import { sortFirst } from "./first_keys.js";
import type { ArrayEngine } from "./gpu_engine_later.js";
import { longestOf } from "./segment_offsets.js";

/** A sort of the segments of arrays. */
export interface SegmentsJob {
  readonly job: SortJob;
  /** One more than there are segments: ascending, from 0 to the number of keys. */
  readonly offsets: Uint32Array;
  /** Where what is wanted of each segment begins in the result: `offsets`, unless only its first keys are. */
  readonly starts: Uint32Array;
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
  { job, offsets, starts, arrays, indices }: SegmentsJob,
  streams: ArrayStreams,
): Promise<void> {
  const { type, keyCount, descending, bits, verify, payloadBytes = 0, head: top, unsorted } = job;
  const payload = indices ? "index" : payloadBytes;
  const options: SortOptions = { descending, bits, payload };
  const segmentCount = offsets.length - 1;
  const resultCount = starts.at(-1) ?? 0;
  const staging = new Staging(gpu);
  const steps = new DeviceSteps(gpu);
  const transfers = new Transfers(staging, new PhaseClock());
  const upload = async (name: string, bytes: Uint8Array) =>
    transfers.upload(await steps.make(name, bufferBytes(bytes.length)), streams.source(bytes), bytes.length);
  const totalsOf = async (plan: Plan) => {
    const { totals } = await steps.run(plan, { clear: ["totals"], read: { totals: 12 } });
    return readTotals(totals!);
  };
  const found = async (plan: Plan) => {
    const words = await steps.run(plan, { clear: ["found"], read: { found: 2 } });
    return words.found as unknown as readonly [number, number];
  };
  const inspect = (side: Side, count: number) => totalsOf(inspectPlan(count, type, options, traits, side));
  const wrongly = (what: string) =>
    new VerifyError(`${device} sorted wrongly: ${what}`, {
      hint: "no array was written; try another device, or the CPU",
    });
  try {
    await upload("keys", arrays.keys);
    await upload("segments", bytesOf(offsets));
    if (arrays.values) await upload("values", arrays.values.from);
    if (verify) await steps.make("totals", 48);
    if (verify) await steps.make("found", 16);
    const before = verify && top === undefined ? await inspect("input", keyCount) : undefined;
    const own = { ...options, longest: longestOf(offsets), unsorted };
    const plan =
      top === undefined
        ? segmentsPlan(keyCount, segmentCount, type, own, traits)
        : (await loadTopSegments()).topSegmentsPlan(keyCount, segmentCount, type, { ...own, top }, traits);
    await steps.run(plan);
    const [sorted, moved] = [steps.buffer(plan.result), plan.values && steps.buffer(plan.values)];
    if (verify && top !== undefined) {
      await upload("starts", bytesOf(starts));
      steps.name(sorted, "first_keys");
      if (moved) steps.name(moved, "first_values");
      const check = inspectFirstPlan(keyCount, segmentCount, resultCount, type, options, traits);
      const [wrong, all] = await found(check);
      if (wrong > 0 || all !== segmentCount) {
        throw wrongly(`${wrong + segmentCount - all} segments lack some of their first keys`);
      }
      steps.name(steps.buffer("starts"), "segments");
    }
    steps.name(sorted, "keys");
    if (moved) steps.name(moved, "values");
    let after: Totals | undefined;
    if (verify) {
      after = await inspect("result", resultCount);
      const between = inspectSegmentsPlan(resultCount, segmentCount, type, options, traits);
      const [betweenSegments] = await found(between);
      if (before) checkTotals(keyCount, before, { ...after, firstInversion: undefined }, device);
      const wrong = unsorted ? 0 : (after.inversions - betweenSegments) >>> 0;
      if (wrong > 0) throw wrongly(`${wrong} pairs of neighbours in segments are out of order`);
    }
    const keyCheck = after && !indices ? ReadbackCheck.ofKeys(type, after) : undefined;
    const indexCheck =
      !verify || !indices
        ? undefined
        : top === undefined
          ? ReadbackCheck.ofIndices(keyCount)
          : await indexCheckOf(steps, totalsOf, resultCount, traits);
    const { into, values } = arrays;
    const [keys, words] = indices ? [undefined, into] : [into, values?.into];
    const download = (name: string, bytes: Uint8Array | undefined, check: ReadbackCheck | undefined) =>
      bytes && transfers.download(steps.buffer(name), streams.sink(bytes), bytes.length, check, device);
    await download("keys", keys, keyCheck);
    await download("values", words, indexCheck);
  } finally {
    steps.destroy();
    staging.destroy();
  }
}

const loadTopSegments = () =>
  lazyModule("the plans of first keys of segments", () => import("../sort/top_segments.js"));

/** The check of the indices of some keys, whose sum an inspection tells. */
async function indexCheckOf(
  steps: DeviceSteps,
  totalsOf: (plan: Plan) => Promise<Totals>,
  count: number,
  traits: DeviceTraits,
): Promise<ReadbackCheck> {
  const type = elementType("u32");
  const keys = steps.buffer("keys");
  steps.name(steps.buffer("values"), "keys");
  const totals = await totalsOf(inspectPlan(count, type, { descending: false }, traits));
  steps.name(keys, "keys");
  return ReadbackCheck.ofKeys(type, totals);
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
  { job, offsets, starts, arrays, indices }: SegmentsJob,
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
    head?: number,
  ) => {
    signal.throwIfAborted();
    const own = {
      ...job,
      keyCount: end - begin,
      head,
      writesParts: false,
      payloadBytes: moved ? payloadBytes : undefined,
    };
    const part = { keys: keys.subarray(begin * type.bytes, end * type.bytes), into, values: moved };
    if (head !== undefined && own.keyCount >= MANY_KEYS) {
      await sortFirst(engine, own, part, argsort, streams.part());
    } else if (!engine.sortAtOnce?.(own, part, argsort)) {
      await streams.part().sort(engine, own, part, argsort);
    }
  };
  const sortLong = async (s: number) => {
    const [begin, end] = [offsets[s]!, offsets[s + 1]!];
    const [first, last] = [starts[s]!, starts[s + 1]!];
    const size = indices ? 4 : type.bytes;
    const into = result.into.subarray(first * size, last * size);
    const moved = result.values && {
      from: result.values.from.subarray(begin * payloadBytes, end * payloadBytes),
      into: result.values.into.subarray(first * payloadBytes, last * payloadBytes),
    };
    await sort(begin, end, into, moved, indices, last - first < end - begin ? last - first : undefined);
    if (!indices) return;
    const words = new Uint32Array(into.buffer, into.byteOffset, last - first);
    for (let i = 0; i < words.length; i++) words[i]! += begin;
  };
  const finish = () => {
    signal.throwIfAborted();
    arrays.into.set(result.into);
    values?.into.set(result.values!.into);
  };

  const sortNatively = !indices && !values && nativeSort(job, keys, result.into);
  if (sortNatively) {
    const pause = periodicYield(signal);
    let sincePause = 0;
    for (let s = 0; s + 1 < offsets.length; s++) {
      const [begin, end] = [offsets[s]!, offsets[s + 1]!];
      if (end - begin > NATIVE_KEYS) await sortLong(s);
      else sortNatively(begin, end, starts[s]!, starts[s + 1]!);
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
  const placed = new Uint32Array(result.into.buffer, 0, indices ? starts.at(-1)! : 0);
  const segmentOf = new Uint32Array(order.length);
  const next = starts.slice();
  const sortShort = async (first: number, end: number) => {
    const begin = offsets[first]!;
    const count = offsets[end]! - begin;
    if (count === 0) return;
    for (let s = first; s < end; s++) segmentOf.fill(s, offsets[s]! - begin, offsets[s + 1]! - begin);
    await sort(begin, begin + count, bytesOf(order.subarray(0, count)), undefined, true);
    for (let i = 0; i < count; i++) {
      const from = order[i]!;
      const segment = segmentOf[from]!;
      const place = next[segment]!;
      if (place === starts[segment + 1]!) continue; // enough of its first keys are there
      next[segment] = place + 1;
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
      await sortLong(s);
      first = s + 1;
    }
  }
  await sortShort(first, offsets.length - 1);
  finish();
}

/**
 * @returns a function that sorts the keys from one place up to another, and writes the first of them to places of
 *   the result; undefined if only some of their bits are to be compared.
 */
function nativeSort(
  { type, bits, descending }: SortJob,
  keys: Uint8Array,
  into: Uint8Array,
): ((begin: number, end: number, first: number, last: number) => void) | undefined {
  if (bits) return undefined;
  const arrayOf = (bytes: Uint8Array) =>
    new type.array(bytes.buffer, bytes.byteOffset, bytes.length / type.bytes);
  const [from, to] = [arrayOf(keys), arrayOf(into)];
  return (begin, end, first, last) => {
    const segment = from.slice(begin, end).sort();
    if (descending) segment.reverse();
    (to as Uint32Array).set(segment.subarray(0, last - first) as Uint32Array, first);
  };
}
