import { bytesOf } from "../bytes.js";
import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { BufferUsage } from "../device/usage.js";
import { type KeyArray, mostDistinct } from "../elements.js";
import type { SortArrays, SortJob } from "../engines/engine.js";
import { InputError } from "../errors.js";
import type { AbortSignal, GPUBuffer, GPUDevice } from "../host_types.js";
import { lazyModule } from "../lazy_module.js";
import { requireKnown, requireSwitches } from "../names.js";
import type { DeviceTraits } from "../plan/traits.js";
import {
  ArrayStreams,
  allocate,
  classOf,
  gather,
  inOrder,
  isShared,
  memoryGuard,
  newLike,
  overlap,
  requireMemory,
  type TypedArray,
} from "./arrays.js";
import { regionOf, requireBuffers } from "./buffers.js";
import {
  jobOfCall,
  type KeyedValues,
  type LexsortCall,
  MANY_KEYS,
  payloadOf,
  requireApart,
  requireLike,
  type SortCall,
  type UniqueCall,
  type UniqueKeys,
  uniqueNames,
} from "./calls.js";
import {
  type PlannedSort,
  requirementsOf,
  type SortDescription,
  type SortRequirements,
  sharedScratch,
} from "./description.js";
import type { ArrayEngine } from "./gpu_engine_later.js";
import type { Planner } from "./planner.js";
import { type Ended, PreparedSort, type PreparedWork, type WorkParts } from "./prepared.js";
import { longestOf, type SegmentsJob, startsOf } from "./segment_offsets.js";

import {
  boundBuffers,
  descriptionsOf,
  requireDescription,
  type SortBuffers,
  suppliedBuffers,
} from "./supplied_buffers.js";

/** What a sorter is made of. */
export interface SorterParts {
  readonly engine: ArrayEngine;
  /** Absent for a sorter that runs on the CPU. */
  readonly gpu?: Gpu | undefined;
  /** Absent for a sorter that runs on the CPU. */
  readonly planner?: Planner | undefined;
}

/**
 * Sorts typed arrays, and keys in GPU buffers. `createSorter` returns one.
 *
 * The order is that of `TypedArray.prototype.sort`: -0 comes before +0, and NaNs come last whatever their
 * sign. NaNs keep their payload bits. A sort is stable if it moves values or indices, or if `bits` says what
 * it compares; all NaNs are then equal. Otherwise NaNs are in any order among themselves.
 *
 * On a GPU, up to 1,024 keys in arrays are sorted by one kernel, the same for all types and directions, which
 * compiles in a fraction of the time of other kernels. The device finds the order of the keys, which is then
 * checked and applied on the CPU.
 *
 * Calls that sort arrays may overlap in time; they run one after the other. A sorter on the CPU sorts up to
 * 512 KiB of keys before the call returns, which takes about a millisecond. The sorter keeps the memory of
 * the last such call for the next similar one, until `destroy`. On a GPU, that is two or three times the
 * bytes of the keys and values, and about 128 MiB of staging windows; calls with fewer keys use it too, and for
 * more keys it is doubled. On the CPU, it is two to five times the bytes of the keys.
 */
export class Sorter implements Ended {
  /** The name of the device, or "CPU", for messages and reports. */
  readonly name: string;
  /** The device whose buffers `prepare` takes; undefined for a sorter that runs on the CPU. */
  readonly device: GPUDevice | undefined;
  readonly #engine: ArrayEngine;
  readonly #gpu: Gpu | undefined;
  readonly #planner: Planner | undefined;
  readonly #prepared = new Set<PreparedWork>();
  readonly #ended = new AbortController();

  /**
   * Use `createSorter` instead.
   *
   * @internal
   * @param parts the engine; and, unless it runs on the CPU, its device and what plans its sorts.
   */
  constructor({ engine, gpu, planner }: SorterParts) {
    this.name = engine.device;
    this.device = gpu?.device;
    this.#engine = engine;
    this.#gpu = gpu;
    this.#planner = planner;
  }

