import type { Plan, Words } from "../plan/plan.js";
import { Execution } from "./execute.js";
import type { Gpu } from "./gpu.js";
import { readback, upload } from "./words.js";

/**
 * Runs a plan once, from words to words: for demos and tests, where its buffers are small.
 *
 * @param inputs initial contents by buffer or texture; what is not named starts as zeros.
 * @returns the words of the plan's result.
 * @throws DeviceError, KernelError
 */
export async function runPlan(gpu: Gpu, plan: Plan, inputs: Words): Promise<Uint32Array> {
  return (await runPlanBuffers(gpu, plan, inputs, [plan.result]))[plan.result]!;
}

/**
 * Runs a plan once, as `runPlan` does.
 *
 * @param wanted names of buffers or textures.
 * @returns the words of each of them after the last pass.
 */
export async function runPlanBuffers(
  gpu: Gpu,
  plan: Plan,
  inputs: Words,
  wanted: readonly string[],
): Promise<Words> {
  const execution = await Execution.prepare(gpu, plan);
  try {
    await runOnce(gpu, execution, inputs);
    return await readback(gpu, execution, wanted);
  } finally {
    execution.destroy();
  }
}

/** Sends the inputs, and submits one run of all passes. @throws DeviceError */
export async function runOnce(gpu: Gpu, execution: Execution, inputs: Words): Promise<void> {
  await gpu.checked("running the plan", () => {
    upload(gpu, execution, inputs);
    const encoder = gpu.device.createCommandEncoder();
    execution.encode(encoder);
    gpu.submit(encoder);
  });
}
