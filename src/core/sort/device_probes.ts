import type { Plan } from "../plan/plan.js";
import { params, program } from "../shaders/kernels.js";

/** How long workgroups wait at a grid barrier, in loads from memory: about a microsecond each on a GPU. */
export interface SpinLimits {
  /** After how many without a new workgroup the first one closes the entry. */
  readonly entry: number;
  /** After how many a workgroup does not wait any longer. */
  readonly wait: number;
}

/**
 * A wait takes less than 0.1 s, and after one in vain nobody waits: drivers reset a GPU after two seconds or
 * more. The entry is open longer than that of a sort, since the probe shows nothing if no other workgroup has
 * begun; but those that have begun wait until it is closed, even if the others begin one by one.
 */
const PROBE_LIMITS: SpinLimits = { entry: 2 ** 8, wait: 2 ** 16 };

const WORKGROUP_SIZE = 256;
/** About as many as a large GPU has multiprocessors, so that most workgroups have one of their own. */
const WORKGROUPS = 128;
const WORDS = WORKGROUP_SIZE * WORKGROUPS;
/** An even number, so that the last round writes the lower half. */
const ROUNDS = 8;
/** The words of the barrier come first, up to the alignment of bindings. */
const STATE_BYTES = 256;
/** The words of the barrier that the result is judged by: see wgsl/msd/fallback/grid_barrier.wgsl. */
const PARTICIPANTS = 2;
const ARRIVED = 3;

/**
 * Plans a pass that finds out whether a device can run the fallback in one dispatch, by the same grid barrier
 * (a litmus test as those of T. Sorensen et al., "Portable inter-workgroup barrier synchronisation for GPUs",
 * 2016). `showsGridBarrier` judges its result.
 */
export function gridBarrierPlan(limits = PROBE_LIMITS): Plan {
  return {
    buffers: { probe: { bytes: STATE_BYTES + 8 * WORDS } },
    passes: [
      {
        program: program("grid_barrier_probe", {
          constants: {
            WORKGROUP_SIZE,
            WORDS,
            GRID_BARRIER: 1,
            ENTRY_SPIN_LIMIT: limits.entry,
            SPIN_LIMIT: limits.wait,
          },
        }),
        bindings: [
          { buffer: "probe", offset: STATE_BYTES, bytes: 8 * WORDS },
          { buffer: "probe", offset: 0, bytes: 16 },
        ],
        params: params("grid_barrier_probe", { rounds: ROUNDS, zero: 0 }),
        grid: [WORKGROUPS, 1, 1],
      },
    ],
    result: "probe",
  };
}

/**
 * Whether the result of the plan shows that workgroups waited for each other, none of them in vain, and saw all
 * words that the others had written before.
 */
export function showsGridBarrier(result: Uint32Array): boolean {
  const participants = result[PARTICIPANTS]!;
  // After a wait in vain, the upper bit of the arrivals is set.
  if (participants < 2 || result[ARRIVED] !== participants * ROUNDS) return false;
  const begin = STATE_BYTES / 4;
  return expectedWords().every((word, i) => word === result[begin + i]);
}

/** What `FACTOR` is in wgsl/msd/fallback/grid_barrier_probe.wgsl. */
const FACTOR = 0x9e37_79b1;

function expectedWords(): Uint32Array {
  let words = new Uint32Array(WORDS);
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Uint32Array(WORDS);
    for (let i = 0; i < WORDS; i++) {
      next[((Math.imul(i, FACTOR) >>> 0) + round) % WORDS] = Math.imul(words[i]! + i + round, FACTOR);
    }
    words = next;
  }
  return words;
}

/** The words that an invocation of the kernels for few and for many keys holds in registers. */
const REGISTER_WORDS = [2, 8, 36];
/** Wider subgroups count as this wide. */
const WIDEST = 64;
const INPUT_WORDS = 1024;

/**
 * Plans passes that find the sizes of the subgroups that a device runs kernels with. The result has a word for
 * each pass: the size, or 64 if it is larger, or 1 if the invocations of a subgroup are not numbered in order.
 *
 * @param words a pass for each of these numbers of words that an invocation holds in registers.
 */
export function subgroupSizesPlan(words: readonly number[] = REGISTER_WORDS, workgroupSize = 256): Plan {
  const sizes = words.map((_, i) => ({ buffer: "sizes", offset: 256 * i, bytes: 4 }));
  return {
    buffers: { input: { bytes: 4 * INPUT_WORDS }, sizes: { bytes: 256 * words.length } },
    passes: sizes.map((range, i) => ({
      program: program("subgroup_sizes", {
        constants: { WORKGROUP_SIZE: workgroupSize, SUBGROUP_SIZE: WIDEST, WORDS: words[i]! },
      }),
      bindings: ["input", range],
      params: params("subgroup_sizes", { words: INPUT_WORDS }),
      grid: [1, 1, 1],
    })),
    result: "sizes",
  };
}

/** The smallest size that the result of the plan has. */
export function smallestSize(result: Uint32Array): number {
  return Math.min(...result.filter((_, i) => i % 64 === 0));
}
