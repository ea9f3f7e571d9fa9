import type { Now } from "./contender.js";

/**
 * The machine that a benchmark runs on, as far as it must be kept awake and watched. Fixed work is timed along with
 * every cell: when that takes longer than it did, so does everything, and the sort is not to blame.
 */
export interface Machine {
  /** Fixed work of a kind: its seconds. */
  reference(work: ReferenceWork): Promise<number>;
  /** Bytes that the GPU's fixed work, a copy, reads and writes; undefined without a GPU. */
  readonly copyBytes: number | undefined;
  /** Brings the GPU to its steady clock, if it has one to bring it to. */
  heat(): Promise<void>;
}

/**
 * - sort: a small sort on the CPU;
 * - copy: on the GPU, of more than a cache holds, by its own clock;
 * - answer: a tiny copy on the GPU, from its submission until the CPU hears of its end.
 */
export type ReferenceWork = "sort" | "copy" | "answer";

/** What the machine needs of engines/copy_probe.ts. */
interface Copier {
  readonly bytes: number;
  run(repeats?: number): Promise<number>;
}

/**
 * The CPU's fixed work: sorts of a fraction of a millisecond, for as long as a turn of a contender, and their mean. The
 * least of them would be steadier, and blind to what else runs on the machine, which is what it is to see.
 */
const REFERENCE_KEYS = 4096;
const REFERENCE_MS = 15;

/** Answers are as quick as the next wake-up of a thread, so the mean of several is taken. */
const ANSWERS = 5;

/** One submission of copies: long enough that the GPU does not doze off between two of them. */
const HEAT_MS = 20;
/** A GPU that has idled for a second needs 200-400 ms of steady load to be as fast as it was (measured on an H200). */
const FIRST_HEAT_MS = 400;
const MOST_HEAT_MS = 600;
/** It is warm when so many submissions in turn are as fast as the fastest one before them, within so much. */
const SETTLED = 3;
const SETTLED_WITHIN = 1.03;

/** @param gpu undefined without one. */
export function machineOf(
  gpu:
    | {
        readonly large: Copier;
        readonly tiny: Copier;
        /** Whether it is a program, which has no clock to heat. */
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
          return copy(gpu!.software ? 0 : repeatsFor(HEAT_MS / 4, fastest));
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
    heat: async () => {
      if (!gpu || gpu.software) return;
      const begin = now();
      const least = cold ? FIRST_HEAT_MS : 0; // how fast it can be is not known yet
      cold = false;
      for (let settled = 0; settled < SETTLED || now() - begin < least; ) {
        if (now() - begin >= MOST_HEAT_MS) return;
        const before = fastest;
        const seconds = await copy(repeatsFor(HEAT_MS, fastest));
        const same = seconds <= before * SETTLED_WITHIN && seconds >= before / SETTLED_WITHIN;
        settled = same ? settled + 1 : 0;
      }
    },
  };
}

function repeatsFor(ms: number, seconds: number): number {
  return seconds > 0 && Number.isFinite(seconds) ? Math.min(200, Math.floor(ms / 1000 / seconds)) : 0;
}

/** The seconds of one piece of work, of as many as are wanted, at least one. */
async function meanSeconds(
  now: Now,
  wanted: (runs: number) => boolean,
  work: () => Promise<unknown>,
): Promise<number> {
  const begin = now();
  let runs = 0;
  do {
    await work();
    runs++;
  } while (wanted(runs));
  return (now() - begin) / 1000 / runs;
}
