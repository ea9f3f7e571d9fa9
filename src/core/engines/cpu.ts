import { decodeKeys, extractIndices, readElements, type SortWork } from "../cpu/convert.js";
import type { Findings } from "../cpu/findings.js";
import { radixSort } from "../cpu/radix_sort.js";
import { CallingThread, type KernelRunner } from "../cpu/runner.js";
import { elementBits, elementForm, largestCount, workspaceFor } from "../cpu/workspace.js";
import { InputError, VerifyError } from "../errors.js";
import { allBits } from "../sort/key.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { serialQueue } from "../streams/serial_queue.js";
import { writeBytes, writeMoved } from "./cpu_output.js";
import type { Engine, SortJob, SortReport, ValueStreams } from "./engine.js";

/**
 * Sorts on the CPU, by a radix sort in WebAssembly. If values move with the keys, it sorts indices. It keeps
 * the memory of the last sort for the next one, until `close`.
 */
export class CpuEngine implements Engine {
  readonly device = "CPU";
  readonly gpuClock = undefined;
  readonly #runner: KernelRunner;
  readonly #inTurn = serialQueue("continue");
  #memory: WebAssembly.Memory | undefined;

  /** @param runner runs the kernels, by default on the calling thread. `close` closes it. */
  constructor(runner: KernelRunner = new CallingThread()) {
    this.#runner = runner;
  }

  algorithmFor(): string {
    return "radix sort";
  }

  /** WebAssembly has 4 GiB of memory. The memory of the process may run out earlier. */
  capacity(job: SortJob): number {
    return largestCount(elementForm(job.type.bytes, sortsIndices(job)), this.#runner.threads);
  }

  sort(job: SortJob, source: ItemSource, sink: ItemSink, values?: ValueStreams): Promise<SortReport> {
    if (!sortsIndices(job)) {
      return this.#run(job, false, source, async (work) => {
        const { at, clock, form } = work;
        await writeBytes(work.memory, at.keys, job.keyCount * form.keyBytes, sink, clock);
        await sink.end();
      });
    }
    const { payloadBytes = 0 } = job;
    return this.#run(job, true, source, async (work) => {
      const { at, clock, form, memory } = work;
      const indices = new Uint32Array(memory.buffer, at.scratch, job.keyCount);
      const keys = new Uint8Array(memory.buffer, at.keys, job.keyCount * form.keyBytes);
      await writeMoved(keys, form.keyBytes, indices, sink, clock);
      if (values) {
        const bytes = allocate(job, () => new Uint8Array(job.keyCount * payloadBytes));
        await clock.time("read", bytes.length, () => values.source.read(bytes, 0));
        await writeMoved(bytes, payloadBytes, indices, values.sink, clock);
      }
      await sink.end();
      await values?.sink.end();
    });
  }

  argsort(job: SortJob, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    return this.#run(job, true, source, async ({ memory, at, clock }) => {
      await writeBytes(memory, at.scratch, 4 * job.keyCount, sink, clock);
      await sink.end();
    });
  }

  /** Sorts keys or pairs, one job after the other, since they share the memory. */
  #run(
    job: SortJob,
    pairs: boolean,
    source: ItemSource,
    write: (work: SortWork) => Promise<void>,
  ): Promise<SortReport> {
    return this.#inTurn(async () => {
      const begin = performance.now();
      const work = this.#begin(job, pairs);
      try {
        const before = await readElements(work, source);
        if (before.inversions > 0) await sortElements(work, before);
        const after = await (pairs ? extractIndices(work) : decodeKeys(work));
        if (job.verify) check(job, before, after);
        await write(work);
      } catch (error) {
        this.#memory = undefined; // a read or a thread may not have ended yet
        throw error;
      }
      return {
        device: this.device,
        algorithm: this.algorithmFor(),
        keyCount: job.keyCount,
        verified: job.verify,
        phases: work.clock.phases(),
        gpuMs: undefined,
        gpuClock: undefined,
        totalMs: performance.now() - begin,
      };
    });
  }

  #begin(job: SortJob, pairs: boolean): SortWork {
    const form = elementForm(job.type.bytes, pairs);
    const bits = elementBits(form, job.bits ?? allBits(job.type));
    const threads = this.#runner.threadsFor(job.keyCount * form.bytes);
    const at = workspaceFor(form, job.keyCount, threads);
    const memory = allocate(job, () => this.#memoryOf(at.bytes));
    const ordering = { bytes: form.bytes, bits, pairs };
    return { job, form, ordering, runner: this.#runner, threads, memory, at, clock: new PhaseClock() };
  }

  #memoryOf(bytes: number): WebAssembly.Memory {
    const kept = this.#memory?.buffer.byteLength ?? 0;
    if (this.#memory && bytes <= kept && kept <= Math.max(KEPT_BYTES, 4 * bytes)) return this.#memory;
    this.#memory = undefined; // so that it can be freed before the next one is made
    this.#memory = this.#runner.makeMemory(bytes);
    return this.#memory;
  }

  close(): void {
    this.#memory = undefined;
    this.#runner.close();
  }
}

/** Whether a sort of keys sorts indices, and moves the keys at the end. Only then are all NaNs equal. */
function sortsIndices({ type, bits, payloadBytes }: SortJob): boolean {
  return Boolean(payloadBytes) || (bits !== undefined && type.order === "float");
}

/** As much memory is kept however few keys the next job has. */
const KEPT_BYTES = 16 << 20;

/** Sorts by the bits that decide the order, and in which keys differ. */
function sortElements(work: SortWork, { varying }: Findings): Promise<void> {
  const { form, ordering, memory, at, clock, runner } = work;
  const bits = {
    begin: Math.max(ordering.bits.begin, varying.begin),
    end: Math.min(ordering.bits.end, varying.end),
  };
  const elements = {
    memory,
    bytes: form.bytes,
    count: work.job.keyCount,
    at: at.elements,
    scratch: at.scratch,
    countTables: at.countTables,
    threads: work.threads,
    signal: work.job.signal,
  };
  return clock.time("sort", 0, () => radixSort(runner, elements, bits));
}

/** @throws VerifyError unless the result holds the elements of the input in order. */
function check(job: SortJob, before: Findings, after: Findings): void {
  const hint = "the input is untouched and no output was written; this machine computed a wrong result";
  const isSame = before.sums.every((sum, i) => sum === after.sums[i]);
  if (before.count !== job.keyCount || after.count !== job.keyCount || !isSame) {
    throw new VerifyError("CPU changed the keys while it sorted them: the checksums differ", { hint });
  }
  if (after.inversions > 0) {
    const message = `CPU sorted wrongly: ${after.inversions} pairs of neighbours are out of order`;
    throw new VerifyError(message, { hint });
  }
}

function allocate<T>({ type, keyCount }: SortJob, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new InputError(`${keyCount} ${type.name} keys do not fit in this process's memory`, {
      hint: "sort the keys in parts",
      cause,
    });
  }
}
