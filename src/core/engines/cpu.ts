import { bytesOf } from "../bytes.js";
import type { Findings } from "../cpu/findings.js";
import { CallingThread, engineClosed, type KernelRunner } from "../cpu/runner.js";
import { decodeKeys, extractIndices, readElements } from "../cpu/sort/convert.js";
import { otherKeys, sortFewKeys, wrongOrder } from "../cpu/sort/few_keys.js";
import { type Extent, keptKeys } from "../cpu/sort/kept_keys.js";
import { radixSort } from "../cpu/sort/radix_sort.js";
import type { Spread } from "../cpu/sort/spread.js";
import { type SortWork, type Steps, takeSteps } from "../cpu/sort/work.js";
import { besideCopies, SYNC_BYTES } from "../cpu/tuning.js";
import { bytesPerKey, elementBits, elementForm, largestCount, workspaceFor } from "../cpu/workspace.js";
import { GpusortError, InputError } from "../errors.js";
import { allBits, IN_ORDER } from "../sort/key.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { serialQueue } from "../streams/serial_queue.js";
import { bytesAt, copyResult, fillShared, PartWriter, writeBytes, writeMoved } from "./cpu_output.js";
import {
  type Engine,
  requireSelection,
  type SortArrays,
  type SortJob,
  type SortReport,
  type ValueStreams,
  writeOnes,
} from "./engine.js";
import { runCounts, runLengthEncode } from "./run_lengths.js";

/**
 * Sorts on the CPU, by a radix sort in WebAssembly. If values move with the keys, it sorts indices. It keeps
 * the memory of the last sort for the next one, until `close`.
 */
export class CpuEngine implements Engine {
  readonly device = "CPU";
  readonly threads: number;
  readonly gpuClock = undefined;
  readonly #runner: KernelRunner;
  readonly #inTurn = serialQueue("continue");
  /** Sorts that have begun or wait. */
  #sorts = 0;
  #memory: WebAssembly.Memory | undefined;
  #closed = false;

  /** @param runner runs the kernels, by default on the calling thread. `close` closes it. */
  constructor(runner: KernelRunner = new CallingThread()) {
    this.#runner = runner;
    this.threads = runner.threads;
  }

  algorithmFor(): string {
    return "radix";
  }

