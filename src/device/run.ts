import type { Plan } from "../plan/plan.js";
import { Execution } from "./execute.js";
import type { Gpu } from "./gpu.js";
import { BufferUsage, MapMode } from "./usage.js";

/**
 * Runs a plan once, from words to words: for demos and tests, where its buffers are small.
 *
 * @param inputs initial contents by buffer; a buffer not named starts as zeros.
 * @returns the words of the plan's result.
 * @throws DeviceError, KernelError
 */
export async function runPlan(
  gpu: Gpu,
  plan: Plan,
  inputs: Readonly<Record<string, Uint32Array<ArrayBuffer>>>,
): Promise<Uint32Array> {
  const execution = await Execution.prepare(gpu, plan);
  const { result } = execution;
  let readback: GPUBuffer | undefined;
  try {
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    const target = await gpu.buffer("readback", result.size, usage);
    readback = target;
    await gpu.checked("running the plan", () => {
      for (const [name, words] of Object.entries(inputs)) {
        gpu.device.queue.writeBuffer(execution.buffers[name]!, 0, words);
      }
      const encoder = gpu.device.createCommandEncoder();
      execution.encode(encoder);
      encoder.copyBufferToBuffer(result, 0, target, 0, result.size);
      gpu.submit(encoder);
    });
    await gpu.settle(target.mapAsync(MapMode.read), "reading the result");
    return new Uint32Array(target.getMappedRange()).slice();
  } finally {
    readback?.destroy();
    execution.destroy();
  }
}
