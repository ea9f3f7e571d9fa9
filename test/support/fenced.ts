import { Execution } from "../../src/core/device/execute.js";
import type { Gpu } from "../../src/core/device/gpu.js";
import { BufferUsage, MapMode } from "../../src/core/device/usage.js";
import { BINDING_ALIGNMENT, gridPlace, type Plan, type Words } from "../../src/core/plan/plan.js";

/** The word around every buffer. No kernel may change it, and no result may depend on it. */
const CANARY = 0xa5c3_96f1;
const FENCE_WORDS = BINDING_ALIGNMENT / 4;

/**
 * Runs a plan once. Each of its buffers is a range of a longer buffer, between two fences of canary words.
 * Buffers without an input also start with canaries, so kernels cannot rely on zeros that they did not write.
 *
 * @returns the words of every buffer after the last pass.
 * @throws Error if a word of a fence was changed, since a kernel then stored beyond its buffer.
 */
export async function runFenced(gpu: Gpu, plan: Plan, inputs: Words): Promise<Record<string, Uint32Array>> {
  const made: { destroy(): void }[] = [];
  const buffer = (label: string, size: number, usage: number) => {
    const one = gpu.device.createBuffer({ label, size, usage });
    made.push(one);
    return one;
  };
  try {
    const ranges: Record<string, { buffer: GPUBuffer; offset: number; words: number }> = {};
    const copied = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
    const grids = new Set(plan.passes.map((pass) => gridPlace(pass)?.buffer));
    for (const [name, { bytes, uniform }] of Object.entries(plan.buffers)) {
      const words = new Uint32Array(2 * FENCE_WORDS + bytes / 4).fill(CANARY);
      words.set(inputs[name] ?? [], FENCE_WORDS);
      const usage = grids.has(name) ? copied | BufferUsage.indirect : copied;
      const fenced = buffer(name, words.byteLength, uniform ? usage | BufferUsage.uniform : usage);
      gpu.device.queue.writeBuffer(fenced, 0, words);
      ranges[name] = { buffer: fenced, offset: BINDING_ALIGNMENT, words: words.length };
    }
    const execution = await Execution.prepare(gpu, plan, ranges);
    made.push(execution);
    const total = Object.values(ranges).reduce((sum, { words }) => sum + 4 * words, 0);
    const readback = buffer("readback", total, BufferUsage.mapRead | BufferUsage.copyDestination);
    await gpu.checked("running the plan", () => {
      const encoder = gpu.device.createCommandEncoder();
      execution.encode(encoder);
      let at = 0;
      for (const { buffer: from, words } of Object.values(ranges)) {
        encoder.copyBufferToBuffer(from, 0, readback, at, 4 * words);
        at += 4 * words;
      }
      gpu.submit(encoder);
    });
    await gpu.settle(readback.mapAsync(MapMode.read), "reading the result");
    const mapped = readback.getMappedRange();
    let at = 0;
    const contents: Record<string, Uint32Array> = {};
    for (const [name, { words }] of Object.entries(ranges)) {
      const all = new Uint32Array(mapped, at, words).slice();
      const changed = all.findIndex((word, i) => isFence(i, words) && word !== CANARY);
      if (changed >= 0)
        throw new Error(`a kernel stored out of bounds: in '${name}', at word ${changed - FENCE_WORDS}`);
      contents[name] = all.slice(FENCE_WORDS, -FENCE_WORDS);
      at += 4 * words;
    }
    return contents;
  } finally {
    for (const one of made) one.destroy();
  }
}

function isFence(i: number, words: number): boolean {
  return i < FENCE_WORDS || i >= words - FENCE_WORDS;
}
