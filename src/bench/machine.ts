import { Execution } from "../core/device/execute.js";
import type { Gpu } from "../core/device/gpu.js";
import { Timer } from "../core/device/timer.js";
import { deviceCopyPlan } from "../core/plan/device_copy.js";
import type { Now } from "./budget.js";

/**
 * The machine that a benchmark runs on. It keeps the GPU awake, and it times fixed reference work along with
 * every cell: if that work takes longer than before, the machine became slower and the sort is not to blame.
 */
export interface Machine {
  /** Does reference work of the given kind. @returns its seconds. */
  reference(work: ReferenceWork): Promise<number>;
  /** The sum of the bytes that the reference work "copy" reads and writes; undefined without a GPU. */
  readonly copyBytes: number | undefined;
  /** Brings a GPU to its full clock speed. Does nothing without a GPU or for a software adapter. */
  warmUp(): Promise<void>;
}

/**
 * - sort: a small sort on the CPU;
 * - copy: a copy on the GPU of more bytes than a cache holds, timed by the GPU's clock;
 * - answer: a tiny copy on the GPU, timed from its submission until the CPU learns of its end.
 */
export type ReferenceWork = "sort" | "copy" | "answer";

/** A copy on the GPU that can be timed again and again. */
export interface Copier {
  /** The number of bytes that one copy reads. It writes as many. */
  readonly bytes: number;
  /**
   * Copies `repeats` times and then once more, in one submission.
   *
   * @returns the seconds of the last copy by timestamp queries; without them, the mean of all copies by the
   * wall clock.
   */
  run(repeats?: number): Promise<number>;
}

/**
 * The reference work "sort" sorts this many keys again and again, for about as long as a contender's turn.
 * One sort takes a fraction of a millisecond, and the result is their mean. Their minimum would be steadier,
 * but it would not show other load on the machine, which the reference work must show.
 */
const REFERENCE_KEYS = 4096;
const REFERENCE_MS = 15;

/** How many answers are averaged. The time of a single one depends on how soon the CPU's thread wakes up. */
const ANSWERS = 5;

/** The length of one submission of copies: long enough that the GPU stays awake between two submissions. */
const SUBMISSION_MS = 20;
/** An H200 that was idle for a second needed 200-400 ms of steady load to reach its full speed. */
const MIN_FIRST_WARM_UP_MS = 400;
const MAX_WARM_UP_MS = 600;
/** The GPU is warm when this many submissions in a row are as fast as the fastest one, within this factor. */
const STEADY_SUBMISSIONS = 3;
const STEADY_FACTOR = 1.03;

/** @param gpu undefined if the machine has no GPU. */
export function machineOf(
  gpu:
    | {
        readonly large: Copier;
        readonly tiny: Copier;
        /** Whether the adapter is software, which has no clock speed to raise. */
        readonly software: boolean;
      }
    | undefined,
  now: Now = () => performance.now(),
): Machine {
  const keys = Uint32Array.from({ length: REFERENCE_KEYS }, (_, i) => Math.imul(i, 0x9e3779b1));
  const sorted = keys.slice();
  let fastest = Number.POSITIVE_INFINITY;
  let cold = true;
  const copy = async (repeats: number) => {
    const seconds = await gpu!.large.run(repeats);
    fastest = Math.min(fastest, seconds);
    return seconds;
  };
  return {
    copyBytes: gpu && 2 * gpu.large.bytes,
    reference: async (work) => {
      switch (work) {
        case "copy":
          return copy(gpu!.software ? 0 : repeatsFor(SUBMISSION_MS / 4, fastest));
        case "answer":
          return meanSeconds(
            now,
            (runs) => runs < ANSWERS,
            () => gpu!.tiny.run(),
          );
        case "sort": {
          const begin = now();
          return meanSeconds(
            now,
            () => now() - begin < REFERENCE_MS,
            async () => {
              sorted.set(keys);
              sorted.sort();
            },
          );
        }
        default:
          return work satisfies never;
      }
    },
    warmUp: async () => {
      if (!gpu || gpu.software) return;
      const begin = now();
      const minMs = cold ? MIN_FIRST_WARM_UP_MS : 0; // at first the full speed is not known
      cold = false;
      for (let steady = 0; steady < STEADY_SUBMISSIONS || now() - begin < minMs; ) {
        if (now() - begin >= MAX_WARM_UP_MS) return;
        const before = fastest;
        const seconds = await copy(repeatsFor(SUBMISSION_MS, fastest));
        const isSteady = seconds <= before * STEADY_FACTOR && seconds >= before / STEADY_FACTOR;
        steady = isSteady ? steady + 1 : 0;
      }
    },
  };
}

function repeatsFor(ms: number, seconds: number): number {
  return seconds > 0 && Number.isFinite(seconds) ? Math.min(200, Math.floor(ms / 1000 / seconds)) : 0;
}

/** Does the work once, then repeats it while `continues` says so. @returns the mean seconds of one run. */
async function meanSeconds(
  now: Now,
  continues: (runs: number) => boolean,
  work: () => Promise<unknown>,
): Promise<number> {
  const begin = now();
  let runs = 0;
  do {
    await work();
    runs++;
  } while (continues(runs));
  return (now() - begin) / 1000 / runs;
}

/** Larger than any cache, so that the copy measures the memory, and small enough for any adapter. */
const BYTES = { hardware: 1 << 28, software: 1 << 25 };

/**
 * Times a copy within the device's memory. Its speed is that of the memory at this moment, and so an upper
 * bound for the speed of a sort. Since its usual time is known, it also shows whether the device is awake and
 * as fast as before.
 *
 * @param mostBytes bytes to copy, a power of two; fewer are copied if no buffer can hold that many. The
 * default is larger than any cache.
 * @throws DeviceError if the device has not enough memory; KernelError if the copy kernel does not compile.
 */
export async function copyProbe(
  gpu: Gpu,
  mostBytes = gpu.traits.software ? BYTES.software : BYTES.hardware,
): Promise<Copier> {
  const { traits } = gpu;
  const maxBytes = Math.min(traits.limits.maxStorageBufferBindingSize, traits.limits.maxBufferSize);
  const bytes = Math.min(mostBytes, 2 ** Math.floor(Math.log2(maxBytes)));
  const execution = await Execution.prepare(gpu, deviceCopyPlan(bytes, traits));
  const timer = await Timer.create(gpu);
  return {
    bytes,
    run: async (repeats = 0) => {
      const begin = performance.now();
      const encoder = gpu.device.createCommandEncoder();
      for (let i = 0; i < repeats; i++) execution.encode(encoder);
      execution.encode(encoder, timer);
      timer?.resolve(encoder);
      gpu.submit(encoder);
      if (timer) return (await timer.readMs()) / 1000;
      await gpu.idle("copying");
      return (performance.now() - begin) / 1000 / (repeats + 1);
    },
  };
}