  /** WebAssembly has 4 GiB of memory. The memory of the process may run out earlier. */
  capacity(job: SortJob, indices = false): number {
    return largestCount(elementForm(job.type.bytes, indices || sortsIndices(job)), this.#runner.threads);
  }

  /** The elements, scratch, and the keys if they are not in the place of the elements; values and counts. */
  memoryPerKey(job: SortJob, indices: boolean): number {
    const form = elementForm(job.type.bytes, indices || sortsIndices(job));
    return bytesPerKey(form) + (job.payloadBytes ?? 0) + (job.unique === "counts" ? 4 : 0);
  }

  sort(
    job: SortJob,
    source: ItemSource,
    sink: ItemSink,
    values?: ValueStreams,
    counts?: ItemSink,
  ): Promise<SortReport> {
    if (counts || job.unique === "counts") return this.#sortCounted(job, source, sink, counts);
    if (job.writesParts && !sortsIndices(job) && !job.unique && job.head === undefined) {
      return this.#sortInParts(job, source, new PartWriter(sink));
    }
    if (!sortsIndices(job)) {
      return this.#run(job, false, source, async (work) => {
        const { clock, form } = work;
        const kept = await keptKeys(work, job);
        const [first] = kept;
        if (kept.length === 1 && sink.fill && (await fillShared(work, sink.fill, first!))) {
          await sink.end();
          return first!.count;
        }
        let written = 0;
        for (const { at, count } of kept) {
          await writeBytes(bytesAt(work, at, count * form.keyBytes), sink, clock, written * form.keyBytes);
          written += count;
        }
        await sink.end();
        return written;
      });
    }
    const { payloadBytes = 0 } = job;
    return this.#run(job, true, source, async (work) => {
      const { at, clock, form, memory } = work;
      const count = keptCount(job);
      const indices = new Uint32Array(memory.buffer, at.scratch, count);
      const keys = bytesAt(work, at.keys, job.keyCount * form.keyBytes);
      const bytes = allocate(job, () => new Uint8Array(job.keyCount * payloadBytes));
      if (values) await clock.time("read", bytes.length, () => values.source.read(bytes, 0));
      // Nothing is written before all is read: keys without their values would be lost.
      await writeMoved(keys, form.keyBytes, indices, sink, clock);
      if (values) await writeMoved(bytes, payloadBytes, indices, values.sink, clock);
      await sink.end();
      await values?.sink.end();
      return count;
    });
  }

  /** Drops the other keys while it counts them, on the calling thread. */
  #sortCounted(
    job: SortJob,
    source: ItemSource,
    sink: ItemSink,
    counts: ItemSink | undefined,
  ): Promise<SortReport> {
    const write = async (work: SortWork) => {
      const { memory, clock, form } = work;
      const { type, keyCount, head = keyCount } = job;
      const lengths = runCounts(keyCount, type);
      const keepFirsts = ({ at, count }: Extent) =>
        runLengthEncode(new type.array(memory.buffer, at, count), type, lengths);
      const [firsts] = await keptKeys(work, { ...job, head: undefined }, keepFirsts);
      const { at, count: distinct } = firsts!;
      const count = Math.min(distinct, head);
      await writeBytes(bytesAt(work, at, count * form.keyBytes), sink, clock);
      if (distinct < keyCount) await writeBytes(bytesOf(lengths.subarray(0, count)), counts!, clock);
      else await writeOnes(counts!, count, clock);
      await sink.end();
      await counts!.end();
      return count;
    };
    return this.#run(job, sortsIndices(job), source, write, { counts });
  }

  /** Writes the first keys while others are still sorted. */
  #sortInParts(job: SortJob, source: ItemSource, writer: PartWriter): Promise<SortReport> {
    const stopped = new AbortController();
    const stop = () => {
      if (!writer.hasBegun || job.writesParts === "discarded") stopped.abort(job.signal?.reason);
    };
    if (job.signal?.aborted) stop();
    job.signal?.addEventListener("abort", stop);
    const write = async () => {
      await writer.finish();
      return job.keyCount;
    };
    return this.#run({ ...job, signal: stopped.signal }, false, source, write, { parts: writer }).finally(
      () => job.signal?.removeEventListener("abort", stop),
    );
  }

  argsort(job: SortJob, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    return this.#run(job, true, source, async (work) => {
      const count = keptCount(job);
      await writeBytes(bytesAt(work, work.at.scratch, 4 * count), sink, work.clock);
      await sink.end();
      return count;
    });
  }

  sortSync(job: SortJob, arrays: SortArrays, indices: boolean): boolean {
    const { keys, values } = arrays;
    const pairs = indices || sortsIndices(job);
    const bytes = job.keyCount * elementForm(job.type.bytes, pairs).bytes + (values?.from.length ?? 0);
    const isFree = this.#sorts === 0 && !this.#closed;
    if (!isFree || job.unique || bytes > SYNC_BYTES || this.#runner.isDueToYield()) return false;
    let work: SortWork;
    try {
      work = this.#begin(job, pairs, 1);
      bytesAt(work, work.at.keys, keys.length).set(keys);
      sortFewKeys(work);
    } catch (error) {
      this.#dropMemory();
      throw error;
    }
    copyResult(work, arrays, indices);
    return true;
  }

  /**
   * Sorts keys or pairs, one job after the other, since they share the memory.
   *
   * @param write returns the number of keys that it has written.
   * @param more.parts may write the first keys before.
   * @param more.counts takes the counts.
   */
  #run(
    job: SortJob,
    pairs: boolean,
    source: ItemSource,
    write: (work: SortWork) => Promise<number>,
    { parts, counts }: { parts?: PartWriter; counts?: ItemSink | undefined } = {},
  ): Promise<SortReport> {
    this.#sorts++;
    return this.#inTurn(async () => {
      try {
        if (this.#closed) throw engineClosed();
        requireSelection(job, pairs, counts);
        const begin = performance.now();
        const planned = this.#begin(job, pairs);
        const work = parts ? { ...planned, parts: parts.begin(planned) } : planned;
        const { findings: before, spread } = await readElements(work, source);
        await takeSteps(work, sortElements(work, before, spread));
        const written = await write(work);
        return {
          device: this.device,
          algorithm: mustSort(before, spread) ? this.algorithmFor() : IN_ORDER,
          keyCount: job.keyCount,
          written,
          verified: job.verify,
          phases: work.clock.phases(),
          gpuMs: undefined,
          gpuClock: undefined,
          totalMs: performance.now() - begin,
        };
      } catch (error) {
        await parts?.stop();
        this.#dropMemory(); // a read or a thread may not have ended yet
        throw error;
      } finally {
        this.#sorts--;
      }
    });
  }

  /** @param chosen the threads to use; by default as many as pay. */
  #begin(job: SortJob, pairs: boolean, chosen?: number): SortWork {
    const form = elementForm(job.type.bytes, pairs);
    const bits = elementBits(form, job.bits ?? allBits(job.type));
    const paying = chosen ?? this.#runner.threadsFor(job.keyCount * form.bytes);
    const threads = job.writesParts ? besideCopies(paying) : paying;
    const at = workspaceFor(form, job.keyCount, threads);
    const memory = allocate(job, () => this.#memoryOf(at.bytes));
    const ordering = { bytes: form.bytes, bits, pairs };
    return { job, form, ordering, runner: this.#runner, threads, memory, at, clock: new PhaseClock() };
  }

  #memoryOf(bytes: number): WebAssembly.Memory {
    const kept = this.#memory?.buffer.byteLength ?? 0;
    if (this.#memory && bytes <= kept && kept <= Math.max(KEPT_BYTES, 16 * bytes)) return this.#memory;
    this.#memory = this.#runner.makeMemory(bytes);
    return this.#memory;
  }

  #dropMemory(): void {
    this.#memory = undefined;
    this.#runner.dropMemory();
  }

  close(): void {
    this.#closed = true;
    this.#memory = undefined;
    this.#runner.close();
  }
}