  /**
   * Sorts keys.
   *
   * With `top`, a GPU selects the first keys before it sorts them, unless there are few keys or `top` is large
   * (`requirements` describes the method and its cost). With `top` and `segments`, the result has the first
   * keys of each segment, one segment after the other. If `bits` are passed too, this thread copies the keys in
   * the order that the device has found, so these must not change until the call has ended.
   *
   * @param keys the n keys; the call does not change them, unless `into` is the same array.
   * @param call the options of the sort. `into` is an array of the same class for the result, with n
   *   elements, or `top` if that is less, or with `segments` as many of each; it may be `keys` itself, and the
   *   default is a new array. It is written only after the device has checked the result. If the device is lost
   *   meanwhile, or if the copy from the device fails its own check, the call rejects and leaves wrong keys in
   *   it. On the CPU, parts of it are written as soon as each is found to be in order, unless it shares memory
   *   with `keys`; so it also holds wrong keys if their checksums differ at last. All threads copy arrays that
   *   lie in a SharedArrayBuffer, and one thread copies others.
   * @returns the sorted keys: `into`, or a new array.
   * @throws InputError if an array or an option is invalid, if there are more keys than the device can sort
   *   at once, or after `destroy`.
   * @throws DeviceError if the device fails, is lost or runs out of memory.
   * @throws KernelError if a kernel does not compile.
   * @throws VerifyError if the result fails its check.
   * @throws LoadError if a part of gpusort that this sort needs does not load.
   * @throws the signal's reason if the signal aborts.
   */
  async sort<K extends KeyArray>(
    keys: K,
    call: SortCall & { readonly into?: K | undefined } = {},
  ): Promise<K> {
    const own = ownCall(call);
    const job = jobOfCall(keys, own);
    const count = resultCount(keys, own);
    if (own.into !== undefined) requireLike("into", own.into, keys, count);
    const into = own.into ?? newLike(keys, count);
    if (own.segments && own.top !== undefined && own.bits) {
      // Keys that are equal in these bits differ in others, so which ones are first shows.
      const requireAll = memoryGuard({ keys, into });
      const indices = await this.argsort(keys, { ...own, into: undefined });
      requireAll();
      gather(keys, 1, indices, into);
      return into;
    }
    // Keys that are overwritten must not be lost if the sort fails.
    const writesParts = !overlap(keys, into) && !isShared(into);
    const running = this.#run(own, { ...job, writesParts }, { keys: bytesOf(keys), into: bytesOf(into) });
    if (running) await running;
    return into;
  }

