import type { Plan } from "../plan/plan.js";
import { Execution } from "./execute.js";
import type { Gpu } from "./gpu.js";
import { BufferUsage, MapMode } from "./usage.js";

/** Initial contents by buffer, as words; a buffer not named starts as zeros. */
export type PlanInputs = Readonly<Record<string, Uint32Array<ArrayBuffer>>>;

/**
 * Runs a plan once, from words to words: for demos and tests, where its buffers are small.
 *
 * @returns the words of the plan's result.
 * @throws DeviceError, KernelError
 */
export async function runPlan(gpu: Gpu, plan: Plan, inputs: PlanInputs): Promise<Uint32Array> {
  return (await runPlanBuffers(gpu, plan, inputs, [plan.result]))[plan.result]!;
}

/**
 * Runs a plan once, as `runPlan` does.
 *
 * @param wanted names of buffers.
 * @returns the words of each of them after the last pass.
 */
export async function runPlanBuffers(
  gpu: Gpu,
  plan: Plan,
  inputs: PlanInputs,
  wanted: readonly string[],
): Promise<Record<string, Uint32Array>> {
  const execution = await Execution.prepare(gpu, plan);
  const sources = wanted.map((name) => execution.buffers[name]!);
  let readback: GPUBuffer | undefined;
  try {
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    const bytes = sources.reduce((total, { size }) => total + size, 0);
    const target = await gpu.buffer("readback", bytes, usage);
    readback = target;
    await gpu.checked("running the plan", () => {
      for (const [name, words] of Object.entries(inputs)) {
        gpu.device.queue.writeBuffer(execution.buffers[name]!, 0, words);
      }
      const encoder = gpu.device.createCommandEncoder();
      execution.encode(encoder);
      let offset = 0;
      for (const source of sources) {
        encoder.copyBufferToBuffer(source, 0, target, offset, source.size);
        offset += source.size;
      }
      gpu.submit(encoder);
    });
    await gpu.settle(target.mapAsync(MapMode.read), "reading the result");
    const mapped = target.getMappedRange();
    let offset = 0;
    const outputs: Record<string, Uint32Array> = {};
    sources.forEach(({ size }, i) => {
      outputs[wanted[i]!] = new Uint32Array(mapped, offset, size / 4).slice();
      offset += size;
    });
    return outputs;
  } finally {
    readback?.destroy();
    execution.destroy();
  }
}
