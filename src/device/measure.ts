import type { Execution } from "./execute.js";
import type { Gpu } from "./gpu.js";
import { Timer } from "./timer.js";

/** How long one run of a plan takes, by the GPU's own clock. */
export interface Timing {
  readonly medianMs: number;
  readonly leastMs: number;
  /** Samples taken, each of several runs. */
  readonly samples: number;
}

/** Steady load that a GPU's clocks take to settle: an H200's need 200-400 ms after a second of idling. */
const WARM_MS = 400;
const SAMPLES = 9;
/** A sample is of as many runs as this takes, so that starting one counts for little. */
const SAMPLE_MS = 5;
const MOST_RUNS = 1000;
/** A slow device takes fewer samples rather than longer than this. */
const BUDGET_MS = 2000;

/**
 * Times an execution, run again and again on whatever its buffers hold. All kernels are compiled by then.
 * @returns undefined where the device has no timestamp queries.
 * @throws DeviceError
 */
export async function measure(gpu: Gpu, execution: Execution): Promise<Timing | undefined> {
  const timer = await Timer.create(gpu);
  if (!timer) return undefined;
  try {
    const begin = performance.now();
    const elapsed = () => performance.now() - begin;
    const sample = async (runs: number) => {
      const encoder = gpu.device.createCommandEncoder();
      execution.encode(encoder, timer, runs);
      timer.resolve(encoder);
      gpu.submit(encoder);
      return (await timer.readMs()) / runs;
    };
    const runsFor = (ms: number) => Math.max(1, Math.min(MOST_RUNS, Math.ceil(SAMPLE_MS / ms)));
    let ms = await sample(1);
    while (elapsed() < WARM_MS) ms = await sample(runsFor(ms));
    const taken: number[] = [];
    while (taken.length === 0 || (taken.length < SAMPLES && elapsed() < BUDGET_MS)) {
      taken.push(await sample(runsFor(ms)));
    }
    taken.sort((a, b) => a - b);
    const middle = (taken.length - 1) / 2;
    const medianMs = (taken[Math.floor(middle)]! + taken[Math.ceil(middle)]!) / 2;
    return { medianMs, leastMs: taken[0]!, samples: taken.length };
  } finally {
    timer.destroy();
  }
}
