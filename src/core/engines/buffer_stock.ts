import type { Gpu } from "../device/gpu.js";
import { BufferUsage } from "../device/usage.js";
import { type BufferSpec, bufferBytes, type Plan } from "../plan/plan.js";

/** A buffer that has to grow gets twice its length, but at most this many bytes more than are needed. */
const MOST_SLACK = 2 ** 26;

/**
 * The buffers of one job after the other, by their names in plans. A job gets the buffers of the last one where
 * these are long enough, so jobs of various sizes make few buffers.
 */
export class BufferStock {
  readonly #gpu: Gpu;
  readonly #held = new Map<string, GPUBuffer>();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** Frees the buffers that a plan does not need. */
  keepOnly({ buffers }: Plan): void {
    for (const [name, held] of this.#held) {
      if (name in buffers) continue;
      held.destroy();
      this.#held.delete(name);
    }
  }

  /**
   * A buffer of at least the bytes that a plan needs, whatever it contains. It stays the stock's.
   *
   * @throws DeviceError if the device rejects it or runs out of memory.
   */
  async take(name: string, { bytes, uniform }: BufferSpec): Promise<GPUBuffer> {
    const held = this.#held.get(name);
    if (held && held.size >= bytes) return held;
    held?.destroy();
    this.#held.delete(name);
    const { maxBufferSize } = this.#gpu.device.limits;
    const grown = held ? Math.min(2 * held.size, bytes + MOST_SLACK, maxBufferSize - (maxBufferSize % 4)) : 0;
    const data = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
    const usage = data | (uniform ? BufferUsage.uniform : 0);
    const made = await this.#gpu.buffer(name, bufferBytes(Math.max(bytes, grown)), usage);
    this.#held.set(name, made);
    return made;
  }

  destroy(): void {
    for (const held of this.#held.values()) held.destroy();
    this.#held.clear();
  }
}
