import { Execution } from "../core/device/execute.js";
import type { Gpu } from "../core/device/gpu.js";
import { runOnce } from "../core/device/run.js";
import { readback } from "../core/device/transfer.js";
import { VerifyError } from "../core/errors.js";
import { library } from "../demo_kernels/kernels.js";
import { exactly, wrongOf } from "./compare.js";
import { demoCpuKernels } from "./cpu/kernels.js";
import { runOnCpu } from "./cpu/run.js";
import type { Experiment, Outcome } from "./demo.js";
import { timeExecution } from "./measure.js";

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
  if (!gpu) return { name, words: expected, differences: compare(expected, expected), timing: undefined };
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
  if (differences.wrong === 0 || experiment.mayDiffer) return;
  throw new VerifyError(
    `${of}, ${experiment.name}: ${wrongOf(differences)} are wrong; ${differences.first}`,
    { hint: "this device computes wrong results; try another --device" },
  );
}
