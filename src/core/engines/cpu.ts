import type { KeyArray } from "../elements.js";
import { InputError, VerifyError } from "../errors.js";
import { keyItem } from "../items/item.js";
import { itemOrder } from "../items/order.js";
import { combine, emptySummary, summarize } from "../items/summary.js";
import { checkTotals, type Evidence } from "../sort/inspect.js";
import { allBits } from "../sort/key.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { type OrderedForms, orderedFormsOf, sortedIndices } from "./cpu_indices.js";
import type { Engine, SortJob, SortReport, ValueStreams } from "./engine.js";

/**
 * Sorts keys with `TypedArray.prototype.sort`. If values move with the keys, or only some bits are compared,
 * it sorts indices instead. It serves machines without an adapter, and it is the reference for other engines.
 */
export class CpuEngine implements Engine {
  readonly device = "CPU";
  readonly gpuClock = undefined;

  algorithmFor(): string {
    return "TypedArray.prototype.sort";
  }

  /** The maximum length of a typed array in V8. Memory may run out earlier. */
  capacity(): number {
    return 2 ** 32;
  }

  async sort(job: SortJob, source: ItemSource, sink: ItemSink, values?: ValueStreams): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const keys = await readKeys(job, source, clock);
    if (job.bits || job.payloadBytes) {
      const indices = await this.#indicesOf(job, keys, clock);
      await writeMoved(keys, job.type.bytes, indices, sink, clock);
      const bytes = job.payloadBytes ?? 0;
      if (values && bytes > 0) {
        const payload = allocate(job, () => new Uint8Array(job.keyCount * bytes));
        await readInto(payload, values.source, clock);
        await writeMoved(payload, bytes, indices, values.sink, clock);
      }
      await sink.end();
      await values?.sink.end();
      return this.#report(job, clock, begin);
    }

    const before = job.verify ? await clock.time("verify", 0, async () => inspectKeys(keys, job)) : undefined;
    await clock.time("sort", 0, async () => {
      keys.sort();
      if (job.descending) keys.reverse();
    });
    if (before) {
      const after = await clock.time("verify", 0, async () => inspectKeys(keys, job));
      checkTotals(job.keyCount, before, after, this.device);
    }
    await write(keys, sink, clock);
    await sink.end();
    return this.#report(job, clock, begin);
  }

  async argsort(job: SortJob, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const keys = await readKeys(job, source, clock);
    await write(await this.#indicesOf(job, keys, clock), sink, clock);
    await sink.end();
    return this.#report(job, clock, begin);
  }

  /** Computes the stable order of the keys, and checks it if the job asks for that. */
  async #indicesOf(job: SortJob, keys: KeyArray, clock: PhaseClock): Promise<Uint32Array<ArrayBuffer>> {
    const forms = orderedFormsOf(keys, job.type, job.descending, job.bits ?? allBits(job.type));
    const indices = await clock.time("sort", 0, async () => sortedIndices(forms));
    if (job.verify) await clock.time("verify", 0, async () => this.#checkIndices(forms, indices));
    return indices;
  }

  /**
   * Checks that every index occurs once, and that each key comes after the key before it in the order, or
   * equals it and has a greater index.
   */
  #checkIndices(forms: OrderedForms, indices: Uint32Array): void {
    const seen = new Uint8Array(indices.length);
    for (let i = 0; i < indices.length; i++) {
      const index = indices[i]!;
      const isNew = seen[index] === 0;
      seen[index] = 1;
      if (isNew && (i === 0 || comesAfter(forms, index, indices[i - 1]!))) continue;
      throw new VerifyError(
        `${this.device} sorted wrongly: the key at index ${i} of the result is out of order`,
        {
          hint: "the input is untouched and no output was written; this machine computed a wrong result",
        },
      );
    }
  }

  #report(job: SortJob, clock: PhaseClock, begin: number): SortReport {
    return {
      device: this.device,
      algorithm: this.algorithmFor(),
      keyCount: job.keyCount,
      verified: job.verify,
      phases: clock.phases(),
      gpuMs: undefined,
      gpuClock: undefined,
      totalMs: performance.now() - begin,
    };
  }

  close(): void {}
}

function comesAfter(forms: OrderedForms, index: number, before: number): boolean {
  for (const words of forms.toReversed()) {
    if (words[index]! !== words[before]!) return words[index]! > words[before]!;
  }
  return index > before;
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

async function readKeys(job: SortJob, source: ItemSource, clock: PhaseClock): Promise<KeyArray> {
  const keys = allocate(job, () => new job.type.array(job.keyCount));
  await readInto(keys, source, clock);
  return keys;
}

async function readInto(bytes: ArrayBufferView, source: ItemSource, clock: PhaseClock): Promise<void> {
  for (const window of windows(bytes)) {
    await clock.time("read", window.length, () => source.read(window, window.byteOffset));
  }
}

async function write(bytes: ArrayBufferView, sink: ItemSink, clock: PhaseClock): Promise<void> {
  for (const window of windows(bytes)) {
    await clock.time("write", window.length, () => sink.write(window, window.byteOffset));
  }
}

/** Writes elements of `bytes` bytes in the order of `indices`, one window at a time. */
async function writeMoved(
  { buffer }: ArrayBufferView,
  bytes: number,
  indices: Uint32Array,
  sink: ItemSink,
  clock: PhaseClock,
): Promise<void> {
  const from = new Uint8Array(buffer as ArrayBuffer);
  const fitting = Math.max(1, Math.floor(WINDOW_BYTES / bytes));
  for (let begin = 0; begin < indices.length; begin += fitting) {
    const some = indices.subarray(begin, begin + fitting);
    const window = new Uint8Array(some.length * bytes);
    some.forEach((index, i) => {
      for (let byte = 0; byte < bytes; byte++) window[i * bytes + byte] = from[index * bytes + byte]!;
    });
    await clock.time("write", window.length, () => sink.write(window, begin * bytes));
  }
}

/** In Node, a view may have at most 4 GiB, and one read or write at most 2 GiB. */
const WINDOW_BYTES = 64 << 20;

function* windows({ buffer, byteLength }: ArrayBufferView): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < byteLength; at += WINDOW_BYTES) {
    yield new Uint8Array(buffer as ArrayBuffer, at, Math.min(WINDOW_BYTES, byteLength - at));
  }
}

/** Computes the same sums as wgsl/inspect.wgsl. */
function inspectKeys(keys: KeyArray, { type, descending }: SortJob): Evidence {
  const order = itemOrder(keyItem(type), descending);
  let seen = emptySummary;
  for (const window of windows(keys)) seen = combine(seen, summarize(window, order), order);
  return {
    seen: seen.count,
    sums: seen.checksum,
    inversions: seen.inversions,
    firstInversion: seen.firstInversion,
  };
}
