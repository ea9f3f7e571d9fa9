import type { Execution } from "../core/device/execute.js";
import type { Gpu } from "../core/device/gpu.js";
import { Timer } from "../core/device/timer.js";

/** How long one run of a plan takes on the GPU, by its own clock. */
export interface Timing {
  readonly medianMs: number;
  readonly minMs: number;
  /** The number of samples; a sample times several runs. */
  readonly samples: number;
}

/**
 * Warm-up time. A GPU's clock rate settles under steady load: an H200 needs 200-400 ms after a second of
 * idling.
 */
const WARM_MS = 400;
const SAMPLES = 9;
/** A sample times as many runs as fill this time, so that the start of a submission hardly counts. */
const SAMPLE_MS = 5;
const MAX_RUNS = 1000;
/** No further sample is started after this time, so a slow device takes fewer samples. */
const BUDGET_MS = 2000;

/**
 * Times an execution by running it repeatedly on whatever its buffers hold. Its kernels are already compiled.
 *
 * @returns undefined if the device has no timestamp queries.
 * @throws DeviceError
 */
export async function timeExecution(gpu: Gpu, execution: Execution): Promise<Timing | undefined> {
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
    const runsFor = (ms: number) => Math.max(1, Math.min(MAX_RUNS, Math.ceil(SAMPLE_MS / ms)));
    let ms = await sample(1);
    while (elapsed() < WARM_MS) ms = await sample(runsFor(ms));
    const taken: number[] = [];
    while (taken.length === 0 || (taken.length < SAMPLES && elapsed() < BUDGET_MS)) {
      taken.push(await sample(runsFor(ms)));
    }
    taken.sort((a, b) => a - b);
    const middle = (taken.length - 1) / 2;
    const medianMs = (taken[Math.floor(middle)]! + taken[Math.ceil(middle)]!) / 2;
    return { medianMs, minMs: taken[0]!, samples: taken.length };
  } finally {
    timer.destroy();
  }
}
