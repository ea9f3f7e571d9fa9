import type { SortReport } from "../../core/engines/engine.js";
import { VerifyError } from "../../core/errors.js";
import { transferSum } from "../../core/items/checksum.js";
import type { ItemOrder } from "../../core/items/order.js";
import { compareItems, scanNeighbours } from "../../core/items/summary.js";
import { settleAll } from "../../core/settle_all.js";
import type { ByteStore } from "../../core/streams/byte_stream.js";
import {
  type ItemSink,
  type ItemSource,
  type ItemStream,
  memorySink,
} from "../../core/streams/item_stream.js";
import {
  asCopy,
  combinePhases,
  type Phase,
  PhaseClock,
  type PhaseName,
} from "../../core/streams/phase_clock.js";
import { UniqueSink } from "../../core/streams/sinks.js";
import { CHECK_THE_DISK } from "../../rows/errors.js";
import { BufferPool } from "../buffer_pool.js";
import { bufferCount, FEW_RUNS, leastChunkItems, mostChunkItems } from "../runs/chunk_size.js";
import { RankCuts, type Run, sample } from "../runs/rank_cuts.js";
import { algorithmOf, type BufferOptions, type ItemSorter } from "./item_sorter.js";

/** How to sort or merge out of core. */
export interface ExternalOptions {
  readonly sorter: ItemSorter;
  /**
   * Items per chunk: at least 1, at most the sorter's capacity. If the number of items is not known, later
   * chunks are longer where that is needed to keep their number low.
   */
  readonly chunkItems: number;
  /** Whether only the first of the items with equal keys is passed on to the sink. Default: false. */
  readonly unique?: boolean;
  /** Whether to check the order of the buckets, and that no item was lost or changed. */
  readonly verify: boolean;
  /** Creates the file for the runs. `bytes` is their total length; undefined if it is not known. */
  readonly createStore: (bytes: number | undefined) => Promise<ByteStore>;
  /** Makes the error for a run that is out of order. Default: a VerifyError, for a fault of the machine. */
  readonly disorder?: (where: string) => Error;
}

export interface ExternalReport extends SortReport {
  /** Details of a sort with several runs (out of core, or a merge); undefined for any other sort. */
  readonly external?: {
    /** Sorted runs: chunks that were written to disk, or the inputs of a merge. */
    readonly runs: number;
    /** Maximum bytes per chunk, and per bucket. */
    readonly chunkBytes: number;
    /** Bytes written to temporary files; 0 for a merge. */
    readonly temporaryBytes: number;
    /** Buckets that needed no sort, because they came from one run only or had only equal keys. */
    readonly copiedBuckets: number;
    /** Buckets that the output was written in, copied ones included. */
    readonly buckets: number;
  };
}

/**
 * Sorts more items than memory holds (out of core), and ends the sink. There are two phases:
 * 1. Run formation reads the items in chunks, sorts each chunk, and writes it to a disk as a run.
 * 2. The distribution phase cuts the runs into buckets, gathers the slices of each bucket, sorts the bucket,
 *    and writes it to the sink. It does not merge by comparisons, because a GPU sorts a bucket faster than
 *    JavaScript merges one.
 *
 * Each byte is read twice and written twice. If all items fit in one chunk, no disk is used.
 *
 * Memory: three buffers of one chunk each (four if the sorter does not sort in place), because one is filled,
 * one is sorted and one is emptied at the same time. The sorter needs its own memory in addition.
 *
 * With `verify`, it checks two things in addition to the sorter's own checks: the buckets follow each other
 * in order, and the items that come out are the items that went in, by their number and their sum.
 *
 * @throws what the stream, the store, the sorter or the sink throws; VerifyError if items were lost or
 *   changed, or if a run is out of order (see `disorder`).
 */
export async function sortExternally(
  input: ItemStream,
  sink: ItemSink,
  options: ExternalOptions,
): Promise<ExternalReport> {
  const job = new ExternalJob(options);
  return job.run(async () => {
    const runs = await job.formRuns(input, sink);
    if (runs) await job.distribute(runs, job.distinct(sink));
  });
}

/**
 * Merges sources that are each sorted already, by the distribution phase of `sortExternally`. Ends the sink.
 *
 * @throws as `sortExternally` does; the error of `disorder` if a source turns out not to be sorted.
 */
export async function mergeExternally(
  sources: readonly { readonly source: ItemSource; readonly itemCount: number }[],
  sink: ItemSink,
  options: ExternalOptions,
): Promise<ExternalReport> {
  const job = new ExternalJob(options);
  return job.run(async () => {
    const runs = await job.sampleRuns(sources.filter(({ itemCount }) => itemCount > 0));
    await job.distribute(runs, job.distinct(sink));
  });
}

