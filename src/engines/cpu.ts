import type { BigArray, KeyArray, NumberArray } from "../elements.js";
import { InputError } from "../errors.js";
import { checkTotals, type Totals } from "../sort/inspect.js";
import { mix } from "../twins/order.js";
import type { Engine, KeySink, KeySource, SortJob, SortReport } from "./engine.js";
import { PhaseClock } from "./phases.js";

/** Sorts with `TypedArray.prototype.sort`: for machines without an adapter, and as the reference. */
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

  async sort(job: SortJob, source: KeySource, sink: KeySink): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const keys = allocate(job);
    for (const window of windows(keys)) {
      await clock.time("read", window.length, () => source.read(window, window.byteOffset));
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
    for (const window of windows(keys)) {
      await clock.time("write", window.length, () => sink.write(window, window.byteOffset));
    }
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

function allocate({ type, keyCount }: SortJob): KeyArray {
  try {
    return new type.array(keyCount);
  } catch (cause) {
    throw new InputError(`${keyCount} ${type.name} keys do not fit this process's memory`, {
      hint: "sort the file in parts",
      cause,
    });
  }
}

/** No view of Node's may be longer than 4 GiB, and no read or write than 2 GiB. */
const WINDOW_BYTES = 64 << 20;

function* windows({ buffer, byteLength }: KeyArray): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < byteLength; at += WINDOW_BYTES) {
    yield new Uint8Array(buffer as ArrayBuffer, at, Math.min(WINDOW_BYTES, byteLength - at));
  }
}

/** The same totals as the kernel's, from typed arrays: the twin with its bigints would be 50 times slower. */
function inspectKeys(keys: KeyArray, { type, descending }: SortJob): Totals {
  let [sumA, sumB, inversions] = [0, 0, 0];
  let firstInversion: number | undefined;
  for (const { buffer, byteOffset, byteLength } of windows(keys)) {
    const words = new Uint32Array(buffer, byteOffset, byteLength / 4);
    for (let i = 0; i < words.length; i += type.words) {
      const high = type.words === 2 ? words[i + 1]! : undefined;
      const fold = (seed: number) => (high === undefined ? seed : mix(high ^ seed));
      sumA = (sumA + mix(words[i]! ^ fold(0x9e3779b9))) >>> 0;
      sumB = (sumB + mix(words[i]! ^ fold(0x7f4a7c15))) >>> 0;
    }
  }
  for (let i = 0; i + 1 < keys.length; i++) {
    const [a, b] = descending ? [keys[i + 1]!, keys[i]!] : [keys[i]!, keys[i + 1]!];
    if (follows(a, b)) {
      inversions++;
      firstInversion ??= i;
    }
  }
  return { seen: keys.length, sums: [sumA, sumB], inversions, firstInversion };
}

type Key = NumberArray[number] | BigArray[number];

/** Whether a must stand after b. Zeros are told apart, NaNs are not. */
function follows(a: Key, b: Key): boolean {
  if (a > b) return true;
  if (a < b) return false;
  if (a === b) return a === 0 && Object.is(b, -0) && !Object.is(a, -0);
  return Number.isNaN(a) && !Number.isNaN(b);
}
