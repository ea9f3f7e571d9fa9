import type { KeyArray } from "../elements.js";
import { InputError, VerifyError } from "../errors.js";
import { keyItem } from "../formats/format.js";
import { itemOrder } from "../keys/order.js";
import { combine, emptySummary, summarize } from "../keys/summary.js";
import { checkTotals, type Evidence } from "../sort/inspect.js";
import { allBits } from "../sort/key.js";
import { type Images, imagesOf, sortedIndices } from "./cpu_indices.js";
import type { Engine, KeySink, KeySource, SortJob, SortReport, ValueStreams } from "./engine.js";
import { PhaseClock } from "./phases.js";

/**
 * Sorts with `TypedArray.prototype.sort`, and indices with it where values go with the keys: for machines without an adapter,
 * and as the reference.
 */
export class CpuEngine implements Engine {
  readonly device = "CPU";
  readonly gpuClock = undefined;

  algorithmFor(): string {
    return "TypedArray.prototype.sort";
  }

  /** V8's longest typed array; memory may end before it. */
  capacity(): number {
    return 2 ** 32;
  }

  async sort(job: SortJob, source: KeySource, sink: KeySink, values?: ValueStreams): Promise<SortReport> {
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
    return this.#report(job, clock, begin);
  }

  async argsort(job: SortJob, source: KeySource, sink: KeySink): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const keys = await readKeys(job, source, clock);
    await write(await this.#indicesOf(job, keys, clock), sink, clock);
    return this.#report(job, clock, begin);
  }

  /** The stable order of the keys, checked if the job says so. */
  async #indicesOf(job: SortJob, keys: KeyArray, clock: PhaseClock): Promise<Uint32Array<ArrayBuffer>> {
    const images = imagesOf(keys, job.type, job.descending, job.bits ?? allBits(job.type));
    const indices = await clock.time("sort", 0, async () => sortedIndices(images));
    if (job.verify) await clock.time("verify", 0, async () => this.#checkIndices(images, indices));
    return indices;
  }

  /** Every index once, and each key after, or equal and stably after, the one before it. */
  #checkIndices(images: Images, indices: Uint32Array): void {
    const seen = new Uint8Array(indices.length);
    for (let i = 0; i < indices.length; i++) {
      const index = indices[i]!;
      const isNew = seen[index] === 0;
      seen[index] = 1;
      if (isNew && (i === 0 || comesAfter(images, index, indices[i - 1]!))) continue;
      throw new VerifyError(
        `${this.device} sorted wrongly: the key at index ${i} of the result does not belong there`,
        {
          hint: "the input is untouched and no output was written; this machine computes wrongly",
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

function comesAfter(images: Images, index: number, before: number): boolean {
  for (const words of images.toReversed()) {
    if (words[index]! !== words[before]!) return words[index]! > words[before]!;
  }
  return index > before;
}

function allocate<T>({ type, keyCount }: SortJob, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new InputError(`${keyCount} ${type.name} keys do not fit this process's memory`, {
      hint: "sort the file in parts",
      cause,
    });
  }
}

async function readKeys(job: SortJob, source: KeySource, clock: PhaseClock): Promise<KeyArray> {
  const keys = allocate(job, () => new job.type.array(job.keyCount));
  await readInto(keys, source, clock);
  return keys;
}

async function readInto(bytes: ArrayBufferView, source: KeySource, clock: PhaseClock): Promise<void> {
  for (const window of windows(bytes)) {
    await clock.time("read", window.length, () => source.read(window, window.byteOffset));
  }
}

async function write(bytes: ArrayBufferView, sink: KeySink, clock: PhaseClock): Promise<void> {
  for (const window of windows(bytes)) {
    await clock.time("write", window.length, () => sink.write(window, window.byteOffset));
  }
}

/** Elements of so many bytes in the order of their indices, a window at a time. */
async function writeMoved(
  { buffer }: ArrayBufferView,
  bytes: number,
  indices: Uint32Array,
  sink: KeySink,
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

/** No view of Node's may be longer than 4 GiB, and no read or write than 2 GiB. */
const WINDOW_BYTES = 64 << 20;

function* windows({ buffer, byteLength }: ArrayBufferView): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < byteLength; at += WINDOW_BYTES) {
    yield new Uint8Array(buffer as ArrayBuffer, at, Math.min(WINDOW_BYTES, byteLength - at));
  }
}

/** The same sums as the kernel's. */
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