class ExternalJob {
  readonly #options: ExternalOptions;
  readonly #order: ItemOrder;
  readonly #itemBytes: number;
  readonly #pool: BufferPool;
  readonly #clock = new PhaseClock();
  readonly #reports: SortReport[] = [];
  /** Work that must have succeeded or failed before buffers and files are released. */
  readonly #pending = new Set<Promise<unknown>>();
  #store: ByteStore | undefined;
  #chunkItems: number;
  #stride = 1;
  #itemsIn = 0;
  #itemsOut = 0;
  #sumIn = 0;
  #sumOut = 0;
  #external: ExternalReport["external"];

  constructor(options: ExternalOptions) {
    const { sorter, chunkItems } = options;
    this.#options = options;
    this.#order = sorter.order;
    this.#itemBytes = sorter.order.itemBytes;
    this.#chunkItems = chunkItems;
    this.#pool = new BufferPool(bufferCount(sorter), chunkItems * this.#itemBytes);
  }

  async run(work: () => Promise<void>): Promise<ExternalReport> {
    const begin = performance.now();
    try {
      await work();
    } finally {
      await Promise.allSettled(this.#pending);
      await this.#store?.close();
    }
    return this.#report(performance.now() - begin);
  }

  /** Drops duplicates on the way to the sink, unless they are wanted. */
  distinct(sink: ItemSink): ItemSink {
    return this.#options.unique ? new UniqueSink(this.#order, sink) : sink;
  }

  /** @returns the runs; undefined if there was only one chunk, which has been written to the sink already. */
  async formRuns(input: ItemStream, sink: ItemSink): Promise<Run[] | undefined> {
    const { chunkItems, createStore } = this.#options;
    const runsExpected = input.itemCount === undefined ? FEW_RUNS : Math.ceil(input.itemCount / chunkItems);
    this.#stride = this.#strideFor(runsExpected, input.itemCount ?? 0);
    if (input.itemCount !== undefined && input.itemCount > chunkItems) {
      this.#store = await createStore(input.itemCount * this.#itemBytes);
    }
    const runs: Run[] = [];
    let start = 0;
    let reading = this.#readChunk(input);
    for (;;) {
      const chunk = await reading;
      let ended = chunk.items.length < chunk.buffer.length;
      if (!ended) {
        if (input.itemCount === undefined && runs.length >= FEW_RUNS) this.#growChunks();
        reading = this.#readChunk(input);
        reading.catch(() => {}); // awaited after this chunk's sort; if the sort fails, nothing awaits it
      }
      // A full first chunk may be the whole input. Only the next read shows whether it is.
      if (!ended && runs.length === 0 && (await reading).items.length === 0) ended = true;
      if (ended && runs.length === 0) {
        const { unique = false, sorter } = this.#options;
        if (sorter.selects) await this.#sort(chunk.items, sink, { unique });
        else await this.#sort(chunk.items, this.distinct(sink), {});
        this.#countOut(chunk.items.length, chunk.sum);
        return undefined;
      }
      if (chunk.items.length > 0) {
        this.#store ??= await createStore(undefined);
        runs.push(await this.#formRun(chunk, this.#store, start));
        start += chunk.items.length;
        if (input.itemCount === undefined) this.#thinSamples(runs);
      }
      if (ended) break;
    }
    await Promise.all(this.#pending);
    return runs;
  }

  /**
   * Makes the next chunks longer if twice the items so far need that, because more will follow: at least twice
   * as long, so that buffers are replaced rarely.
   */
  #growChunks(): void {
    if (leastChunkItems(2 * this.#itemsIn, this.#itemBytes) <= this.#chunkItems) return;
    const most = mostChunkItems(this.#itemBytes, this.#options.sorter);
    this.#chunkItems = Math.max(this.#chunkItems, Math.min(2 * this.#chunkItems, most));
    this.#pool.grow(this.#chunkItems * this.#itemBytes);
  }

  /** Leaves out every other sample while all of them take more than a quarter of a chunk. */
  #thinSamples(runs: Run[]): void {
    const bytes = () => runs.reduce((sum, { samples }) => sum + samples.length, 0);
    while (4 * bytes() > this.#chunkItems * this.#itemBytes && this.#stride < this.#itemsIn) {
      this.#stride *= 2;
      runs.forEach((run, i) => {
        runs[i] = { ...run, samples: sample(run.samples, this.#itemBytes, 2) };
      });
    }
  }

  async #readChunk(input: ItemStream): Promise<Chunk> {
    const buffer = await this.#pool.take();
    this.#clock.begin("read");
    const bytes = await input.next(buffer);
    this.#clock.end("read", bytes);
    const items = buffer.subarray(0, bytes);
    const sum = this.#sum(items);
    this.#countIn(bytes, sum);
    return { buffer, items, sum };
  }

  async #formRun({ buffer, items }: Chunk, store: ByteStore, start: number): Promise<Run> {
    const { inPlace } = this.#options.sorter;
    const target = inPlace ? buffer : await this.#pool.take();
    const sorted = target.subarray(0, items.length);
    await this.#sort(items, memorySink(sorted), { arrivalChecked: true });
    if (target !== buffer) this.#pool.give(buffer);
    const samples = sample(sorted, this.#itemBytes, this.#stride);
    this.#track(
      this.#clock
        .time("spill", sorted.length, () => store.write(sorted, start))
        .finally(() => this.#pool.give(target)),
    );
    const source: ItemSource = { read: (into, offset) => store.read(into, start + offset) };
    return { source, itemCount: sorted.length / this.#itemBytes, samples };
  }

  /** Reads the samples of runs that this job did not form. */
  async sampleRuns(runs: readonly { source: ItemSource; itemCount: number }[]): Promise<Run[]> {
    const total = runs.reduce((sum, { itemCount }) => sum + itemCount, 0);
    this.#stride = this.#strideFor(runs.length, total);
    const sampled: Run[] = [];
    for (const { source, itemCount } of runs) {
      const samples = new Uint8Array(Math.ceil(itemCount / this.#stride) * this.#itemBytes);
      for (let at = 0; at < samples.length; at += this.#itemBytes) {
        await source.read(samples.subarray(at, at + this.#itemBytes), at * this.#stride);
      }
      sampled.push({ source, itemCount, samples });
    }
    return sampled;
  }

  /**
   * Cuts the runs into buckets, sorts each bucket, and writes it to the sink. A bucket has the items of one
   * range of ranks of the stable merge, as many as a chunk, so the buckets follow each other in sorted order.
   * It consists of one slice of each run, and is in order once these, put together in the order of the runs,
   * are sorted stably.
   */
  async distribute(runs: readonly Run[], sink: ItemSink): Promise<void> {
    const chunkItems = this.#chunkItems;
    const cuts = new RankCuts(runs, this.#stride, this.#order);
    const buckets = Math.ceil(cuts.itemCount / chunkItems);
    let copied = 0;
    let start = await cuts.at(0);
    let last: Uint8Array | undefined;
    const gather = async (index: number): Promise<Chunk & { slices: number }> => {
      const from = start;
      start = await cuts.at((index + 1) * chunkItems);
      return this.#gather(runs, from, start);
    };
    let gathering = this.#track(gather(0));
    for (let index = 0; index < buckets; index++) {
      const { buffer, items, sum, slices } = await gathering;
      if (index + 1 < buckets) gathering = this.#track(gather(index + 1));
      const isSorted = slices === 1 || this.#isOneKey(items);
      const target = isSorted || this.#options.sorter.inPlace ? buffer : await this.#pool.take();
      const sorted = target.subarray(0, items.length);
      if (isSorted) copied++;
      else await this.#sort(items, memorySink(sorted), { arrivalChecked: true });
      if (target !== buffer) this.#pool.give(buffer);
      this.#checkFollows(last, sorted, isSorted);
      last = sorted.slice(-this.#itemBytes);
      const offset = this.#itemsOut * this.#itemBytes;
      this.#countOut(sorted.length, isSorted ? sum : this.#sum(sorted));
      this.#track(
        this.#clock
          .time("write", sorted.length, () => sink.write(sorted, offset))
          .finally(() => this.#pool.give(target)),
      );
    }
    await Promise.all(this.#pending);
    this.#checkAllThere();
    await sink.end();
    const chunkBytes = chunkItems * this.#itemBytes;
    const temporaryBytes = this.#store ? this.#itemsIn * this.#itemBytes : 0;
    this.#external = {
      runs: runs.length,
      chunkBytes,
      temporaryBytes,
      copiedBuckets: copied,
      buckets,
    };
  }

  async #gather(
    runs: readonly Run[],
    from: readonly number[],
    to: readonly number[],
  ): Promise<Chunk & { slices: number }> {
    const sizes = runs.map((_, i) => to[i]! - from[i]!);
    const count = sizes.reduce((sum, size) => sum + size, 0);
    // A slice of negative length, or a bucket that is too large, means that a run is out of order.
    if (sizes.some((size) => size < 0) || count > this.#chunkItems) throw this.#disorder("within a run");
    const buffer = await this.#pool.take();
    const items = buffer.subarray(0, count * this.#itemBytes);
    const reads: Promise<void>[] = [];
    let at = 0;
    await this.#clock.time("gather", items.length, async () => {
      sizes.forEach((size, i) => {
        if (size === 0) return;
        const bytes = size * this.#itemBytes;
        reads.push(runs[i]!.source.read(items.subarray(at, at + bytes), from[i]! * this.#itemBytes));
        at += bytes;
      });
      await settleAll(reads);
    });
    const sum = this.#sum(items);
    if (!this.#store) this.#countIn(items.length, sum);
    return { buffer, items, sum, slices: reads.length };
  }

  async #sort(items: Uint8Array<ArrayBuffer>, sink: ItemSink, options: BufferOptions): Promise<void> {
    this.#reports.push(await this.#options.sorter.sortBuffer(items, sink, options));
  }

  /** Whether all items compare as equal. */
  #isOneKey(items: Uint8Array): boolean {
    const { compare } = this.#order;
    const view = this.#order.view(items);
    const count = items.length / this.#itemBytes;
    // In most buckets the first two items differ, so this ends soon.
    for (let i = 1; i < count; i++) if (compare(view, 0, view, i) !== 0) return false;
    return count > 0;
  }

  #checkFollows(last: Uint8Array | undefined, sorted: Uint8Array, wasCopied: boolean): void {
    if (wasCopied && scanNeighbours(sorted, this.#order).inversions > 0) throw this.#disorder("within a run");
    if (!last || !this.#options.verify) return;
    if (compareItems(last, sorted.subarray(0, this.#itemBytes), this.#order) > 0) {
      throw this.#disorder("between two buckets");
    }
  }

  #checkAllThere(): void {
    if (!this.#options.verify) return;
    if (this.#itemsIn === this.#itemsOut && this.#sumIn === this.#sumOut) return;
    throw new VerifyError(
      `items were lost or changed: ${this.#itemsIn} items with the sum ${this.#sumIn} went in, ` +
        `${this.#itemsOut} items with the sum ${this.#sumOut} came out`,
      CHECK_THE_DISK,
    );
  }

  #disorder(where: string): Error {
    return (
      this.#options.disorder?.(where) ??
      new VerifyError(`the sorted runs are out of order ${where}`, CHECK_THE_DISK)
    );
  }

  #sum(items: Uint8Array): number {
    return this.#options.verify ? transferSum(items, this.#order.item) : 0;
  }

  #countIn(bytes: number, sum: number): void {
    this.#itemsIn += bytes / this.#itemBytes;
    this.#sumIn = (this.#sumIn + sum) >>> 0;
  }

  #countOut(bytes: number, sum: number): void {
    this.#itemsOut += bytes / this.#itemBytes;
    this.#sumOut = (this.#sumOut + sum) >>> 0;
  }

  /**
   * The distance from one sample of a run to the next, in items. To find a cut, about one stride of each run
   * is read; the strides are so short that this is 1/64 of a chunk in total. They are longer if the samples of
   * all runs would otherwise take more than a quarter of a chunk.
   *
   * @param itemCount 0 if it is not known.
   */
  #strideFor(runs: number, itemCount: number): number {
    const chunkItems = this.#chunkItems;
    const SAMPLES = 64;
    const fine = Math.floor(chunkItems / (SAMPLES * Math.max(1, runs)));
    return Math.max(1, fine, Math.ceil((4 * itemCount) / chunkItems));
  }

  /** Registers work that runs in the background, so that the job awaits it before it ends. */
  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    work.then(
      () => this.#pending.delete(work),
      () => {}, // stays in the set: to await all of them throws its error
    );
    return work;
  }

  #report(totalMs: number): ExternalReport {
    const [first] = this.#reports;
    const gpuMs = this.#reports.flatMap((report) => report.gpuMs ?? []);
    return {
      device: first?.device ?? "no device",
      algorithm: algorithmOf(this.#reports) ?? "merge of disjoint runs",
      keyCount: this.#itemsOut,
      written: this.#itemsOut,
      verified: this.#options.verify,
      phases: this.#phases(),
      gpuMs: gpuMs.length === 0 ? undefined : gpuMs.reduce((sum, ms) => sum + ms, 0),
      gpuClock: first?.gpuClock,
      totalMs,
      ...(this.#external && { external: this.#external }),
    };
  }

  /**
   * The phases of the job and of the sorter. The sorter's reads only copy memory; so do its writes, unless it
   * wrote the only chunk to the sink itself.
   */
  #phases(): Phase[] {
    const inMemory: readonly PhaseName[] = this.#external === undefined ? ["read"] : ["read", "write"];
    const ofSorter = this.#reports.flatMap(({ phases }) => phases.map((phase) => asCopy(phase, inMemory)));
    return combinePhases([...this.#clock.phases(), ...ofSorter]);
  }
}

interface Chunk {
  readonly buffer: Uint8Array<ArrayBuffer>;
  /** The part of the buffer that is filled. */
  readonly items: Uint8Array<ArrayBuffer>;
  /** The items' `transferSum`; 0 without `verify`. */
  readonly sum: number;
}
