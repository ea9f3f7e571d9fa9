import { Execution } from "../core/device/execute.js";
import type { Gpu } from "../core/device/gpu.js";
import { runOnce } from "../core/device/run.js";
import { Timer } from "../core/device/timer.js";
import { readback } from "../core/device/transfer.js";
import { VerifyError } from "../core/errors.js";
import { library } from "../demo_kernels/kernels.js";
import { exactly, wrongOf } from "./compare.js";
import { runOnCpu } from "./cpu/cpu_kernel.js";
import { demoCpuKernels } from "./cpu/kernels.js";
import type { Experiment, Outcome, Timing } from "./demo.js";

/**
 * Runs a demo's experiment on the CPU and, if a device is given, on the device, and compares the results.
 *
 * @param timed whether to time experiments that want to be timed.
 * @throws DeviceError, KernelError
 */
export async function runExperiment(
  gpu: Gpu | undefined,
  { name, plan, inputs, reads = [plan.result], compare = exactly, timed: wantsTime }: Experiment,
  { timed }: { readonly timed: boolean },
): Promise<Outcome> {
  const all = runOnCpu(demoCpuKernels, plan, inputs);
  const expected = Object.fromEntries(reads.map((read) => [read, all[read]!]));
  if (!gpu) return { name, words: expected, differences: undefined, timing: undefined };
  gpu.kernels.add(library);
  const execution = await Execution.prepare(gpu, plan);
  try {
    await runOnce(gpu, execution, inputs);
    const words = await readback(gpu, execution, reads);
    const timing = timed && wantsTime ? await timeExecution(gpu, execution) : undefined;
    return { name, words, differences: compare(words, expected), timing };
  } finally {
    execution.destroy();
  }
}

/**
 * Checks that the device's result agrees with the CPU's.
 *
 * @param of what ran the experiment, for the error message.
 * @throws VerifyError if the results differ, unless the experiment is meant to show differences.
 */
export function requireAgreement(of: string, experiment: Experiment, { differences }: Outcome): void {
  if (!differences?.wrong || experiment.mayDiffer) return;
  throw new VerifyError(
    `${of}, ${experiment.name}: ${wrongOf(differences)} are wrong; ${differences.first}`,
    { hint: "this device computes wrong results; try another --device" },
  );
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
async function timeExecution(gpu: Gpu, execution: Execution): Promise<Timing | undefined> {
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