  /**
   * Sorts keys, and moves a value with each key. The sort is stable: the values of equal keys keep their
   * order.
   *
   * @param keys the n keys.
   * @param values the n values, end to end in any typed array: n * k elements if a value has k elements. All
   *   values have the same size, a multiple of 4 bytes.
   * @param call the options of the sort. `into` holds two arrays for the result, of the same classes and
   *   lengths as `keys` and `values`, under the same conditions as in `sort`; the default is new arrays. With
   *   `top`, the lengths are those of `top` keys and values; the device then selects indices, and this thread
   *   copies the keys and values, which must not change until the call has ended.
   *   `into.keys` must not overlap `into.values` or `values`, and `into.values` must not overlap `keys`.
   * @returns the keys and the values in the order of the keys: `into`, or new arrays.
   * @throws the errors of `sort`, under the same conditions; also InputError if the values do not match the
   *   keys.
   */
  async sortPairs<K extends KeyArray, V extends TypedArray>(
    keys: K,
    values: V,
    call: SortCall & { readonly into?: KeyedValues<K, V> | undefined } = {},
  ): Promise<KeyedValues<K, V>> {
    const own = ownCall(call);
    const payload = payloadOf(keys, values);
    const job = jobOfCall(keys, own, payload);
    const count = resultCount(keys, own);
    const size = keys.length === 0 ? 0 : values.length / keys.length;
    if (own.into !== undefined) {
      requireKnown("into", own.into, ["keys", "values"]);
      requireLike("into.keys", own.into.keys, keys, count);
      requireLike("into.values", own.into.values, values, count * size);
      requireApart("into.keys", own.into.keys, "into.values", own.into.values);
      requireApart("into.keys", own.into.keys, "values", values);
      requireApart("into.values", own.into.values, "keys", keys);
    }
    const into = own.into ?? { keys: newLike(keys, count), values: newLike(values, count * size) };
    if (own.top !== undefined) {
      const requireAll = memoryGuard({ keys, values, "into.keys": into.keys, "into.values": into.values });
      const indices = await this.argsort(keys, { ...own, into: undefined });
      requireAll();
      gather(keys, 1, indices, into.keys);
      gather(values, size, indices, into.values);
      return into;
    }
    const running = this.#run(own, job, {
      keys: bytesOf(keys),
      into: bytesOf(into.keys),
      values: { from: bytesOf(values), into: bytesOf(into.values) },
    });
    if (running) await running;
    return into;
  }

  /**
   * Computes the indices that would sort the keys, and does not move the keys: keys[indices[0]] is the first
   * key of the order. The indices of equal keys ascend.
   *
   * @param keys the n keys; the call does not change them.
   * @param call the options of the sort. `into` is an array for the n indices, or for `top` if that is less,
   *   under the same conditions as in `sort`; the default is a new array.
   * @returns the indices: `into`, or a new array.
   * @throws the errors of `sort`, under the same conditions.
   */
  async argsort(
    keys: KeyArray,
    call: SortCall & { readonly into?: Uint32Array | undefined } = {},
  ): Promise<Uint32Array> {
    const own = ownCall(call);
    const job = jobOfCall(keys, own, "index");
    const count = resultCount(keys, own);
    if (own.into !== undefined) requireLike("into", own.into, new Uint32Array(0), count);
    const into = own.into ?? allocate(4 * count, () => new Uint32Array(count));
    const running = this.#run(own, job, { keys: bytesOf(keys), into: bytesOf(into) }, true);
    if (running) await running;
    return into;
  }

  /**
   * Computes the indices that would sort by several arrays of keys, as `numpy.lexsort` does: by the last array,
   * of equal keys by the one before it, and so on to the first. The indices of items that are equal in all
   * arrays ascend. It makes an argsort per array, from the first to the last, and moves each array into the
   * order so far on this thread.
   *
   * @param keys arrays of n keys each, of any types, the primary one last. They must not change until the call
   *   has ended.
   * @param call the options of the sorts.
   * @returns the n indices, in a new array.
   * @throws the errors of `argsort`, under the same conditions; also InputError if there is no array, or if
   *   they differ in length.
   */
  async lexsort(keys: readonly KeyArray[], call: LexsortCall = {}): Promise<Uint32Array> {
    const { lexsort } = await lazyModule("the sort by several arrays", () => import("./lexsort.js"));
    return lexsort((moved, one) => this.argsort(moved, one), keys, call);
  }

  /**
   * Sorts keys, keeps the first of equal ones, and counts how often each occurs: see the form without counts.
   *
   * @param keys the n keys; the call does not change them.
   * @param call the options of the sort, with `counts: true`.
   * @returns the distinct keys in order, and how often each occurs, in new arrays.
   * @throws the errors of `sort`, under the same conditions.
   */
  unique<K extends KeyArray>(
    keys: K,
    call: UniqueCall & { readonly counts: true },
  ): Promise<Required<UniqueKeys<K>>>;
  /**
   * Sorts keys and keeps the first of equal ones. All NaNs are equal, -0 and +0 are not, as in `Object.is`.
   *
   * The device drops the other keys and counts them, so that only the distinct keys and their counts are read
   * back. This thread counts instead if there are up to 2^17 keys, or if the CPU sorts. To count a key that
   * occurs m times, it makes at most m comparisons, and about 2 log2(m) if m is large.
   *
   * @param keys the n keys; the call does not change them.
   * @param call the options of the sort.
   * @returns the distinct keys in order, in a new array; if `counts` is true, also how often each occurs.
   * @throws the errors of `sort`, under the same conditions.
   */
  unique<K extends KeyArray>(keys: K, call?: UniqueCall): Promise<UniqueKeys<K>>;
  async unique<K extends KeyArray>(keys: K, call: UniqueCall = {}): Promise<UniqueKeys<K>> {
    requireKnown("a call of unique", call, uniqueNames);
    requireSwitches(call, ["counts"]);
    const { counts: isCounting = false, ...sort } = call;
    const job = jobOfCall(keys, sort);
    if (isCounting && job.keyCount <= MANY_KEYS) {
      const sorted = await this.sort(keys, sort);
      const { runCounts, runLengthEncode } = await lazyModule(
        "the count of distinct keys",
        () => import("../engines/run_lengths.js"),
      );
      const counts = runCounts(job.keyCount, job.type);
      const distinct = runLengthEncode(sorted, job.type, counts);
      return { keys: firstOf(sorted, distinct), counts: firstOf(counts, distinct) };
    }
    this.#ended.signal.throwIfAborted();
    const most = Math.min(job.keyCount, mostDistinct(job.type));
    const kept = newLike(keys, most);
    const counts = isCounting ? allocate(4 * most, () => new Uint32Array(most)) : undefined;
    const arrays = { keys: bytesOf(keys), into: bytesOf(kept), counts: counts && bytesOf(counts) };
    const distinct: SortJob = { ...job, unique: isCounting ? "counts" : true };
    const written = await this.#runLater(sort, distinct, arrays, false);
    return { keys: firstOf(kept, written), ...(counts ? { counts: firstOf(counts, written) } : {}) };
  }

  /**
   * Computes the buffers that a sort on the device needs, and its cost. It makes no buffers, so a caller can
   * use it to allocate the scratch.
   *
   * @param description the sort to plan.
   * @returns the sizes and usages of all buffers, the number of dispatches, and the bytes moved.
   * @throws InputError if the description is invalid, if the device cannot sort that many keys, if the sorter
   *   runs on the CPU, or after `destroy`. What plans sorts with `segments`, `top` or `unique` is loaded by the
   *   first `warm`, `createScratch` or `prepare` of such a sort; before that, InputError too.
   */
  requirements(description: SortDescription): SortRequirements {
    requireDescription(description);
    return requirementsOf(this.#onDevice().planner.plan(description));
  }

  /**
   * Compiles the kernels that sorts need, so that `prepare` finds them compiled, whatever the buffers. It makes
   * none. A sort of another number of keys may need kernels of its own: warm each number that you will prepare.
   * The 256 kernels that were used last are kept; one sort has fewer than 30.
   *
   * @param descriptions the sorts, as for `requirements`.
   * @throws InputError if a description is invalid, as in `prepare`.
   * @throws DeviceError if the device fails.
   * @throws KernelError if a kernel does not compile.
   * @throws LoadError if what plans such a sort, or the WGSL of a kernel, does not load.
   */
  async warm(descriptions: SortDescription | readonly SortDescription[]): Promise<void> {
    const { gpu } = this.#onDevice();
    const planned = await Promise.all(descriptionsOf(descriptions).map((one) => this.#plan(one)));
    const passes = planned.flatMap(({ plan }) => plan.passes);
    const compiling = passes.map(({ program }) => gpu.kernels.pipeline(program));
    await gpu.settle(Promise.all(compiling), "compiling the kernels");
  }

  /**
   * Makes scratch buffers that several prepared sorts can share, of the lengths that the most demanding of
   * them need. Pass them as `scratch` to `prepare`. Sorts that share scratch may be in one encoder, as they
   * run one after the other; a result in scratch must be used before the next of them runs (`requirements`
   * tells where a result is).
   *
   * @param descriptions the sorts.
   * @returns the buffers by name, which are the caller's to destroy.
   * @throws InputError if a description is invalid, as in `prepare`.
   * @throws DeviceError if the device fails or runs out of memory.
   * @throws LoadError if what plans such a sort does not load.
   */
  async createScratch(
    descriptions: SortDescription | readonly SortDescription[],
  ): Promise<Readonly<Record<string, GPUBuffer>>> {
    const { gpu } = this.#onDevice();
    const planned = await Promise.all(descriptionsOf(descriptions).map((one) => this.#plan(one)));
    const needs = sharedScratch(planned.map(requirementsOf));
    return gpu.checked("allocating scratch", () =>
      Object.fromEntries(
        Object.entries(needs).map(([label, { bytes, usage }]) => [
          label,
          gpu.device.createBuffer({
            label,
            size: bytes,
            usage: usage | BufferUsage.copySource | BufferUsage.copyDestination,
          }),
        ]),
      ),
    );
  }

  /**
   * Prepares a sort of keys in GPU buffers, which the caller then encodes into its own encoders.
   *
   * It is a radix sort. The scratch has at least the size of the keys and of values of up to 4 bytes, or twice
   * that if the input is kept. `requirements` returns the numbers of dispatches, of bytes moved and of scratch;
   * docs/kernels.md has a table. The result is in the caller's buffers or in scratch: see `keys` and `values`
   * of the prepared sort.
   *
   * With `top`, a selection reads the keys once or twice (up to ten times if a sample of them misleads), writes
   * the first ones and some more, and sorts these; it never changes the input. A few thousand of up to 2^21
   * keys take a GPU 6 dispatches; more keys, or a larger `top`, take more. Scratch is for twice the keys that
   * it writes. All keys are sorted instead if they are few, or have 8 or 16 bits, or if `top` is more than a
   * quarter of them. With `unique`, two or three dispatches read the sorted keys once, and again those among
   * which some differ, and write the distinct ones with their counts.
   *
   * Buffers may be mapped now, but not when commands with the sort are submitted; WebGPU then reports that, or
   * that a buffer was destroyed, to the device's owner.
   *
   * If the device reads the number of keys, the sort writes nothing past that number in the caller's buffers.
   * The result of `top` then has at most that number of items.
   *
   * With `top` and `segments`, two or three dispatches select from all segments. More follow if `top` is more
   * than 512, or if all keys are sorted: see `topSegmentsPlan`.
   *
   * A sort of `segments` moves 8 bytes for a u32 key of a segment of up to 4,096 keys, and 48 for one of a
   * longer segment. See `segmentsPlan`.
   *
   * @param description the sort and its buffers.
   * @returns the sort, ready to be encoded.
   * @throws InputError if the description or a buffer is invalid, if the sorter runs on the CPU, or after
   *   `destroy`. It is thrown before anything is encoded.
   * @throws DeviceError if the device fails or runs out of memory.
   * @throws KernelError if a kernel does not compile.
   * @throws LoadError if what plans such a sort, or the WGSL of a kernel, does not load.
   */
  async prepare(description: SortDescription & SortBuffers): Promise<PreparedSort> {
    requireDescription(description);
    const own = { ...description }; // the caller may change its own for another sort meanwhile
    const described = await this.#plan(own);
    const requirements = requirementsOf(described);
    const supplied = suppliedBuffers(own, requirements);
    return this.prepareWork(async (gpu, _, released) => {
      const { keys, values, count, segments, scratch } = requirements;
      const needed = {
        keys,
        ...(values ? { values } : {}),
        ...(count ? { count } : {}),
        ...(segments ? { segments } : {}),
        ...scratch,
      };
      const needs = Object.fromEntries(Object.entries(needed).filter(([name]) => name in supplied));
      await requireBuffers(gpu, needs, supplied, own.payload === "index" ? "indices" : "moved");

      const execution = await Execution.prepare(gpu, described.plan, boundBuffers(supplied));
      const region = (name: string, bytes: number) =>
        regionOf(name, supplied[name] ?? execution.buffers[name]!, bytes);
      const { plan, resultCount, type, options } = described;
      const valueBytes = options.payload === "index" ? 4 : (options.payload ?? 0);
      return new PreparedSort(
        { name: "sort", execution, cost: requirements, released },
        {
          keys: options.dropKeys ? undefined : region(plan.result, resultCount * type.bytes),
          values: plan.values === undefined ? undefined : region(plan.values, resultCount * valueBytes),
          distinct: plan.distinct === undefined ? undefined : region(plan.distinct, 4),
          counts: plan.runLengths === undefined ? undefined : region(plan.runLengths, resultCount * 4),
          starts:
            plan.starts === undefined ? undefined : region(plan.starts, plan.buffers[plan.starts]!.bytes),
        },
      );
    });
  }

  /**
   * Prepares work on the device that ends with the sorter. `prepareScan` and others call it.
   *
   * @internal
   */
  async prepareWork<W extends PreparedWork>(
    prepare: (gpu: Gpu, traits: DeviceTraits, released: WorkParts["released"]) => Promise<W>,
  ): Promise<W> {
    const { gpu, planner } = this.#onDevice();
    const work = await prepare(gpu, planner.traits, (one) => this.#prepared.delete(one));
    if (this.#ended.signal.aborted) {
      work.destroy();
      throw this.#ended.signal.reason;
    }
    this.#prepared.add(work);
    return work;
  }

  /**
   * Frees everything that the sorter holds on the device, including its prepared sorts. Destroys the device
   * only if the sorter opened it. Calls that are still running fail.
   */
  destroy(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new InputError("the sorter was destroyed", { hint: "create a new sorter" }));
    for (const work of this.#prepared) work.destroy();
    this.#engine.close();
  }

  /** Calls `destroy`. */
  [Symbol.dispose](): void {
    this.destroy();
  }

  /** Loads what plans a sort, and plans it. */
  async #plan(description: SortDescription): Promise<PlannedSort> {
    const { planner } = this.#onDevice();
    await planner.load(description);
    this.#ended.signal.throwIfAborted();
    return planner.plan(description);
  }

  #onDevice(): { gpu: Gpu; planner: Planner } {
    this.#ended.signal.throwIfAborted();
    if (this.#gpu && this.#planner) return { gpu: this.#gpu, planner: this.#planner };
    throw new InputError(`this sorter runs on the ${this.name}, which has no GPU buffers`, {
      hint: "create the sorter on a GPU device, or sort typed arrays",
    });
  }

  /**
   * Sorts few keys before it returns.
   *
   * @param indices whether `arrays.into` takes indices instead of keys.
   * @returns undefined if it has; else a promise, as it sorts later.
   */
  #run(call: SortCall, job: SortJob, arrays: SortArrays, indices = false): Promise<void> | undefined {
    this.#ended.signal.throwIfAborted();
    call.signal?.throwIfAborted();
    if (call.segments && call.segments.length !== 2) {
      const offsets = call.segments;
      const starts = call.top === undefined ? offsets : startsOf(offsets, call.top);
      return this.#runSegments(call, { job, offsets, starts, arrays, indices });
    }
    if (!this.#gpu && job.head !== undefined && job.keyCount >= MANY_KEYS) {
      return this.#runFirst(call, job, arrays, indices);
    }
    return this.#engine.sortSync?.(job, arrays, indices)
      ? undefined
      : this.#runLater(call, job, arrays, indices).then(() => {});
  }

  /** @returns how many keys or indices were written. */
  async #runLater(call: SortCall, job: SortJob, arrays: SortArrays, indices: boolean): Promise<number> {
    const signal = this.#signalOf(call);
    const streams = new ArrayStreams(signal, arrays);
    const finding = job.unique ? undefined : this.#engine.orderInMemory?.(job, arrays.keys);
    if (!finding) {
      return streams.settle(async () => (await streams.sort(this.#engine, job, arrays, indices)).written);
    }
    const move = inOrder(job, arrays, indices);
    const order = (await streams.settle(() => finding)).subarray(0, job.head);
    signal.throwIfAborted();
    move(order);
    return order.length;
  }

  async #runFirst(call: SortCall, job: SortJob, arrays: SortArrays, indices: boolean): Promise<void> {
    const streams = new ArrayStreams(this.#signalOf(call), arrays);
    await streams.settle(async () => {
      const { sortFirst } = await lazyModule("the sort of first keys", () => import("./select_on_cpu.js"));
      await sortFirst(this.#engine, job, arrays, indices, streams);
    });
  }

  async #runSegments(call: SortCall, segments: SegmentsJob): Promise<void> {
    if (segments.job.keyCount === 0) return;
    const signal = this.#signalOf(call);
    const streams = new ArrayStreams(signal, segments.arrays);
    const [gpu, traits] = [this.#gpu, this.#planner?.traits];
    await streams.settle(async () => {
      const { job, offsets, indices } = segments;
      if (gpu) await this.#requireCapacity(job, offsets, indices);
      if (gpu && traits) {
        const { sortSegmentsOnGpu } = await lazyModule(SEGMENTS, () => import("./segments_on_gpu.js"));
        signal.throwIfAborted();
        await sortSegmentsOnGpu({ name: this.name, gpu, traits }, segments, streams);
      } else {
        const { sortSegmentsOnCpu } = await lazyModule(SEGMENTS, () => import("./segments_on_cpu.js"));
        signal.throwIfAborted();
        await sortSegmentsOnCpu(this.#engine, segments, streams, signal);
      }
    });
  }

  /** @throws InputError if the device cannot sort that many keys at once. */
  async #requireCapacity(job: SortJob, offsets: Uint32Array, indices: boolean): Promise<void> {
    const { type, keyCount: capacity, bits, payloadBytes, head: top } = job;
    const payload = indices ? "index" : payloadBytes;
    const segments = { capacity: offsets.length - 1, longest: longestOf(offsets) };
    await this.#plan({ type: type.name, capacity, bits, payload, segments, top });
  }

  #signalOf({ signal }: SortCall): AbortSignal {
    return AbortSignal.any([this.#ended.signal, ...(signal ? [signal] : [])]);
  }
}

/** What is loaded to sort segments, for messages. */
const SEGMENTS = "the sort of segments of arrays";

/** The options of a call with a copy of the offsets, which the caller may change while the call runs. */
function ownCall<C extends SortCall>(call: C): C {
  if (classOf(call?.segments) !== "Uint32Array") return call;
  requireMemory("segments", call.segments!);
  return { ...call, segments: call.segments!.slice() };
}

/** How many keys the result of a call has. */
function resultCount({ length }: KeyArray, { top = length, segments }: SortCall): number {
  return segments ? (startsOf(segments, top).at(-1) ?? 0) : Math.min(length, top);
}

/** The first elements of a new array, as an array of their own. */
function firstOf<A extends KeyArray>(array: A, length: number): A {
  return length === array.length ? array : (array.slice(0, length) as A);
}