/** The number of keys or indices that are written. */
function keptCount({ keyCount, head = keyCount }: SortJob): number {
  return Math.min(keyCount, head);
}

/** Whether a sort of keys sorts indices, and moves the keys at the end. Only then are all NaNs equal. */
function sortsIndices({ type, bits, payloadBytes }: SortJob): boolean {
  return Boolean(payloadBytes) || (bits !== undefined && type.order === "float");
}

/**
 * Whether elements need a sort. Divided ones do, even if they are in order, as those of a source that changes
 * between the reads of its sample and of its keys may be: other keys were read to their places meanwhile.
 */
function mustSort(before: Findings, spread: Spread | undefined): boolean {
  return before.inversions > 0 || spread !== undefined;
}

/** Sorts elements, and puts the keys or the indices in order where they are written from. */
function* sortElements(work: SortWork, before: Findings, spread?: Spread): Steps<void> {
  const { job, form } = work;
  if (mustSort(before, spread)) {
    const after = yield* radixSort(work, before, spread);
    if (job.verify) check(job, before, after);
  } else if (!form.pairs) yield* decodeKeys(work);
  if (form.pairs) yield* extractIndices(work);
}

/** Memory of up to this many bytes is kept, however few keys the next job has. */
const KEPT_BYTES = 64 << 20;

/** @throws VerifyError unless the result holds the elements of the input in order. */
function check({ keyCount }: SortWork["job"], before: Findings, after: Findings): void {
  const isSame = before.sums.every((sum, i) => sum === after.sums[i]);
  if (before.count !== keyCount || after.count !== keyCount || !isSame) throw otherKeys();
  if (after.inversions > 0) throw wrongOrder(after.inversions);
}

function allocate<T>({ type, keyCount }: SortJob, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof GpusortError) throw cause;
    throw new InputError(`${keyCount} ${type.name} keys do not fit in this process's memory`, {
      hint: "sort the keys in parts",
      cause,
    });
  }
}
