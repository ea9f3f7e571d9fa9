import { VerifyError } from "../errors.js";
import { transferSum } from "../keys/checksum.js";
import type { ItemOrder } from "../keys/order.js";
import { compareItems, scanNeighbours } from "../keys/scan.js";
import { BufferPool } from "./buffer_pool.js";
import type { KeySink, KeySource, SortReport } from "./engine.js";
import { type ItemSorter, memorySink } from "./item_sorter.js";
import { type Phase, PhaseClock, type PhaseName } from "./phases.js";
import { Buckets, type Run, sample } from "./runs.js";

/**
 * Sorts more than memory holds, in two passes over a disk. The first reads the items in chunks, sorts each and keeps
 * it as a run. The second cuts the runs into buckets of a chunk each (`Buckets`), gathers a bucket's slices, sorts it
 * and hands it on. There is no merge by comparisons: a GPU sorts a bucket faster than JavaScript would merge it.
 *
 * Every byte is read twice and written twice. Memory: three buffers of a chunk (four where the sorter needs a second
 * one), of which one is filled, one sorted and one emptied at any time, and what the sorter takes itself.
 *
 * Checked, besides what the sorter checks: that buckets follow each other in order, and that the items that are handed
 * on are those that were read, by their number and their sum.
 */
export interface ExternalOptions {
  readonly sorter: ItemSorter;
  /** Items a chunk, at least 1 and at most what the sorter takes. */
  readonly chunkItems: number;
  readonly verify: boolean;
  /** Makes the place for runs; `bytes` is how many they are, if that is known. */
  readonly createStore: (bytes: number | undefined) => Promise<RunStore>;
  /** What to say of items out of order: of runs that others made it is not the machine that went wrong. */
  readonly disorder?: (where: string) => Error;
}

export interface RunStore extends KeySource, KeySink {
  close(): Promise<void>;
}

export interface ItemStream {
  /** Undefined where only the end tells. */
  readonly itemCount: number | undefined;
  /** Fills `into` with the whole items that follow. @returns bytes: fewer than fit at the end only. */
  next(into: Uint8Array): Promise<number>;
}

export interface ExternalReport extends SortReport {
  /** Undefined if all fitted in one chunk, and no disk was used. */
  readonly external?: {
    readonly runs: number;
    readonly chunkBytes: number;
    readonly temporaryBytes: number;
    /** Buckets that needed no sort, as they were a slice of one run, or of one key. */
    readonly copiedBuckets: number;
    readonly buckets: number;
  };
}

/** How many items a chunk may have so that all that this holds at a time stays within so many bytes. */
export function chunkItemsWithin(memoryBytes: number, sorter: ItemSorter): number {
  // Samples of all runs take a quarter of a chunk at most, and what is read of runs to cut them less than that.
  const SAMPLES_AND_CUTS = 0.5;
  const perItem = sorter.order.item.bytes * (buffers(sorter) + sorter.memoryPerByte + SAMPLES_AND_CUTS);
  const LONGEST_BUFFER = 2 ** 31;
  const most = Math.min(sorter.capacity, Math.floor(LONGEST_BUFFER / sorter.order.item.bytes));
  return Math.max(1, Math.min(most, Math.floor(memoryBytes / perItem)));
}

const buffers = ({ inPlace }: ItemSorter) => (inPlace ? 3 : 4);

/** @throws what the stream, the store, the sorter or the sink throws; VerifyError if items were lost or changed. */
export async function sortExternally(
  input: ItemStream,
  sink: KeySink,
  options: ExternalOptions,
): Promise<ExternalReport> {
  const job = new ExternalJob(options);
  return job.run(async () => {
    const runs = await job.makeRuns(input, sink);
    if (runs) await job.merge(runs, sink);
  });
}

/** Merges runs that are there already, each of a source of its own: the second pass alone. */
export async function mergeExternally(
  sources: readonly { readonly source: KeySource; readonly itemCount: number }[],
  sink: KeySink,
  options: ExternalOptions,
): Promise<ExternalReport> {
  const job = new ExternalJob(options);
  return job.run(async () => {
    await job.merge(await job.sampleRuns(sources.filter(({ itemCount }) => itemCount > 0)), sink);
  });
}

