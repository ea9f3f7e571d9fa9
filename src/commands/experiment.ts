import { exactly, wrongOf } from "../demos/compare.js";
import type { Experiment, Outcome } from "../demos/demo.js";
import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { measure } from "../device/measure.js";
import { runOnce } from "../device/run.js";
import { readback } from "../device/words.js";
import { VerifyError } from "../errors.js";
import { runOnTwins } from "../twins/run.js";

/**
 * Runs a demo's experiment on the CPU twins and, if there is one, on a device, and compares the two.
 *
 * @param timed whether experiments that ask for it are timed.
 * @throws DeviceError, KernelError
 */
export async function runExperiment(
  gpu: Gpu | undefined,
  { name, plan, inputs, reads = [plan.result], compare = exactly, timed: wantsTime }: Experiment,
  { timed }: { readonly timed: boolean },
): Promise<Outcome> {
  const all = runOnTwins(plan, inputs);
  const expected = Object.fromEntries(reads.map((read) => [read, all[read]!]));
  if (!gpu) return { name, words: expected, differences: compare(expected, expected), timing: undefined };
  const execution = await Execution.prepare(gpu, plan);
  try {
    await runOnce(gpu, execution, inputs);
    const words = await readback(gpu, execution, reads);
    const timing = timed && wantsTime ? await measure(gpu, execution) : undefined;
    return { name, words, differences: compare(words, expected), timing };
  } finally {
    execution.destroy();
  }
}

/**
 * @param of what ran it, for the message.
 * @throws VerifyError if the device's result is not its twin's, unless that is what the experiment is for.
 */
export function requireAgreement(of: string, experiment: Experiment, { differences }: Outcome): void {
  if (differences.wrong === 0 || experiment.mayDiffer) return;
  throw new VerifyError(
    `${of}, ${experiment.name}: ${wrongOf(differences)} are wrong; ${differences.first}`,
    { hint: "this device computes wrongly; try another --device" },
  );
}
