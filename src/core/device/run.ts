import type { Plan, Words } from "../plan/plan.js";
import { Execution } from "./execute.js";
import type { Gpu } from "./gpu.js";
import { readback, upload } from "./transfer.js";

/**
 * Runs a plan once: uploads its inputs, runs all passes, and reads back its result. It is for plans with
 * small buffers, such as demos and tests.
 *
 * @param gpu the device to run on.
 * @param plan the plan to run.
 * @param inputs the initial 32-bit words of buffers and textures, by name. Buffers and textures without an
 *   entry start as zeros.
 * @returns the words of the plan's result.
 * @throws DeviceError if the device fails or runs out of memory.
 * @throws KernelError if a kernel does not compile.
 */
export async function runPlan(gpu: Gpu, plan: Plan, inputs: Words): Promise<Uint32Array> {
  const execution = await Execution.prepare(gpu, plan);
  try {
    await runOnce(gpu, execution, inputs);
    return (await readback(gpu, execution, [plan.result]))[plan.result]!;
  } finally {
    execution.destroy();
  }
}

/**
 * Uploads the inputs, and submits one run of all passes.
 *
 * @throws DeviceError if the device fails.
 */
export async function runOnce(gpu: Gpu, execution: Execution, inputs: Words): Promise<void> {
  await gpu.checked("running the plan", () => {
    upload(gpu, execution, inputs);
    const encoder = gpu.device.createCommandEncoder();
    execution.encode(encoder);
    gpu.submit(encoder);
  });
}