class ExternalJob {
  readonly #options: ExternalOptions;
  readonly #order: ItemOrder;
  readonly #itemBytes: number;
  readonly #pool: BufferPool;
  readonly #clock = new PhaseClock();
  readonly #reports: SortReport[] = [];
  /** What must have ended, well or not, before buffers and files may be let go of. */
  readonly #underWay = new Set<Promise<unknown>>();
  #store: RunStore | undefined;
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
    this.#itemBytes = sorter.order.item.bytes;
    this.#pool = new BufferPool(buffers(sorter), chunkItems * this.#itemBytes);
  }

  async run(work: () => Promise<void>): Promise<ExternalReport> {
    const begin = performance.now();
    try {
      await work();
    } finally {
      await Promise.allSettled(this.#underWay);
      await this.#store?.close();
    }
    return this.#report(performance.now() - begin);
  }

  /** @returns undefined if there was but one chunk, which has gone to the sink. */
  async makeRuns(input: ItemStream, sink: KeySink): Promise<Run[] | undefined> {
    const { chunkItems, createStore } = this.#options;
    const chunkBytes = chunkItems * this.#itemBytes;
    const MANY_RUNS = 64;
    const runsExpected = input.itemCount === undefined ? MANY_RUNS : Math.ceil(input.itemCount / chunkItems);
    this.#stride = this.#strideFor(runsExpected, input.itemCount ?? 0);
    if (input.itemCount !== undefined && input.itemCount > chunkItems) {
      this.#store = await createStore(input.itemCount * this.#itemBytes);
    }
    const runs: Run[] = [];
    let start = 0;
    let reading = this.#readChunk(input);
    for (;;) {
      const chunk = await reading;
      let ended = chunk.items.length < chunkBytes;
      if (!ended) {
        reading = this.#readChunk(input);
        reading.catch(() => {}); // it is waited for after this chunk's sort; if that fails, not at all
      }
      // Only the next chunk tells whether a first one that is full is all there is.
      if (!ended && runs.length === 0 && (await reading).items.length === 0) ended = true;
      if (ended && runs.length === 0) {
        await this.#sort(chunk.items, sink);
        this.#countOut(chunk.items.length, chunk.sum);
        return undefined;
      }
      if (chunk.items.length > 0) {
        this.#store ??= await createStore(undefined);
        runs.push(await this.#makeRun(chunk, this.#store, start));
        start += chunk.items.length;
      }
      if (ended) break;
    }
    await this.#allDone();
    return runs;
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

  async #makeRun({ buffer, items }: Chunk, store: RunStore, start: number): Promise<Run> {
    const { inPlace } = this.#options.sorter;
    const target = inPlace ? buffer : await this.#pool.take();
    const sorted = target.subarray(0, items.length);
    await this.#sort(items, memorySink(sorted), true);
    if (target !== buffer) this.#pool.give(buffer);
    const samples = sample(sorted, this.#itemBytes, this.#stride);
    this.#begin(
      this.#clock
        .time("spill", sorted.length, () => store.write(sorted, start))
        .finally(() => this.#pool.give(target)),
    );
    const source: KeySource = { read: (into, offset) => store.read(into, start + offset) };
    return { source, itemCount: sorted.length / this.#itemBytes, samples };
  }

  /** Reads the samples of runs that somebody else made. */
  async sampleRuns(runs: readonly { source: KeySource; itemCount: number }[]): Promise<Run[]> {
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

  async merge(runs: readonly Run[], sink: KeySink): Promise<void> {
    const { chunkItems } = this.#options;
    const buckets = new Buckets(runs, this.#stride, chunkItems, this.#order);
    let copied = 0;
    let start = await buckets.start(0);
    let last: Uint8Array | undefined;
    const gather = async (index: number): Promise<Chunk & { slices: number }> => {
      const from = start;
      start = await buckets.start(index + 1);
      return this.#gather(runs, from, start);
    };
    let gathering = this.#begin(gather(0));
    for (let index = 0; index < buckets.count; index++) {
      const { buffer, items, sum, slices } = await gathering;
      if (index + 1 < buckets.count) gathering = this.#begin(gather(index + 1));
      const isSorted = slices === 1 || this.#isOneKey(items);
      const target = isSorted || this.#options.sorter.inPlace ? buffer : await this.#pool.take();
      const sorted = target.subarray(0, items.length);
      if (isSorted) copied++;
      else await this.#sort(items, memorySink(sorted), true);
      if (target !== buffer) this.#pool.give(buffer);
      this.#checkFollows(last, sorted, isSorted);
      last = sorted.slice(-this.#itemBytes);
      const offset = this.#itemsOut * this.#itemBytes;
      this.#countOut(sorted.length, isSorted ? sum : this.#sum(sorted));
      this.#begin(
        this.#clock
          .time("write", sorted.length, () => sink.write(sorted, offset))
          .finally(() => this.#pool.give(target)),
      );
    }
    await this.#allDone();
    this.#checkAllThere();
    const chunkBytes = chunkItems * this.#itemBytes;
    const temporaryBytes = this.#store ? this.#itemsIn * this.#itemBytes : 0;
    this.#external = {
      runs: runs.length,
      chunkBytes,
      temporaryBytes,
      copiedBuckets: copied,
      buckets: buckets.count,
    };
  }

  async #gather(
    runs: readonly Run[],
    from: readonly number[],
    to: readonly number[],
  ): Promise<Chunk & { slices: number }> {
    const { chunkItems } = this.#options;
    const sizes = runs.map((_, i) => to[i]! - from[i]!);
    const count = sizes.reduce((sum, size) => sum + size, 0);
    // Only of runs that are none is a slice longer than nothing, or a bucket larger than it was to be.
    if (sizes.some((size) => size < 0) || count > chunkItems) throw this.#disorder("within an input");
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
      const outcomes = await Promise.allSettled(reads);
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    });
    const sum = this.#sum(items);
    if (!this.#store) this.#countIn(items.length, sum);
    return { buffer, items, sum, slices: reads.length };
  }

  async #sort(items: Uint8Array<ArrayBuffer>, sink: KeySink, arrivalChecked = false): Promise<void> {
    this.#reports.push(await this.#options.sorter.sortBuffer(items, sink, arrivalChecked));
  }

  /** Whether all keys are the same, so far as the slices' ends tell: each slice is in order. */
  #isOneKey(items: Uint8Array): boolean {
    const { compare } = this.#order;
    const view = this.#order.view(items);
    const count = items.length / this.#itemBytes;
    // The ends of most buckets differ at once; of those that do not, every neighbour is looked at.
    for (let i = 1; i < count; i++) if (compare(view, 0, view, i) !== 0) return false;
    return count > 0;
  }

  #checkFollows(last: Uint8Array | undefined, sorted: Uint8Array, wasCopied: boolean): void {
    if (wasCopied && scanNeighbours(sorted, this.#order).inversions > 0)
      throw this.#disorder("within a slice");
    if (!last || !this.#options.verify) return;
    if (compareItems(last, sorted.subarray(0, this.#itemBytes), this.#order) > 0) {
      throw this.#disorder("between buckets");
    }
  }

  #checkAllThere(): void {
    if (!this.#options.verify) return;
    if (this.#itemsIn === this.#itemsOut && this.#sumIn === this.#sumOut) return;
    throw new VerifyError(
      `of ${this.#itemsIn} items with the sum ${this.#sumIn}, ${this.#itemsOut} with the sum ${this.#sumOut} came out of the temporary files`,
      { hint: "the input is untouched; check the memory and the disk, or name another with --temp-dir" },
    );
  }

  #disorder(where: string): Error {
    return (
      this.#options.disorder?.(where) ??
      new VerifyError(`runs that were sorted are out of order ${where}`, {
        hint: "the input is untouched; check the memory and the disk, or name another with --temp-dir",
      })
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

  /** Of the strides that keep samples within a quarter of a chunk, the one that makes cuts read little. */
  #strideFor(runs: number, itemCount: number): number {
    const { chunkItems } = this.#options;
    const SAMPLES = 64;
    const fine = Math.floor(chunkItems / (SAMPLES * Math.max(1, runs)));
    return Math.max(1, fine, Math.ceil((4 * itemCount) / chunkItems));
  }

  /** Notes work that goes on beside other work. Whoever awaits it hears of its failure; and all is awaited. */
  #begin<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    work.then(
      () => this.#underWay.delete(work),
      () => {},
    );
    return work;
  }

  async #allDone(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #report(totalMs: number): ExternalReport {
    const [first] = this.#reports;
    const gpuMs = this.#reports.flatMap((report) => report.gpuMs ?? []);
    return {
      device: first?.device ?? "no device",
      algorithm: first?.algorithm ?? "merge of disjoint runs",
      keyCount: this.#itemsOut,
      verified: this.#options.verify,
      phases: this.#phases(),
      gpuMs: gpuMs.length === 0 ? undefined : gpuMs.reduce((sum, ms) => sum + ms, 0),
      gpuClock: first?.gpuClock,
      totalMs,
      ...(this.#external && { external: this.#external }),
    };
  }

  /** Its own, and the sorter's but for its reads and writes, which are of memory here. */
  #phases(): Phase[] {
    const phases = new Map<PhaseName, Phase>(this.#clock.phases().map((phase) => [phase.name, phase]));
    const moved = this.#external === undefined ? ["read"] : ["read", "write"];
    for (const { name, ms, bytes } of this.#reports.flatMap((report) => report.phases)) {
      if (moved.includes(name)) continue;
      const known = phases.get(name);
      phases.set(name, { name, ms: ms + (known?.ms ?? 0), bytes: bytes + (known?.bytes ?? 0) });
    }
    return [...phases.values()];
  }
}

interface Chunk {
  readonly buffer: Uint8Array<ArrayBuffer>;
  /** The part of the buffer that is filled. */
  readonly items: Uint8Array<ArrayBuffer>;
  readonly sum: number;
}
